/* SPDX-License-Identifier: MIT */
/*
 * A program whose calls come very fast, and that does something else in the
 * midst of it. It prints how many calls it issued, and whether its copies came
 * back right. It knows nothing of xferspy.
 *
 *	rush MODE THREADS MILLISECONDS
 *
 * MODE: what each third of the time has beside the rush, a letter each, as pcc:
 * [p]lainly nothing, [c]opies of a size of their own, [g]raphs, [m]anaged
 * memory, CUPTI's callbacks for the program [i]tself, another [d]evice, the
 * [l]ibrary libuser.so, what [b]locks the call and not until it is done, and in
 * place of the rush a thousand copies and [q]uestions whether they are done.
 */
#include "examples/common.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <cuda_runtime.h>
#include <cupti.h>

static const int sizes[] = {4096, 65536, 1 << 20};
static const size_t most_bytes = 1 << 20;
static const char *mode;
static int threads;
static double third_s;
static std::atomic<long> all_calls, all_replays, all_wrong, heard;

__global__ void add_one(int *data)
{
	data[threadIdx.x]++;
}

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

struct worker {
	double begin_s;
	cudaStream_t stream;
	int *device, *host;
	cudaGraphExec_t graph;
	long calls, replays, wrong;
	pthread_t thread;
};

static cudaGraphExec_t make_graph(const struct worker *w)
{
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	CHECK(cudaStreamBeginCapture(w->stream,
				     cudaStreamCaptureModeThreadLocal));
	for (int i = 0; i < 5; i++)
		add_one<<<1, 32, 0, w->stream>>>(w->device);
	CHECK(cudaMemcpyAsync(w->host + 1024, w->device, 256,
			      cudaMemcpyDeviceToHost, w->stream));
	CHECK(cudaStreamEndCapture(w->stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphDestroy(graph));
	return exec;
}

/* There and back: whether it is the same. */
static void copy(struct worker *w, size_t bytes)
{
	memset(w->host, (int)w->calls, bytes);
	CHECK(cudaMemcpyAsync(w->device, w->host, bytes, cudaMemcpyHostToDevice,
			      w->stream));
	CHECK(cudaStreamSynchronize(w->stream));
	memset(w->host, 0, bytes);
	CHECK(cudaMemcpyAsync(w->host, w->device, bytes, cudaMemcpyDeviceToHost,
			      w->stream));
	CHECK(cudaStreamSynchronize(w->stream));
	w->wrong +=
	    ((unsigned char *)w->host)[bytes - 1] != (unsigned char)w->calls;
	w->calls += 4;
}

static void use_managed(struct worker *w)
{
	int *managed;

	CHECK(cudaMallocManaged((void **)&managed, 65536));
	memset(managed, 1, 65536);
	add_one<<<1, 32, 0, w->stream>>>(managed);
	CHECK(cudaStreamSynchronize(w->stream));
	w->wrong += managed[0] != 0x01010102;
	CHECK(cudaFree(managed));
	w->calls += 4;
}

static void replay(struct worker *w)
{
	if (w->replays % 50 == 0) {
		if (w->graph)
			CHECK(cudaGraphExecDestroy(w->graph));
		w->graph = make_graph(w);
	}
	CHECK(cudaGraphLaunch(w->graph, w->stream));
	w->replays++;
	w->calls++;
}

static void ask(struct worker *w, int third)
{
	for (int i = 0; i < 1000; i++)
		CHECK(cudaMemcpyAsync(w->device, w->host, most_bytes,
				      cudaMemcpyHostToDevice, w->stream));
	w->calls += 1000;
	while (now_s() - w->begin_s < (third + 1) * third_s)
		for (int i = 0; i < 64; i++, w->calls++)
			cudaStreamQuery(w->stream);
}

static void set_and_copy(struct worker *w)
{
	char *half = (char *)w->device + most_bytes / 2;

	CHECK(cudaMemset(w->device, 0, most_bytes / 2));
	CHECK(cudaMemcpy(w->device, half, most_bytes / 4,
			 cudaMemcpyDeviceToDevice));
	CHECK(cudaMemcpy(w->device, half, most_bytes / 4, cudaMemcpyDefault));
	CHECK(cudaMemcpyAsync(w->device, half, most_bytes / 4,
			      cudaMemcpyDefault, 0));
	w->calls += 4;
}

static void use_another_device(struct worker *w)
{
	int *there;

	CHECK(cudaSetDevice(1));
	CHECK(cudaMalloc((void **)&there, 4096));
	add_one<<<1, 32>>>(there);
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaFree(there));
	CHECK(cudaSetDevice(0));
	w->calls += 4;
}

static void load_library(void)
{
	if (dlopen("libuser.so", RTLD_NOW))
		return;
	fprintf(stderr, "%s\n", dlerror());
	_exit(2);
}

static void do_beside(struct worker *w, int third)
{
	switch (mode[third]) {
	case 'c':
		copy(w, (size_t)sizes[third]);
		break;
	case 'g':
		replay(w);
		break;
	case 'm':
		use_managed(w);
		break;
	case 'b':
		set_and_copy(w);
		break;
	case 'q':
		ask(w, third);
		break;
	case 'd':
		use_another_device(w);
		break;
	case 'l':
		load_library();
		break;
	default:
		break;
	}
}

static void CUPTIAPI hear(void *, CUpti_CallbackDomain, CUpti_CallbackId,
			  const void *)
{
	heard++;
}

/* As a profiler that finds CUPTI where it is. */
static void listen(void)
{
	void *library = NULL;
	CUpti_SubscriberHandle subscriber;

	for (const char *name : {"libcupti.so.13", "libcupti.so.12"})
		if (!library)
			library = dlopen(name, RTLD_NOW | RTLD_NOLOAD);
	if (!library)
		return;
	auto subscribe =
	    (__typeof__(&cuptiSubscribe))dlsym(library, "cuptiSubscribe");
	auto enable = (__typeof__(&cuptiEnableCallback))dlsym(
	    library, "cuptiEnableCallback");
	int result = subscribe(&subscriber, hear, NULL);

	printf("subscribed: %d\n", result);
	if (result == CUPTI_SUCCESS)
		enable(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API,
		       CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020);
}

static void *rush(void *data)
{
	struct worker *w = (struct worker *)data;

	w->begin_s = now_s();
	for (int third = 0, round = 0; third < 3; round++) {
		if (round % 8 == 0)
			add_one<<<1, 32, 0, w->stream>>>(w->device);
		if (round % 8 == 0)
			w->calls++;
		for (int i = 0; i < 8; i++)
			CHECK(cudaStreamSynchronize(w->stream));
		w->calls += 8;
		if (round % 32 == 0)
			do_beside(w, third);
		if (round % 64)
			continue;
		int next = (int)((now_s() - w->begin_s) / third_s);
		if (next > third && next < 3 && w->thread == 0 &&
		    mode[next] == 'i')
			listen();
		third = next;
	}
	CHECK(cudaStreamSynchronize(w->stream));
	w->calls++;
	all_calls += w->calls;
	all_replays += w->replays;
	all_wrong += w->wrong;
	return NULL;
}

int main(int argc, char **argv)
{
	static struct worker workers[64];

	if (argc != 4 || strlen(argv[1]) != 3)
		return 2;
	mode = argv[1];
	threads = atoi(argv[2]);
	third_s = atof(argv[3]) / 3000;
	for (int i = 0; i < threads; i++) {
		struct worker *w = &workers[i];

		CHECK(cudaStreamCreateWithFlags(&w->stream,
						cudaStreamNonBlocking));
		CHECK(cudaMalloc((void **)&w->device, most_bytes));
		CHECK(cudaMallocHost((void **)&w->host, most_bytes));
	}
	for (int i = 1; i < threads; i++)
		if (pthread_create(&workers[i].thread, NULL, rush,
				   &workers[i]) != 0)
			return 2;
	rush(&workers[0]);
	for (int i = 1; i < threads; i++)
		pthread_join(workers[i].thread, NULL);
	CHECK(cudaDeviceSynchronize());
	printf("calls: %ld\nreplays: %ld\nwrong: %ld\nheard: %d\n",
	       all_calls.load(), all_replays.load(), all_wrong.load(),
	       heard.load() > 0);
	return all_wrong.load() ? 1 : 0;
}
