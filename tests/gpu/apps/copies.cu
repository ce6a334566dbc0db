/* SPDX-License-Identifier: MIT */
/*
 * Every kind of copy there is, one a run: `copies MODE`. It checks what it
 * copied and prints what a trace of it must hold: "expect", with the bytes in
 * and out and, where every call is known to be one op, the ops.
 */
#include "examples/common.h"

#define WIDTH  ((size_t)256) /* ints of a row */
#define HEIGHT ((size_t)64)
#define DEPTH  ((size_t)4)
#define ROW    (WIDTH * sizeof(int))
#define PLANE  (ROW * HEIGHT)
#define TIMES  10

static __device__ int table[WIDTH];

static int *host_ints(size_t count, int first)
{
	void *memory = NULL;

	CHECK(cudaMallocHost(&memory, count * sizeof(int)));
	for (size_t i = 0; i < count; i++)
		((int *)memory)[i] = first + (int)i;
	return (int *)memory;
}

static int finish(const char *mode, const int *from, const int *to,
		  size_t count, size_t in_bytes, size_t out_bytes, int ops)
{
	int wrong = memcmp(from, to, count * sizeof(int)) != 0;

	printf("copies %s: %s\n", mode, wrong ? "WRONG" : "ok");
	printf("expect h2d=%zu d2h=%zu", in_bytes, out_bytes);
	if (ops > 0)
		printf(" ops=%d", ops);
	printf("\n");
	return wrong;
}

/* Rows of a wider buffer, in and out. */
static int copy_2d(bool async)
{
	const size_t host_pitch = 2 * ROW;
	int *from = host_ints(2 * WIDTH * HEIGHT, 1);
	int *to = host_ints(2 * WIDTH * HEIGHT, 1);
	void *device;
	size_t pitch;

	CHECK(cudaMallocPitch(&device, &pitch, ROW, HEIGHT));
	for (size_t row = 0; row < HEIGHT; row++)
		memset(to + row * 2 * WIDTH, 0, ROW);
	for (int i = 0; i < TIMES; i++) {
		if (async) {
			CHECK(cudaMemcpy2DAsync(device, pitch, from, host_pitch,
						ROW, HEIGHT,
						cudaMemcpyHostToDevice, 0));
			CHECK(cudaMemcpy2DAsync(to, host_pitch, device, pitch,
						ROW, HEIGHT,
						cudaMemcpyDeviceToHost, 0));
			CHECK(cudaStreamSynchronize(0));
		} else {
			CHECK(cudaMemcpy2D(device, pitch, from, host_pitch, ROW,
					   HEIGHT, cudaMemcpyHostToDevice));
			CHECK(cudaMemcpy2D(to, host_pitch, device, pitch, ROW,
					   HEIGHT, cudaMemcpyDeviceToHost));
		}
	}
	return finish(async ? "2d-async" : "2d", from, to, 2 * WIDTH * HEIGHT,
		      TIMES * PLANE, TIMES * PLANE, 2 * TIMES);
}

static void copy_3d_once(cudaPitchedPtr to, cudaPitchedPtr from,
			 cudaMemcpyKind kind)
{
	cudaMemcpy3DParms copy = {};

	copy.srcPtr = from;
	copy.dstPtr = to;
	copy.extent = make_cudaExtent(ROW, HEIGHT, DEPTH);
	copy.kind = kind;
	CHECK(cudaMemcpy3D(&copy));
}

static int copy_3d(void)
{
	const size_t count = WIDTH * HEIGHT * DEPTH;
	int *from = host_ints(count, 1), *to = host_ints(count, 0);
	void *device;
	size_t pitch;

	CHECK(cudaMallocPitch(&device, &pitch, ROW, HEIGHT * DEPTH));
	for (int i = 0; i < TIMES; i++) {
		cudaPitchedPtr middle =
		    make_cudaPitchedPtr(device, pitch, ROW, HEIGHT);

		copy_3d_once(middle,
			     make_cudaPitchedPtr(from, ROW, ROW, HEIGHT),
			     cudaMemcpyHostToDevice);
		copy_3d_once(make_cudaPitchedPtr(to, ROW, ROW, HEIGHT), middle,
			     cudaMemcpyDeviceToHost);
	}
	return finish("3d", from, to, count, TIMES * count * sizeof(int),
		      TIMES * count * sizeof(int), 2 * TIMES);
}

/* The direction is for CUDA to find out. */
static int copy_default(void)
{
	int *from = host_ints(WIDTH, 1), *to = host_ints(WIDTH, 0);
	void *a, *b;

	CHECK(cudaMalloc(&a, ROW));
	CHECK(cudaMalloc(&b, ROW));
	for (int i = 0; i < TIMES; i++) {
		CHECK(cudaMemcpy(a, from, ROW, cudaMemcpyDefault));
		CHECK(cudaMemcpy(b, a, ROW, cudaMemcpyDefault));
		CHECK(cudaMemcpy(to, b, ROW, cudaMemcpyDefault));
	}
	return finish("default", from, to, WIDTH, TIMES * ROW, TIMES * ROW,
		      3 * TIMES);
}

static int copy_symbol(void)
{
	int *from = host_ints(WIDTH, 1), *to = host_ints(WIDTH, 0);

	for (int i = 0; i < TIMES; i++) {
		CHECK(cudaMemcpyToSymbol(table, from, ROW));
		CHECK(cudaMemcpyFromSymbol(to, table, ROW));
	}
	return finish("symbol", from, to, WIDTH, TIMES * ROW, TIMES * ROW,
		      2 * TIMES);
}

static int copy_array(void)
{
	const size_t count = WIDTH * HEIGHT;
	const cudaChannelFormatDesc ints = cudaCreateChannelDesc<int>();
	int *from = host_ints(count, 1), *to = host_ints(count, 0);
	cudaArray_t array;

	CHECK(cudaMallocArray(&array, &ints, WIDTH, HEIGHT));
	for (int i = 0; i < TIMES; i++) {
		CHECK(cudaMemcpy2DToArray(array, 0, 0, from, ROW, ROW, HEIGHT,
					  cudaMemcpyHostToDevice));
		CHECK(cudaMemcpy2DFromArray(to, ROW, array, 0, 0, ROW, HEIGHT,
					    cudaMemcpyDeviceToHost));
	}
	return finish("array", from, to, count, TIMES * PLANE, TIMES * PLANE,
		      2 * TIMES);
}

/* To another device where there is one, else to the same. */
static int copy_peer(void)
{
	int *from = host_ints(WIDTH, 1), *to = host_ints(WIDTH, 0);
	int devices = 0, other;
	void *a, *b;

	CHECK(cudaGetDeviceCount(&devices));
	other = devices > 1 ? 1 : 0;
	CHECK(cudaMalloc(&a, ROW));
	CHECK(cudaSetDevice(other));
	CHECK(cudaMalloc(&b, ROW));
	CHECK(cudaMemcpy(a, from, ROW, cudaMemcpyHostToDevice));
	for (int i = 0; i < TIMES; i++)
		CHECK(cudaMemcpyPeer(b, other, a, 0, ROW));
	CHECK(cudaMemcpy(to, b, ROW, cudaMemcpyDeviceToHost));
	return finish("peer", from, to, WIDTH, ROW, ROW, 0);
}

#if CUDART_VERSION >= 13000
/* Copies of several buffers by one call. */
static int copy_batch(void)
{
	const size_t count = 8;
	int *from = host_ints(count * WIDTH, 1),
	    *to = host_ints(count * WIDTH, 0);
	const void *in_to[count], *in_from[count], *out_to[count];
	size_t sizes[count], first = 0;
	cudaMemcpyAttributes attributes = {};
	cudaStream_t stream;
	void *device;

	CHECK(cudaMalloc(&device, count * ROW));
	CHECK(cudaStreamCreate(&stream));
	for (size_t i = 0; i < count; i++) {
		in_to[i] = (char *)device + i * ROW;
		in_from[i] = from + i * WIDTH;
		out_to[i] = to + i * WIDTH;
		sizes[i] = ROW;
	}
	attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
	for (int i = 0; i < TIMES; i++) {
		CHECK(cudaMemcpyBatchAsync(in_to, in_from, sizes, count,
					   &attributes, &first, 1, stream));
		CHECK(cudaMemcpyBatchAsync(out_to, in_to, sizes, count,
					   &attributes, &first, 1, stream));
		CHECK(cudaStreamSynchronize(stream));
	}
	return finish("batch", from, to, count * WIDTH, TIMES * count * ROW,
		      TIMES * count * ROW, 0);
}
#else
static int copy_batch(void)
{
	printf("copies batch: not in this CUDA\n");
	return 77;
}
#endif

static int copy_2d_sync(void)
{
	return copy_2d(false);
}

static int copy_2d_async(void)
{
	return copy_2d(true);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} modes[] = {
	    {"2d", copy_2d_sync},    {"2d-async", copy_2d_async},
	    {"3d", copy_3d},	     {"default", copy_default},
	    {"symbol", copy_symbol}, {"array", copy_array},
	    {"peer", copy_peer},     {"batch", copy_batch},
	};

	for (const auto &mode : modes)
		if (argc > 1 && strcmp(argv[1], mode.name) == 0)
			return mode.run();
	fprintf(stderr, "copies: which copy?\n");
	return 1;
}
