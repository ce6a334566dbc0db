/* SPDX-License-Identifier: MIT */
/* What the analyzer's tests share. Include after cmocka.h. */
#ifndef XS_TEST_SUPPORT_H
#define XS_TEST_SUPPORT_H

#include "analyzer/read/trace.h"

struct bytes {
	char *data; /* owned */
	size_t size;
};

/* The binary trace that a text stands for; the test fails on errors. */
struct bytes binary_of(const char *text);
struct bytes file_bytes(const char *path);
/* tests/analyzer/golden/NAME.trace; static storage. */
const char *golden_path(const char *name);
extern const char *const golden_names[];
extern const size_t golden_count;

/* Reads and runs every stage; returns what xs_trace_read returned. */
int analyze(const void *data, size_t size, size_t *ops);

#endif
