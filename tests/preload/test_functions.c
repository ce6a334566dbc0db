/* SPDX-License-Identifier: MIT */
/* Checks which arguments are kept, and the names by which CUPTI knows the
 * functions. */
#include "preload/cupti/cupti_api.h"

#include "preload/api/functions.h"
#include "tests/unit.h"

#define AT(n) ((void *)(uintptr_t)(n))

static struct xs_event kept(enum xs_function fn, const void *arguments)
{
	struct xs_event event;

	xs_functions[fn].fill(arguments, &event);
	return event;
}

/* Expects what is kept of a call. */
static void keeps(enum xs_function fn, const void *arguments,
		  struct xs_event want)
{
	const struct xs_event e = kept(fn, arguments);

	assert_int_equal(e.dst, want.dst);
	assert_int_equal(e.src, want.src);
	assert_int_equal(e.bytes, want.bytes);
	assert_int_equal(e.rows, want.rows);
	assert_int_equal(e.pitch, want.pitch);
	assert_int_equal(e.slice, want.slice);
	assert_int_equal(e.height, want.height);
	assert_int_equal(e.stream, want.stream);
	assert_int_equal(e.event, want.event);
	assert_int_equal(e.direction, want.direction);
}
#define KEEPS(name, arguments, ...)                                            \
	keeps(XS_FN_##name, arguments, (struct xs_event){__VA_ARGS__})

TEST(copies)
{
	const cuMemcpyHtoDAsync_v2_params in = {0x1000, AT(0x2000), 64,
						AT(0x30)};
	const cuMemcpyDtoH_v2_params out = {AT(0x2000), 0x1000, 32};
	const cuMemcpyPeer_params peer = {
	    .dstDevice = 0x1000, .srcDevice = 0x2000, .ByteCount = 16};

	KEEPS(cuMemcpyHtoDAsync_v2_ptsz, &in, .dst = 0x1000, .src = 0x2000,
	      .bytes = 64, .rows = 1, .stream = 0x30,
	      .direction = cudaMemcpyHostToDevice);
	KEEPS(cuMemcpyDtoH_v2, &out, .dst = 0x2000, .src = 0x1000, .bytes = 32,
	      .rows = 1, .direction = cudaMemcpyDeviceToHost);
	KEEPS(cuMemcpyPeer, &peer, .dst = 0x1000, .src = 0x2000, .bytes = 16,
	      .rows = 1, .direction = cudaMemcpyDeviceToDevice);
}

/* Structs may describe several sources or destinations; only the used one is
 * read. */
TEST(copies_of_rows)
{
	const CUDA_MEMCPY2D in = {.srcMemoryType = CU_MEMORYTYPE_HOST,
				  .srcHost = AT(0x2000),
				  .srcDevice = 99,
				  .srcPitch = 16,
				  .dstMemoryType = CU_MEMORYTYPE_DEVICE,
				  .dstHost = AT(98),
				  .dstDevice = 0x1000,
				  .WidthInBytes = 10,
				  .Height = 4};
	const CUDA_MEMCPY3D any = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
				   .srcArray = AT(0x4000),
				   .srcPitch = 32,
				   .srcHeight = 5,
				   .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
				   .dstDevice = 0x1000,
				   .WidthInBytes = 10,
				   .Height = 4,
				   .Depth = 3};
	const cuMemcpy2DAsync_v2_params rows = {&in, AT(0x30)};
	const cuMemcpy3D_v2_params slices = {&any};

	KEEPS(cuMemcpy2DAsync_v2, &rows, .dst = 0x1000, .src = 0x2000,
	      .bytes = 40, .pitch = 16, .rows = 4, .stream = 0x30,
	      .direction = cudaMemcpyHostToDevice);
	KEEPS(cuMemcpy3D_v2_ptds, &slices, .dst = 0x1000, .src = 0x4000,
	      .bytes = 120, .pitch = 32, .slice = 160, .rows = 12, .height = 4,
	      .direction = cudaMemcpyDefault);
}

TEST(volumes_of_the_runtime)
{
	const struct cudaMemcpy3DParms volume = {
	    .srcPtr = {AT(0x2000), 32, 32, 5},
	    .dstPtr = {AT(0x1000), 16, 16, 4},
	    .extent = {10, 4, 3},
	    .kind = cudaMemcpyHostToDevice};
	const struct cudaMemcpy3DParms *const of_runtime = &volume;

	KEEPS(cudaMemcpy3D, &of_runtime, .dst = 0x1000, .src = 0x2000,
	      .bytes = 120, .pitch = 32, .slice = 160, .rows = 12, .height = 4,
	      .direction = cudaMemcpyHostToDevice);
}

TEST(sets_and_memory)
{
	const cuMemsetD16_v2_params set = {0x1000, 7, 100};
	const cuMemsetD2D32Async_params rows = {0x1000, 512, 7, 8, 2, AT(0x30)};
	CUdeviceptr address = 0x1000;
	size_t pitch = 512;
	const cuMemAllocPitch_v2_params alloc = {&address, &pitch, 500, 3, 4};
	const cuMemFreeAsync_params release = {0x1000, AT(0x30)};

	KEEPS(cuMemsetD16_v2, &set, .dst = 0x1000, .bytes = 200, .rows = 1);
	KEEPS(cuMemsetD2D32Async, &rows, .dst = 0x1000, .bytes = 64, .rows = 2,
	      .stream = 0x30);
	KEEPS(cuMemAllocPitch_v2, &alloc, .dst = 0x1000, .bytes = 1536);
	KEEPS(cuMemFreeAsync_ptsz, &release, .dst = 0x1000, .stream = 0x30);
}

TEST(launches_and_waits)
{
	CUlaunchConfig config = {.hStream = AT(0x30)};
	const cuLaunchKernelEx_params launch = {.config = &config};
	const cuStreamWaitEvent_params wait = {AT(0x30), AT(0x40), 1};
	const cuEventQuery_params query = {AT(0x40)};

	KEEPS(cuLaunchKernelEx, &launch, .stream = 0x30);
	KEEPS(cuStreamWaitEvent_ptsz, &wait, .stream = 0x30, .event = 0x40);
	KEEPS(cuEventQuery, &query, .event = 0x40);
	/* The function has no arguments. */
	KEEPS(cuCtxSynchronize, NULL, .stream = 0);
}

/* Compares our argument structs with CUPTI's where the header has them. */
#define SAME_LAYOUT(ours, theirs, stream_of_theirs)                            \
	_Static_assert(sizeof(struct ours) == sizeof(theirs##_params) &&       \
			   offsetof(struct ours, stream) ==                    \
			       offsetof(theirs##_params, stream_of_theirs),    \
		       #ours " is " #theirs)
#if CUDA_VERSION >= 13000
SAME_LAYOUT(xs_batch_12080, cuMemcpyBatchAsync, hStream);
SAME_LAYOUT(xs_batch, cuMemcpyBatchAsync_v2, hStream);
SAME_LAYOUT(xs_batch, cudaMemcpyBatchAsync_v13000, stream);
SAME_LAYOUT(xs_volumes_12080, cuMemcpy3DBatchAsync, hStream);
SAME_LAYOUT(xs_volumes, cuMemcpy3DBatchAsync_v2, hStream);
SAME_LAYOUT(xs_volumes, cudaMemcpy3DBatchAsync_v13000, stream);
SAME_LAYOUT(xs_prefetch, cuMemPrefetchAsync_v2, hStream);
SAME_LAYOUT(xs_prefetch, cudaMemPrefetchAsync_v12020, stream);
SAME_LAYOUT(xs_prefetch_batch, cuMemPrefetchBatchAsync, hStream);
SAME_LAYOUT(xs_prefetch_batch, cudaMemPrefetchBatchAsync_v13000, stream);
SAME_LAYOUT(xs_capture_to_graph, cuStreamBeginCaptureToGraph, hStream);
SAME_LAYOUT(xs_capture_to_graph, cudaStreamBeginCaptureToGraph_v12030, stream);
#elif CUDA_VERSION >= 12030
SAME_LAYOUT(xs_prefetch_8000, cudaMemPrefetchAsync_v8000, stream);
SAME_LAYOUT(xs_prefetch, cudaMemPrefetchAsync_v2_v12020, stream);
SAME_LAYOUT(xs_prefetch, cuMemPrefetchAsync_v2, hStream);
SAME_LAYOUT(xs_capture_to_graph, cuStreamBeginCaptureToGraph, hStream);
SAME_LAYOUT(xs_capture_to_graph, cudaStreamBeginCaptureToGraph_v12030, stream);
#endif

/* CUDA 12 has one more argument before the stream. */
TEST(batches_of_each_major)
{
	size_t sizes[] = {10, 20, 30};
	const struct xs_batch now = {
	    .sizes = sizes, .count = 3, .stream = AT(0x30)};
	const struct xs_batch_12080 then = {
	    .sizes = sizes, .count = 2, .stream = AT(0x30)};

	KEEPS(cudaMemcpyBatchAsync_v13000, &now, .bytes = 60, .rows = 3,
	      .stream = 0x30, .direction = cudaMemcpyDefault);
	KEEPS(cudaMemcpyBatchAsync_ptsz_v12080, &then, .bytes = 30, .rows = 2,
	      .stream = 0x30, .direction = cudaMemcpyDefault);
	KEEPS(cuMemcpyBatchAsync, &then, .bytes = 30, .rows = 2, .stream = 0x30,
	      .direction = cudaMemcpyDefault);
}

/* The device number became a struct with two members. */
TEST(prefetches_of_each_major)
{
	const struct xs_prefetch_8000 old = {AT(0x1000), 64, 0, AT(0x30)};
	const struct xs_prefetch now = {
	    .devPtr = AT(0x1000), .count = 64, .stream = AT(0x30)};
	const struct {
		const char *name;
		const void *arguments;
	} calls[] = {{"cudaMemPrefetchAsync_v8000", &old},
		     {"cudaMemPrefetchAsync_v2_v12020", &now},
		     {"cudaMemPrefetchAsync_v2_ptsz_v12020", &now},
		     {"cudaMemPrefetchAsync_v12020", &now},
		     {"cuMemPrefetchAsync_v2", &now}};

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		enum xs_function fn = xs_function_by_cupti_name(calls[i].name);

		assert_int_not_equal(fn, XS_FN_COUNT);
		keeps(fn, calls[i].arguments,
		      (struct xs_event){.dst = 0x1000,
					.bytes = 64,
					.rows = 1,
					.stream = 0x30,
					.direction = cudaMemcpyDefault});
	}
}
