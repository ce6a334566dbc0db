/* SPDX-License-Identifier: MIT */
/*
 * Messages by NCCL, where it is installed: loaded at run time with our own
 * prototypes, so that building needs no NCCL.
 */
#ifndef XS_EXAMPLES_PUTGET_NCCL_H
#define XS_EXAMPLES_PUTGET_NCCL_H

#include <cuda_runtime.h>
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct ncclComm *nccl_comm;

#define NCCL_BYTE 0 /* ncclInt8 */

static struct {
	int (*ncclCommInitAll)(nccl_comm *comms, int count, const int *gpus);
	int (*ncclGroupStart)(void);
	int (*ncclGroupEnd)(void);
	int (*ncclSend)(const void *from, size_t count, int type, int to,
			nccl_comm comm, cudaStream_t stream);
	int (*ncclRecv)(void *to, size_t count, int type, int from,
			nccl_comm comm, cudaStream_t stream);
} nccl;

#define NCCL(function, ...)                                                    \
	do {                                                                   \
		const int result = nccl.function(__VA_ARGS__);                 \
                                                                               \
		if (result != 0) {                                             \
			fprintf(stderr, #function ": error %d\n", result);     \
			exit(2);                                               \
		}                                                              \
	} while (0)

/* Returns false without NCCL. */
static inline bool load_nccl(void)
{
	void *library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
	bool found = library != NULL;

#define NCCL_FIND(function)                                                    \
	do {                                                                   \
		void *at = found ? dlsym(library, #function) : NULL;           \
                                                                               \
		found = at != NULL;                                            \
		memcpy((void *)&nccl.function, &at, sizeof(at));               \
	} while (0)
	NCCL_FIND(ncclCommInitAll);
	NCCL_FIND(ncclGroupStart);
	NCCL_FIND(ncclGroupEnd);
	NCCL_FIND(ncclSend);
	NCCL_FIND(ncclRecv);
#undef NCCL_FIND
	return found;
}

#endif
