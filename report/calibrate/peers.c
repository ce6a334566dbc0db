/* SPDX-License-Identifier: MIT */
/*
 * Copies between two GPUs, both ways in turn: through the host, and direct
 * after each may access the other's memory. The other GPU is the one with the
 * lowest number but this one.
 */
#include "report/calibrate/bench.h"

/* Of each buffer: a link faster than PCIe needs more for a slope. */
#define PEER_BYTES (64 * XS_MIB)
#define SIZES	   9

/* Two GPUs, each with a stream for copies from it: 0 is the bench's. A copy
 * from the other GPU in a stream of the bench's would take longer. */
struct pair {
	int other; /* device */
	xs_cuda_context context[2];
	xs_cuda_address memory[2];
	xs_cuda_stream stream[2];
	xs_cuda_event start[2], end[2];
};

/* Sets the device number. Returns false if there is one GPU. */
static bool find_other(struct xs_cuda_device *gpu, int *other)
{
	int count = 0;

	XS_CUDA(gpu, cuDeviceGetCount, &count);
	for (int i = 0; i < count && i < 2; i++) {
		XS_CUDA(gpu, cuDeviceGet, other, i);
		if (*other != gpu->device)
			return !xs_cuda_failed(gpu);
	}
	return false;
}

static void open_pair(struct xs_bench *bench, struct pair *pair)
{
	struct xs_cuda_device *gpu = &bench->gpu;

	pair->context[0] = gpu->context;
	XS_CUDA(gpu, cuDevicePrimaryCtxRetain, &pair->context[1], pair->other);
	for (int i = 1; i >= 0; i--) {
		XS_CUDA(gpu, cuCtxSetCurrent, pair->context[i]);
		XS_CUDA(gpu, cuMemAlloc, &pair->memory[i], PEER_BYTES);
		XS_CUDA(gpu, cuStreamCreate, &pair->stream[i],
			XS_CUDA_STREAM_NON_BLOCKING);
		XS_CUDA(gpu, cuEventCreate, &pair->start[i],
			XS_CUDA_EVENT_DEFAULT);
		XS_CUDA(gpu, cuEventCreate, &pair->end[i],
			XS_CUDA_EVENT_DEFAULT);
	}
}

/* Also after a failure. */
static void close_pair(struct xs_bench *bench, const struct pair *pair)
{
	const struct xs_cuda_api *api = &bench->gpu.api;

	for (int i = 1; i >= 0; i--) {
		if (!pair->context[i])
			continue;
		api->cuCtxSetCurrent(pair->context[i]);
		if (pair->end[i])
			api->cuEventDestroy(pair->end[i]);
		if (pair->start[i])
			api->cuEventDestroy(pair->start[i]);
		if (pair->stream[i])
			api->cuStreamDestroy(pair->stream[i]);
		if (pair->memory[i])
			api->cuMemFree(pair->memory[i]);
	}
	if (pair->context[1])
		api->cuDevicePrimaryCtxRelease(pair->other);
}

/* Lets each GPU access the other's memory, or not. Returns false if it
 * cannot. */
static bool allow_access(struct xs_cuda_device *gpu, const struct pair *pair,
			 bool allow)
{
	int can[2] = {0};

	XS_CUDA(gpu, cuDeviceCanAccessPeer, &can[0], gpu->device, pair->other);
	XS_CUDA(gpu, cuDeviceCanAccessPeer, &can[1], pair->other, gpu->device);
	if (!can[0] || !can[1])
		return false;
	for (int i = 1; i >= 0; i--) {
		XS_CUDA(gpu, cuCtxSetCurrent, pair->context[i]);
		if (allow)
			XS_CUDA(gpu, cuCtxEnablePeerAccess,
				pair->context[1 - i], 0);
		else
			XS_CUDA(gpu, cuCtxDisablePeerAccess,
				pair->context[1 - i]);
	}
	return !xs_cuda_failed(gpu);
}

/* GPU time of a copy from GPU `way`, between two events. */
static double peer_ns(struct xs_bench *bench, const struct pair *pair, int way,
		      size_t bytes)
{
	struct xs_cuda_device *gpu = &bench->gpu;
	xs_cuda_stream stream = pair->stream[way];

	XS_CUDA(gpu, cuCtxSetCurrent, pair->context[way]);
	XS_CUDA(gpu, cuEventRecord, pair->start[way], stream);
	XS_CUDA(gpu, cuMemcpyPeerAsync, pair->memory[!way], pair->context[!way],
		pair->memory[way], pair->context[way], bytes, stream);
	XS_CUDA(gpu, cuEventRecord, pair->end[way], stream);
	XS_CUDA(gpu, cuEventSynchronize, pair->end[way]);
	return xs_cuda_elapsed_ns(gpu, pair->start[way], pair->end[way]);
}

/* As xs_bench_latency() and xs_bench_bandwidth(). */
static void measure_line(struct xs_bench *bench, const struct pair *pair,
			 enum xs_param_id latency, enum xs_param_id byte)
{
	struct xs_samples ones = {0}, slopes = {0};
	struct xs_repeats repeats = xs_bench_repeats(20);
	double bytes[SIZES], ns[SIZES];

	for (int way = 0; way < 2; way++)
		peer_ns(bench, pair, way, PEER_BYTES);
	while (xs_bench_repeat(&repeats)) {
		const int way = repeats.done % 2;

		for (int i = 0; i < SIZES; i++) {
			const size_t size = PEER_BYTES >> (SIZES - 1 - i);

			bytes[i] = (double)size;
			ns[i] = peer_ns(bench, pair, way, size);
			xs_samples_add(&ones, peer_ns(bench, pair, way, 1));
		}
		xs_samples_add(&slopes, xs_stats_fit(bytes, ns, SIZES).slope);
	}
	xs_bench_set(bench, latency, &ones);
	xs_bench_set(bench, byte, &slopes);
}

void xs_bench_peers(struct xs_bench *bench)
{
	struct xs_cuda_device *gpu = &bench->gpu;
	struct pair pair = {0};

	if (!gpu->api.cuMemcpyPeerAsync || !gpu->api.cuDeviceCanAccessPeer ||
	    !gpu->api.cuCtxEnablePeerAccess ||
	    !gpu->api.cuCtxDisablePeerAccess || !find_other(gpu, &pair.other))
		return;
	open_pair(bench, &pair);
	measure_line(bench, &pair, XS_PARAM_lo_staged_ns, XS_PARAM_G_staged);
	if (allow_access(gpu, &pair, true)) {
		measure_line(bench, &pair, XS_PARAM_lo_peer_ns,
			     XS_PARAM_G_peer);
		allow_access(gpu, &pair, false);
	}
	close_pair(bench, &pair);
}
