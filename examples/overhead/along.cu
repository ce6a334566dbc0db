/* SPDX-License-Identifier: MIT */
/*
 * What an empty launch costs along a run: its mean ns in each GROUP launches,
 * and last, as a line of JSON:
 *
 *   begin_ns    how much longer the first half of the run took than it had, had
 *               each launch taken as long as in the last third of that half:
 *               what a run pays once;
 *   through_ns  the median of a launch in the second half; there each other
 *               batch goes past whatever is preloaded, to the CUDA runtime
 *   past_ns     itself: theirs. The difference is what a call passes through,
 *               free of what differs between two runs. Not where the runtime
 *               is linked into the program.
 *
 *	along LAUNCHES
 */
#include "../measure.h"

#include <algorithm>
#include <dlfcn.h>
#include <numeric>
#include <vector>

typedef cudaError_t (*launch_function)(const void *, dim3, dim3, void **,
				       size_t, cudaStream_t);

/* Launches between two synchronisations, and of a line of the output. */
static const long batch = 500, group = 10000;

__global__ void empty_kernel(void)
{
}

/* NULL: there is none but in the program itself. */
static launch_function runtimes_own(void)
{
	char name[32];
	void *runtime;

	snprintf(name, sizeof(name), "libcudart.so.%d", CUDART_VERSION / 1000);
	runtime = dlopen(name, RTLD_NOW | RTLD_NOLOAD);
	return runtime ? (launch_function)dlsym(runtime, "cudaLaunchKernel")
		       : NULL;
}

/* Mean ns of a launch of a batch. */
static double issue(launch_function launch, cudaStream_t stream)
{
	const double begin_ns = now_ns();
	double took_ns;

	for (long i = 0; i < batch; i++)
		launch((const void *)empty_kernel, dim3(1), dim3(1), NULL, 0,
		       stream);
	took_ns = now_ns() - begin_ns;
	CHECK(cudaStreamSynchronize(stream));
	return took_ns / (double)batch;
}

static double median(std::vector<double> values)
{
	std::sort(values.begin(), values.end());
	return values[values.size() / 2];
}

/* Of the batches of the first half. */
static double begin_ns(const std::vector<double> &batches)
{
	const size_t settled = batches.size() / 3 * 2;
	const double each = std::accumulate(batches.begin() + (long)settled,
					    batches.end(), 0.0) /
			    (double)(batches.size() - settled);
	double sum = 0;

	for (double ns : batches)
		sum += ns - each;
	return sum * (double)batch;
}

int main(int argc, char **argv)
{
	const long launches =
	    argc == 2 ? parse_count(argv[1], "launches") / group * group : 0;
	/* the program's import, which a preloaded library takes */
	const launch_function launch = cudaLaunchKernel, past = runtimes_own();
	std::vector<double> first, both[2];
	cudaStream_t stream;
	double sum_ns = 0;

	if (launches == 0) {
		fprintf(stderr, "usage: along LAUNCHES, %ld or more\n", group);
		return 2;
	}
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	for (long done = 0; done < launches; done += batch) {
		const bool goes_past =
		    past && done >= launches / 2 && done / batch % 2;
		const double ns = issue(goes_past ? past : launch, stream);

		(done < launches / 2 ? first : both[goes_past]).push_back(ns);
		sum_ns += ns;
		if ((done + batch) % group == 0) {
			printf("%10ld%8.0f\n", done + batch,
			       sum_ns * (double)batch / (double)group);
			sum_ns = 0;
		}
	}
	CHECK(cudaGetLastError());
	printf("{\"along\": {\"begin_ns\": %.0f, \"through_ns\": %.1f",
	       begin_ns(first), median(both[0]));
	if (past)
		printf(", \"past_ns\": %.1f", median(both[1]));
	printf("}}\n");
	CHECK(cudaStreamDestroy(stream));
	return 0;
}
