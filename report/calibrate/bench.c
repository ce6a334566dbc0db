/* SPDX-License-Identifier: MIT */
#include "report/calibrate/bench.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double xs_bench_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

void xs_bench_expect_answer(void)
{
	alarm(XS_BENCH_ANSWER_SECONDS);
}

/* Keeps clocks and link busy for a while, since both speed up under load. */
static void warm_up(struct xs_bench *bench)
{
	struct xs_cuda_device *gpu = &bench->gpu;
	double end = xs_bench_now_ns() + 3e8;

	while (!xs_cuda_failed(gpu) && xs_bench_now_ns() < end) {
		for (int way = 0; way < XS_BENCH_WAYS; way++)
			xs_bench_copy_async(bench, way, 0, XS_BENCH_BYTES / 4,
					    bench->stream[way]);
		xs_cuda_sweep(gpu, XS_KERNEL_COPY, bench->device[XS_BENCH_OUT],
			      bench->device[XS_BENCH_IN], XS_BENCH_BYTES / 8,
			      bench->sweep_blocks, bench->stream[2]);
		XS_CUDA(gpu, cuCtxSynchronize);
	}
}

/* Doubles the size until one item takes longer than this. */
#define LARGE_NS 4e6

/* Returns the smallest power of two from 1 MiB for which one item takes long
 * enough, or the largest size. */
static size_t large_size(struct xs_bench *bench, bool mapped, size_t most)
{
	struct xs_cuda_device *gpu = &bench->gpu;
	size_t bytes = XS_MIB;
	double start, ns = 0;

	for (;; bytes *= 2) {
		start = xs_bench_now_ns();
		if (mapped)
			xs_cuda_sweep(gpu, XS_KERNEL_COPY,
				      bench->mapped[XS_BENCH_OUT],
				      bench->mapped[XS_BENCH_IN], bytes,
				      bench->sweep_blocks, bench->stream[0]);
		else
			xs_bench_copy_async(bench, XS_BENCH_IN, 0, bytes,
					    bench->stream[0]);
		XS_CUDA(gpu, cuCtxSynchronize);
		ns = xs_bench_now_ns() - start;
		if (bytes == most || ns > LARGE_NS || xs_cuda_failed(gpu))
			return bytes;
	}
}

static void take_memory(struct xs_bench *bench)
{
	struct xs_cuda_device *gpu = &bench->gpu;
	void *flag = NULL;

	bench->pageable = malloc(XS_BENCH_BYTES);
	if (bench->pageable == NULL) {
		xs_cuda_fail(gpu, "cannot allocate host buffers of 256 MiB");
		return;
	}
	memset(bench->pageable, 1, XS_BENCH_BYTES);
	for (int way = 0; way < XS_BENCH_WAYS; way++) {
		XS_CUDA(gpu, cuMemHostAlloc, &bench->pinned[way],
			XS_BENCH_BYTES, XS_CUDA_HOST_MAPPED);
		XS_CUDA(gpu, cuMemHostGetDevicePointer, &bench->mapped[way],
			bench->pinned[way], 0);
		XS_CUDA(gpu, cuMemAlloc, &bench->device[way], XS_BENCH_BYTES);
		if (!xs_cuda_failed(gpu))
			memset(bench->pinned[way], 1, XS_BENCH_BYTES);
	}
	XS_CUDA(gpu, cuMemHostAlloc, &flag, XS_BENCH_FLAG_BYTES,
		XS_CUDA_HOST_MAPPED);
	XS_CUDA(gpu, cuMemHostGetDevicePointer, &bench->flag_address, flag, 0);
	bench->flag = flag;
	if (flag != NULL)
		memset(flag, 0, XS_BENCH_FLAG_BYTES);
}

int xs_bench_open(struct xs_bench *bench)
{
	struct xs_cuda_device *gpu = &bench->gpu;

	bench->cycles_per_ns = xs_cuda_attribute(gpu, XS_CUDA_CLOCK_KHZ) / 1e6;
	bench->sweep_blocks =
	    (unsigned)xs_cuda_attribute(gpu, XS_CUDA_SM_COUNT) * 8;
	if (bench->cycles_per_ns <= 0 || bench->sweep_blocks == 0)
		xs_cuda_fail(gpu, "the driver reports no clock or SM count");
	take_memory(bench);
	for (int i = 0; i < XS_BENCH_STREAMS; i++)
		XS_CUDA(gpu, cuStreamCreate, &bench->stream[i],
			XS_CUDA_STREAM_NON_BLOCKING);
	for (int i = 0; i < XS_BENCH_EVENTS; i++)
		XS_CUDA(gpu, cuEventCreate, &bench->event[i],
			XS_CUDA_EVENT_DEFAULT);
	for (int i = 0; i < 2; i++)
		XS_CUDA(gpu, cuEventCreate, &bench->order[i],
			XS_CUDA_EVENT_NO_TIMING);
	warm_up(bench);
	bench->copy_bytes = large_size(bench, false, XS_BENCH_BYTES);
	bench->mapped_bytes = large_size(bench, true, XS_BENCH_BYTES / 2);
	return xs_cuda_failed(gpu) ? -EIO : 0;
}

void xs_bench_close(struct xs_bench *bench)
{
	const struct xs_cuda_api *api = &bench->gpu.api;

	/* may be called after a failure: results are ignored */
	for (int i = 0; i < 2; i++)
		if (bench->order[i] != NULL)
			api->cuEventDestroy(bench->order[i]);
	for (int i = 0; i < XS_BENCH_EVENTS; i++)
		if (bench->event[i] != NULL)
			api->cuEventDestroy(bench->event[i]);
	for (int i = 0; i < XS_BENCH_STREAMS; i++)
		if (bench->stream[i] != NULL)
			api->cuStreamDestroy(bench->stream[i]);
	for (int way = 0; way < XS_BENCH_WAYS; way++) {
		if (bench->device[way] != 0)
			api->cuMemFree(bench->device[way]);
		if (bench->pinned[way] != NULL)
			api->cuMemFreeHost(bench->pinned[way]);
	}
	if (bench->flag != NULL)
		api->cuMemFreeHost((void *)(uintptr_t)bench->flag);
	free(bench->pageable);
}

void xs_bench_begin(struct xs_bench *bench, xs_cuda_stream stream)
{
	XS_CUDA(&bench->gpu, cuEventRecord, bench->event[0], stream);
}

double xs_bench_end_ns(struct xs_bench *bench, xs_cuda_stream stream)
{
	XS_CUDA(&bench->gpu, cuEventRecord, bench->event[1], stream);
	XS_CUDA(&bench->gpu, cuEventSynchronize, bench->event[1]);
	return xs_cuda_elapsed_ns(&bench->gpu, bench->event[0],
				  bench->event[1]);
}

void xs_bench_copy_async(struct xs_bench *bench, int way, size_t offset,
			 size_t bytes, xs_cuda_stream stream)
{
	unsigned char *host = (unsigned char *)bench->pinned[way] + offset;
	xs_cuda_address device = bench->device[way] + offset;

	if (way == XS_BENCH_IN)
		XS_CUDA(&bench->gpu, cuMemcpyHtoDAsync, device, host, bytes,
			stream);
	else
		XS_CUDA(&bench->gpu, cuMemcpyDtoHAsync, host, device, bytes,
			stream);
}
