/* SPDX-License-Identifier: MIT */
#pragma once

#include <cstdio>
#include <cstdlib>

/* A call that must succeed; otherwise the program exits with 2. */
#define CHECK(call)                                                            \
	do {                                                                   \
		cudaError_t error_ = (call);                                   \
		if (error_ != cudaSuccess) {                                   \
			fprintf(stderr, "%s: %s\n", #call,                     \
				cudaGetErrorString(error_));                   \
			exit(2);                                               \
		}                                                              \
	} while (0)
