/* SPDX-License-Identifier: MIT */
/*
 * Stands for NCCL and for NVSHMEM's host library, on the simulated device. NCCL
 * copies, NVSHMEM does not. XS_TEST_FAULT says what they do wrong.
 */
#include <cuda_runtime_api.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

static int is_fault(const char *name)
{
	const char *fault = getenv("XS_TEST_FAULT");

	return fault && strstr(fault, name);
}

#ifdef XS_TEST_NCCL
static const void *sent;

int ncclCommInitAll(void **comms, int count, const int *gpus)
{
	(void)gpus;
	for (int i = 0; i < count; i++)
		comms[i] = &sent;
	return is_fault("nccl-refuses");
}

int ncclGroupStart(void)
{
	return 0;
}

int ncclGroupEnd(void)
{
	return 0;
}

int ncclSend(const void *from, size_t count, int type, int to, void *comm,
	     cudaStream_t stream)
{
	(void)count, (void)type, (void)to, (void)comm, (void)stream;
	sent = from;
	return 0;
}

int ncclRecv(void *to, size_t count, int type, int from, void *comm,
	     cudaStream_t stream)
{
	(void)type, (void)from, (void)comm, (void)stream;
	return cudaMemcpy(to, sent, count, cudaMemcpyDefault) != cudaSuccess;
}
#else
int nvshmemx_get_uniqueid(void *id)
{
	(void)id;
	return 0;
}

int nvshmemx_set_attr_uniqueid_args(int pe, int pes, const void *id,
				    void *attributes)
{
	(void)pe, (void)pes, (void)id, (void)attributes;
	return 0;
}

int nvshmemx_hostlib_init_attr(unsigned flags, void *attributes)
{
	(void)flags, (void)attributes;
	return 0;
}

void *nvshmem_malloc(size_t bytes)
{
	void *memory = NULL;

	return cudaMalloc(&memory, bytes) == cudaSuccess ? memory : NULL;
}

int nvshmemx_putmem_on_stream(void *to, const void *from, size_t bytes, int pe,
			      cudaStream_t stream)
{
	(void)to, (void)from, (void)bytes, (void)pe, (void)stream;
	if (is_fault("dies"))
		raise(SIGKILL);
	return 0;
}

void nvshmemx_quiet_on_stream(cudaStream_t stream)
{
	(void)stream;
}
#endif
