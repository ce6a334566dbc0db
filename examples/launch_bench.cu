/* SPDX-License-Identifier: MIT */
/*
 * Measures the host cost of small CUDA calls; prints one JSON line. Each part
 * runs long loops with a synchronisation from time to time. It gives the time
 * in the calls and, as "done", the time until the GPU was done, which may be
 * longer. "quiet" is the 10th percentile of batches of calls, free of
 * disturbances by other load on the host's cores. overhead/measure.py runs it
 * with and without a tracer.
 */
#include "measure.h"

#include <algorithm>
#include <pthread.h>
#include <vector>

__global__ void empty_kernel(void)
{
}

/* Kernels with pointers among their parameters, also within a struct. */
struct vectors {
	const float *a, *b;
	float *sum;
	int n;
};

__global__ void one_pointer(float *data, int n)
{
	if (n < 0)
		data[0] = 0;
}

__global__ void two_pointers(float *to, const float *from, int n)
{
	if (n < 0)
		to[0] = from[0];
}

__global__ void pointers_in_a_struct(struct vectors v)
{
	if (v.n < 0)
		v.sum[0] = v.a[0] + v.b[0];
}

/* Calls between two synchronisations: few enough that the queue never fills,
 * since a call would then wait for the GPU. */
static const long batch = 500, copy_batch = 100;
static const size_t copy_bytes = 4096;
static const int graph_kernels = 20, graph_copies = 2;
enum { THREADS = 64 };

struct cost {
	long calls;
	double call_ns;	 /* in calls, per call */
	double quiet_ns; /* the same, 10th percentile; 0: unknown */
	double done_ns;	 /* until the GPU was done, per call */
};

/* The calls' buffers, and the number of issued ops. */
static struct {
	void *host, *device;
	cudaGraphExec_t graph;
	long ops;
} bench;

static void launch(cudaStream_t stream)
{
	empty_kernel<<<1, 1, 0, stream>>>();
}

/* The three kernels in turns. */
static void launch_with_pointers(cudaStream_t stream)
{
	static unsigned turn;
	float *data = (float *)bench.device;

	switch (turn++ % 3) {
	case 0:
		one_pointer<<<1, 1, 0, stream>>>(data, 1);
		break;
	case 1:
		two_pointers<<<1, 1, 0, stream>>>(data, data + 1, 1);
		break;
	default:
		pointers_in_a_struct<<<1, 1, 0, stream>>>(
		    {data, data + 1, data + 2, 1});
	}
}

static void copy(cudaStream_t stream)
{
	cudaMemcpyAsync(bench.device, bench.host, copy_bytes,
			cudaMemcpyHostToDevice, stream);
}

static void launch_and_wait(cudaStream_t stream)
{
	launch(stream);
	cudaStreamSynchronize(stream);
}

static void replay(cudaStream_t stream)
{
	cudaGraphLaunch(bench.graph, stream);
}

static struct cost measure_calls(void (*call)(cudaStream_t), long calls,
				 long calls_a_batch, cudaStream_t stream)
{
	double in_calls = 0, all, begin = now_ns();
	std::vector<double> each;

	for (long done = 0; done < calls; done += calls_a_batch) {
		long left = calls - done;
		long count = left < calls_a_batch ? left : calls_a_batch;
		double start = now_ns(), took;

		for (long i = 0; i < count; i++)
			call(stream);
		took = now_ns() - start;
		CHECK(cudaStreamSynchronize(stream));
		in_calls += took;
		each.push_back(took / (double)count);
	}
	all = now_ns() - begin;
	CHECK(cudaGetLastError());
	std::sort(each.begin(), each.end());
	return {calls, in_calls / (double)calls, each[each.size() / 10],
		all / (double)calls};
}

/* The same after a warm-up of two batches. */
static struct cost measure_warm(void (*call)(cudaStream_t), long calls,
				long calls_a_batch, long ops_a_call,
				cudaStream_t stream)
{
	measure_calls(call, 2 * calls_a_batch, calls_a_batch, stream);
	bench.ops += (calls + 2 * calls_a_batch) * ops_a_call;
	return measure_calls(call, calls, calls_a_batch, stream);
}

struct worker {
	pthread_t thread;
	pthread_barrier_t *barrier;
	long calls;
	struct cost cost;
};

static void *work(void *argument)
{
	struct worker *worker = (struct worker *)argument;
	const long calls_a_batch = 50; /* all threads share the queue */
	cudaStream_t stream;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	measure_calls(launch, calls_a_batch, calls_a_batch, stream);
	pthread_barrier_wait(worker->barrier);
	worker->cost =
	    measure_calls(launch, worker->calls, calls_a_batch, stream);
	CHECK(cudaStreamDestroy(stream));
	return NULL;
}

/* Launches from all threads at once, each to its own stream. */
static struct cost measure_threads(long calls)
{
	static struct worker workers[THREADS];
	struct cost sum = {};
	pthread_barrier_t barrier;

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (struct worker &worker : workers) {
		worker.barrier = &barrier;
		worker.calls = (calls + THREADS - 1) / THREADS;
		if (pthread_create(&worker.thread, NULL, work, &worker) != 0) {
			fprintf(stderr, "no thread of %d\n", THREADS);
			exit(2);
		}
	}
	for (struct worker &worker : workers) {
		pthread_join(worker.thread, NULL);
		sum.calls += worker.calls;
		sum.call_ns += worker.cost.call_ns / THREADS;
		sum.done_ns += worker.cost.done_ns / THREADS;
		bench.ops += worker.calls + 50;
	}
	/* Each waited for its own calls; the GPU did all of them meanwhile. */
	sum.done_ns /= THREADS;
	pthread_barrier_destroy(&barrier);
	return sum;
}

/* A chain of small kernels, with a copy before and after. */
static void capture_graph(cudaStream_t stream)
{
	cudaGraph_t graph;

	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	copy(stream);
	for (int i = 0; i < graph_kernels; i++)
		launch(stream);
	cudaMemcpyAsync(bench.host, bench.device, copy_bytes,
			cudaMemcpyDeviceToHost, stream);
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&bench.graph, graph, 0));
	CHECK(cudaGraphDestroy(graph));
}

static struct cost measure_graph(long replays, cudaStream_t stream)
{
	struct cost cost;

	capture_graph(stream);
	cost = measure_warm(replay, replays, 20, graph_kernels + graph_copies,
			    stream);
	CHECK(cudaGraphExecDestroy(bench.graph));
	return cost;
}

static void print_cost(const char *part, struct cost cost)
{
	printf("\"%s\": {\"calls\": %ld, \"call_ns\": %.1f, ", part, cost.calls,
	       cost.call_ns);
	if (cost.quiet_ns > 0)
		printf("\"quiet_ns\": %.1f, ", cost.quiet_ns);
	printf("\"done_ns\": %.1f}, ", cost.done_ns);
}

static void run_parts(const char *only, long n)
{
	cudaStream_t stream;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	printf("{");
	if (strstr(only, "launch"))
		print_cost("launch", measure_warm(launch, n, batch, 1, stream));
	if (strstr(only, "pointers"))
		print_cost("pointers", measure_warm(launch_with_pointers, n,
						    batch, 1, stream));
	if (strstr(only, "copy"))
		print_cost("copy", measure_warm(copy, (n + 1) / 2, copy_batch,
						1, stream));
	if (strstr(only, "sync"))
		print_cost("sync", measure_warm(launch_and_wait, (n + 9) / 10,
						batch, 1, stream));
	if (strstr(only, "threads"))
		print_cost("threads", measure_threads((n + 1) / 2));
	if (strstr(only, "graph"))
		print_cost("graph", measure_graph((n + 99) / 100, stream));
	printf("\"ops\": %ld}\n", bench.ops);
	CHECK(cudaStreamDestroy(stream));
}

int main(int argc, char **argv)
{
	const char *only =
	    argc > 1 ? argv[1] : "launch,copy,sync,threads,graph";
	const long n = argc > 2 ? parse_count(argv[2], "calls") : 100000;

	CHECK(cudaMallocHost(&bench.host, copy_bytes));
	CHECK(cudaMalloc(&bench.device, copy_bytes));
	memset(bench.host, 0, copy_bytes);
	run_parts(only, n);
	CHECK(cudaFree(bench.device));
	CHECK(cudaFreeHost(bench.host));
	return 0;
}
