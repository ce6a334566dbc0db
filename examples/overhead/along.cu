/* SPDX-License-Identifier: MIT */
/*
 * Measures an empty launch along a run: prints the mean ns of each GROUP
 * launches, and at the end a line of JSON:
 *
 * 	begin_ns	by how much the first tenth of the run took longer
 * 			than the second: the one-time cost
 * 	mean_ns		per launch, mean of the whole run
 * 	through_ns	per launch in the second half, where every other batch
 * 			calls the preloaded library
 * 	past_ns		and the others call the CUDA runtime directly
 *
 * The last two are 10th percentiles of their batches: other load on the host's
 * cores comes in spells of up to a second, in which a launch takes 10 to 50 %
 * longer. Their difference is the cost of the preloaded library, without the
 * differences between two runs. There is no direct call if the runtime is
 * linked into the program.
 *
 * 	along LAUNCHES
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

/* Returns NULL if the runtime is linked into the program. */
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

static double mean(const std::vector<double> &values, size_t from, size_t to)
{
	return std::accumulate(values.begin() + (long)from,
			       values.begin() + (long)to, 0.0) /
	       (double)(to - from);
}

static double tenth_of(std::vector<double> values)
{
	std::sort(values.begin(), values.end());
	return values[values.size() / 10];
}

/* Prints the first half's batches, and the second half's by their path. */
static void print_times(const std::vector<double> &first,
			const std::vector<double> &through,
			const std::vector<double> &past)
{
	const size_t tenth = first.size() / 5;

	printf(
	    "{\"along\": {\"begin_ns\": %.0f, \"mean_ns\": %.1f, "
	    "\"through_ns\": %.1f",
	    (mean(first, 0, tenth) - mean(first, tenth, 2 * tenth)) *
		(double)tenth * (double)batch,
	    (mean(first, 0, first.size()) + mean(through, 0, through.size())) /
		2,
	    tenth_of(through));
	if (!past.empty())
		printf(", \"past_ns\": %.1f", tenth_of(past));
	printf("}}\n");
}

int main(int argc, char **argv)
{
	const long launches =
	    argc == 2 ? parse_count(argv[1], "launches") / group * group : 0;
	/* the program's import, which a preloaded library replaces */
	const launch_function launch = cudaLaunchKernel, past = runtimes_own();
	std::vector<double> first, second[2];
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

		(done < launches / 2 ? first : second[goes_past]).push_back(ns);
		sum_ns += ns;
		if ((done + batch) % group == 0) {
			printf("%10ld%8.0f\n", done + batch,
			       sum_ns * (double)batch / (double)group);
			sum_ns = 0;
		}
	}
	CHECK(cudaGetLastError());
	print_times(first, second[0], second[1]);
	CHECK(cudaStreamDestroy(stream));
	return 0;
}
