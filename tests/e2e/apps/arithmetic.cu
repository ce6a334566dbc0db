/* SPDX-License-Identifier: MIT */
/* Compares the results of the simulated device's interpreter with the
 * host's. */
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

static const int count = 1000; /* not a multiple of a warp */

__host__ __device__ static uint64_t integers(int i)
{
	const int32_t a = i * 7919 - 300000, b = i % 37 - 18;
	const uint32_t u = (uint32_t)a, v = (uint32_t)(i % 29 + 1);
	const int64_t l = (int64_t)a * 123456789, m = b ? b : 5;
	uint64_t r = 17;

	r = r * 31 + (uint64_t)(a / (b ? b : 3)) + (uint64_t)(a % (b ? b : 3));
	r = r * 31 + u / v + u % v;
	r = r * 31 + (uint64_t)(l / m) + (uint64_t)(l % m);
	r = r * 31 + (uint64_t)l / v + (uint64_t)l % v;
	r = r * 31 + (uint64_t)(a < b ? a : b) + (uint64_t)(a > b ? a : b);
	r = r * 31 + (uint64_t)(a >> (i % 31)) + (u >> (i % 31)) +
	    (uint64_t)(u << (i % 31));
	r = r * 31 + (uint64_t)(l >> (i % 63)) + ((uint64_t)l << (i % 63));
	r = r * 31 + (uint64_t)(int8_t)a + (uint8_t)a + (uint64_t)(int16_t)a +
	    (uint16_t)a;
	r = r * 31 + (uint64_t)(-a) + (uint64_t)(~a) + (uint64_t)abs(b);
	r = r * 31 + (uint64_t)((a ^ b) & (a | 0x0f0f0f0f));
	return r;
}

__host__ __device__ static double reals(int i)
{
	const float x = (float)i * 0.37f - 100.f;
	const double y = (double)i / 3 - 50;
	double r;

	r = (double)(int)x + (double)(unsigned)fabsf(x) + (double)(float)y;
	r += (double)(long long)(y * 1e6) + floor(y) + ceil(y) + trunc(y);
	r += (double)fminf(x, 3.f) + fmax(y, -7.0) + (double)sqrtf(fabsf(x));
	r += sqrt(fabs(y)) + y / 7 + (double)(x > 0 ? x : -x);
	r += x == x && !(y < -49.9) ? 1 : 2;
	return r;
}

__global__ void compute(uint64_t *whole, double *real, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n) {
		whole[i] = integers(i);
		real[i] = reals(i);
	}
}

/* Lanes leave their loop at different times; bytes and shorts in memory. */
__global__ void diverge(uint8_t *steps, int16_t *low, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int at = i + 1, s = 0;

	if (i >= n)
		return;
	while (at != 1) {
		at = at % 2 ? 3 * at + 1 : at / 2;
		s++;
	}
	steps[i] = (uint8_t)s;
	low[i] = (int16_t)(i * -5);
}

/* Shared memory, static and dynamic, barriers, an atomic. */
__global__ void reduce(const uint8_t *in, int n, int *total)
{
	__shared__ int part[256];
	extern __shared__ int copy[];
	int t = threadIdx.x, sum = 0;

	for (int i = blockIdx.x * blockDim.x + t; i < n;
	     i += gridDim.x * blockDim.x)
		sum += in[i];
	copy[t] = sum;
	__syncthreads();
	part[t] = copy[blockDim.x - 1 - t];
	__syncthreads();
	for (int step = blockDim.x / 2; step > 0; step /= 2) {
		if (t < step)
			part[t] += part[t + step];
		__syncthreads();
	}
	if (t == 0)
		atomicAdd(total, part[0]);
}

__constant__ float4 weights;
__device__ int offsets[3] = {10, 20, 30};
struct point {
	short x;
	double y;
};

/* Vector loads, constants, initialised variables, parameters by value, local
 * arrays that stay in memory. */
__global__ void gather(const float4 *in, float *out, struct point p, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float local[8];

	if (i >= n)
		return;
	for (int k = 0; k < 8; k++)
		local[(k + i) % 8] = (float)k;
	out[i] = in[i].x * weights.x + in[i].w * weights.w + local[i % 5] +
		 (float)offsets[i % 3] + p.x + (float)p.y;
}

static int check_computed(uint64_t *dev_whole, double *dev_real)
{
	static uint64_t whole[count];
	static double real[count];
	int bad = 0;

	compute<<<4, 256>>>(dev_whole, dev_real, count);
	cudaMemcpy(whole, dev_whole, sizeof(whole), cudaMemcpyDefault);
	cudaMemcpy(real, dev_real, sizeof(real), cudaMemcpyDefault);
	for (int i = 0; i < count; i++) {
		bad += whole[i] != integers(i);
		bad += fabs(real[i] - reals(i)) > 1e-9 * fabs(reals(i));
	}
	return bad;
}

static int check_diverged(uint8_t *dev_steps, int16_t *dev_low, int *dev_total)
{
	static uint8_t steps[count];
	static int16_t low[count];
	int bad = 0, sum = 0, total = -1;

	diverge<<<dim3(4, 1, 1), dim3(256, 1, 1)>>>(dev_steps, dev_low, count);
	cudaMemset(dev_total, 0, sizeof(int));
	reduce<<<2, 256, 256 * sizeof(int)>>>(dev_steps, count, dev_total);
	cudaMemcpy(steps, dev_steps, sizeof(steps), cudaMemcpyDefault);
	cudaMemcpy(low, dev_low, sizeof(low), cudaMemcpyDefault);
	cudaMemcpy(&total, dev_total, sizeof(total), cudaMemcpyDefault);
	for (int i = 0; i < count; i++) {
		int s = 0;

		for (int at = i + 1; at != 1; s++)
			at = at % 2 ? 3 * at + 1 : at / 2;
		bad += steps[i] != (uint8_t)s;
		bad += low[i] != (int16_t)(i * -5);
		sum += (uint8_t)s;
	}
	return bad + (total != sum);
}

static int check_gathered(float4 *dev_in, float *dev_out)
{
	static float4 in[count];
	static float out[count];
	const float4 w = {2, 0, 0, 3};
	const struct point p = {4, 0.5};
	int bad = 0;

	for (int i = 0; i < count; i++)
		in[i] = make_float4((float)i, 0, 0, 1);
	cudaMemcpyToSymbol(weights, &w, sizeof(w));
	cudaMemcpy(dev_in, in, sizeof(in), cudaMemcpyDefault);
	gather<<<8, 128>>>(dev_in, dev_out, p, count);
	cudaMemcpy(out, dev_out, sizeof(out), cudaMemcpyDefault);
	for (int i = 0; i < count; i++) {
		float want = (float)i * 2 + 3 +
			     (float)((i % 5 - i % 8 + 8) % 8) +
			     (float)(10 * (i % 3 + 1)) + 4.5f;

		bad += out[i] != want;
	}
	return bad;
}

int main(void)
{
	char *dev = NULL;
	int computed, diverged, gathered;

	if (cudaMalloc((void **)&dev, 1 << 20) != cudaSuccess)
		return 2;
	computed = check_computed((uint64_t *)dev, (double *)(dev + 65536));
	diverged = check_diverged((uint8_t *)dev, (int16_t *)(dev + 65536),
				  (int *)(dev + 131072));
	gathered = check_gathered((float4 *)dev, (float *)(dev + 65536));
	printf("computed %d, diverged %d, gathered %d wrong: %s\n", computed,
	       diverged, gathered, cudaGetErrorString(cudaGetLastError()));
	return computed + diverged + gathered != 0;
}
