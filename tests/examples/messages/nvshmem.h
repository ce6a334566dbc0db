/* SPDX-License-Identifier: MIT */
/* Stands for NVSHMEM's headers: nothing is put, and no wait waits.
 * XS_TEST_FAULT says what goes wrong. */
#pragma once

#include <cuda_runtime.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NVSHMEMX_UNIQUEID_INITIALIZER                                          \
	{                                                                      \
	}
#define NVSHMEMX_INIT_ATTR_INITIALIZER                                         \
	{                                                                      \
	}
#define NVSHMEMX_INIT_WITH_UNIQUEID 8
#define NVSHMEM_SIGNAL_SET	    9
#define NVSHMEM_CMP_GE		    1

struct nvshmemx_uniqueid_t {
	char internal[128];
};

struct nvshmemx_init_attr_t {
	int version;
};

static inline bool is_fault(const char *name)
{
	const char *fault = getenv("XS_TEST_FAULT");

	return fault && strcmp(fault, name) == 0;
}

static inline int nvshmemx_get_uniqueid(nvshmemx_uniqueid_t *)
{
	return is_fault("refuses");
}

static inline int nvshmemx_set_attr_uniqueid_args(int, int,
						  nvshmemx_uniqueid_t *,
						  nvshmemx_init_attr_t *)
{
	return 0;
}

static inline int nvshmemx_init_attr(unsigned, nvshmemx_init_attr_t *)
{
	return 0;
}

static inline void *nvshmem_malloc(size_t bytes)
{
	void *memory = NULL;

	return !is_fault("no-memory") && cudaMalloc(&memory, bytes) == 0
		   ? memory
		   : NULL;
}

static inline void *nvshmem_calloc(size_t count, size_t bytes)
{
	return nvshmem_malloc(count * bytes);
}

static inline void nvshmem_barrier_all()
{
	if (is_fault("dies"))
		raise(SIGKILL);
}

static __device__ inline void
nvshmemx_putmem_signal_nbi_block(void *, const void *, size_t, uint64_t *,
				 uint64_t, int, int)
{
}

static __device__ inline void nvshmem_signal_wait_until(uint64_t *, int,
							uint64_t)
{
}
