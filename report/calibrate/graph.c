/* SPDX-License-Identifier: MIT */
/* Graphs of dependent kernels: host time to make and launch them, and the time
 * between their kernels. */
#include "report/calibrate/bench.h"

#include <math.h>

/* Graphs of 1, 2, 4, ... 64 kernels. */
#define SIZES	7
#define SPIN_NS 5000.0 /* of each kernel */

struct graph_times {
	double instantiate_ns, launch_ns; /* of the host */
	double gpu_ns;			  /* between events around the launch */
};

static bool has_graphs(const struct xs_cuda_device *gpu)
{
	const struct xs_cuda_api *api = &gpu->api;

	return api->cuStreamBeginCapture && api->cuStreamEndCapture &&
	       api->cuGraphInstantiateWithFlags && api->cuGraphLaunch &&
	       api->cuGraphExecDestroy && api->cuGraphDestroy;
}

/* Captures kernels that spin; the last one writes to the flag. */
static xs_cuda_graph capture(struct xs_bench *bench, int kernels,
			     double spin_ns)
{
	const uint64_t cycles = (uint64_t)(spin_ns * bench->cycles_per_ns);
	struct xs_cuda_device *gpu = &bench->gpu;
	xs_cuda_graph graph = NULL;

	XS_CUDA(gpu, cuStreamBeginCapture, bench->stream[0],
		XS_CUDA_CAPTURE_RELAXED);
	for (int i = 0; i < kernels; i++)
		xs_cuda_spin(gpu, cycles,
			     i == kernels - 1 ? bench->flag_address : 0,
			     bench->flag_value, bench->stream[0]);
	XS_CUDA(gpu, cuStreamEndCapture, bench->stream[0], &graph);
	return graph;
}

/* Times the second launch, because the first one also uploads the graph. */
static struct graph_times graph_times(struct xs_bench *bench, int kernels)
{
	struct xs_cuda_device *gpu = &bench->gpu;
	struct graph_times times = {0};
	xs_cuda_graph_exec exec = NULL;
	xs_cuda_graph graph = capture(bench, kernels, SPIN_NS);
	double start = xs_bench_now_ns();

	XS_CUDA(gpu, cuGraphInstantiateWithFlags, &exec, graph, 0);
	times.instantiate_ns = xs_bench_now_ns() - start;
	XS_CUDA(gpu, cuGraphLaunch, exec, bench->stream[0]);
	XS_CUDA(gpu, cuStreamSynchronize, bench->stream[0]);
	xs_bench_begin(bench, bench->stream[0]);
	start = xs_bench_now_ns();
	XS_CUDA(gpu, cuGraphLaunch, exec, bench->stream[0]);
	times.launch_ns = xs_bench_now_ns() - start;
	times.gpu_ns = xs_bench_end_ns(bench, bench->stream[0]);
	XS_CUDA(gpu, cuGraphExecDestroy, exec);
	XS_CUDA(gpu, cuGraphDestroy, graph);
	return times;
}

/* Fixed part and part of a node. */
static void add_line(const double *nodes, const double *ns,
		     struct xs_samples *fixed, struct xs_samples *each)
{
	const struct xs_line line = xs_stats_fit(nodes, ns, SIZES);

	xs_samples_add(fixed, fmax(line.intercept, 0));
	xs_samples_add(each, fmax(line.slope, 0));
}

static void measure_nodes(struct xs_bench *bench)
{
	struct xs_samples made = {0}, made_each = {0}, launched = {0},
			  launched_each = {0}, gaps = {0};
	struct xs_repeats repeats = xs_bench_repeats(20);
	double nodes[SIZES], make_ns[SIZES], launch_ns[SIZES], gpu_ns[SIZES];

	graph_times(bench, 1);
	while (xs_bench_repeat(&repeats)) {
		for (int i = 0; i < SIZES; i++) {
			struct graph_times times = graph_times(bench, 1 << i);

			nodes[i] = 1 << i;
			make_ns[i] = times.instantiate_ns;
			launch_ns[i] = times.launch_ns;
			gpu_ns[i] = times.gpu_ns;
		}
		add_line(nodes, make_ns, &made, &made_each);
		add_line(nodes, launch_ns, &launched, &launched_each);
		xs_samples_add(
		    &gaps,
		    fmax(xs_stats_fit(nodes, gpu_ns, SIZES).slope - SPIN_NS,
			 0));
	}
	xs_bench_set(bench, XS_PARAM_graph_instantiate_ns, &made);
	xs_bench_set(bench, XS_PARAM_graph_instantiate_node_ns, &made_each);
	xs_bench_set(bench, XS_PARAM_graph_launch_ns, &launched);
	xs_bench_set(bench, XS_PARAM_graph_launch_node_ns, &launched_each);
	xs_bench_set(bench, XS_PARAM_graph_gap_ns, &gaps);
}

static void measure_latency(struct xs_bench *bench)
{
	struct xs_cuda_device *gpu = &bench->gpu;
	struct xs_samples samples = {0};
	xs_cuda_graph_exec exec = NULL;
	xs_cuda_graph graph;

	bench->flag_value++;
	graph = capture(bench, 1, 0);
	XS_CUDA(gpu, cuGraphInstantiateWithFlags, &exec, graph, 0);
	for (int i = -20; i < 60; i++) {
		double launched, seen;

		*bench->flag = 0;
		XS_CUDA(gpu, cuGraphLaunch, exec, bench->stream[0]);
		launched = xs_bench_now_ns();
		seen = xs_bench_flag_seen_ns(bench);
		XS_CUDA(gpu, cuStreamSynchronize, bench->stream[0]);
		if (i >= 0)
			xs_samples_add(&samples, seen - launched);
	}
	XS_CUDA(gpu, cuGraphExecDestroy, exec);
	XS_CUDA(gpu, cuGraphDestroy, graph);
	xs_bench_set(bench, XS_PARAM_graph_latency_ns, &samples);
}

void xs_bench_graph(struct xs_bench *bench)
{
	if (!has_graphs(&bench->gpu))
		return;
	measure_nodes(bench);
	measure_latency(bench);
}
