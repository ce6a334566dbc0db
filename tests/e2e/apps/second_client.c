/* SPDX-License-Identifier: MIT */
/*
 * A second client of CUPTI: a program with its own profiler, like PyTorch. It
 * subscribes to CUPTI's callbacks, has its own buffers and its own clock, and
 * releases everything after each measurement. It prints what it received. It
 * knows nothing of xferspy.
 * second_client MODE [CLOCK]   CLOCK: ticks, like PyTorch's; tai; none: CUPTI's
 * own
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cuda_runtime_api.h>
#include <cupti.h>

#define BYTES	     65536
#define BUFFER_BYTES (1u << 18)

#define CHECK(call)                                                            \
	do {                                                                   \
		int error_ = (int)(call);                                      \
		if (error_) {                                                  \
			fprintf(stderr, "%s: %d\n", #call, error_);            \
			exit(2);                                               \
		}                                                              \
	} while (0)

static const CUpti_ActivityKind kinds[] = {
    CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET,
    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_RUNTIME};
#define KINDS (sizeof(kinds) / sizeof(*kinds))

static CUpti_SubscriberHandle subscriber;
static unsigned starts, ends, kept, contexts, out, strange;
static unsigned seen[CUPTI_ACTIVITY_KIND_COUNT];
static uint8_t *given[1024];
static CUpti_TimestampCallbackFunc own_clock;
static uint64_t begun; /* in that clock */

static uint64_t read_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t CUPTIAPI read_realtime(void)
{
	return read_ns(CLOCK_REALTIME);
}

/* 2.1 per ns, like the ticks of a CPU. */
static uint64_t CUPTIAPI read_ticks(void)
{
	return read_ns(CLOCK_MONOTONIC) / 10 * 21;
}

static uint64_t CUPTIAPI read_tai(void)
{
	return read_realtime() + 37000000000u;
}

/* Whether the record is later than the start of the measurement, within 1
 * ms. */
static int is_in_time(const CUpti_Activity *record)
{
	const uint64_t slack = 2100000;
	uint64_t start, end;

	switch (record->kind) {
	case CUPTI_ACTIVITY_KIND_MEMCPY:
		start = ((const CUpti_ActivityMemcpy5 *)record)->start;
		end = ((const CUpti_ActivityMemcpy5 *)record)->end;
		break;
	case CUPTI_ACTIVITY_KIND_MEMSET:
		start = ((const CUpti_ActivityMemset4 *)record)->start;
		end = ((const CUpti_ActivityMemset4 *)record)->end;
		break;
	case CUPTI_ACTIVITY_KIND_RUNTIME:
		start = ((const CUpti_ActivityAPI *)record)->start;
		end = ((const CUpti_ActivityAPI *)record)->end;
		break;
	default:
		return 1;
	}
	return start + slack >= begun && end >= start &&
	       end <= own_clock() + slack;
}

static void CUPTIAPI on_callback(void *user, CUpti_CallbackDomain domain,
				 CUpti_CallbackId id, const void *data)
{
	const CUpti_CallbackData *call = data;

	if (user != &subscriber)
		strange++;
	if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
		contexts += id == CUPTI_CBID_RESOURCE_CONTEXT_CREATED;
	} else if (call->callbackSite == CUPTI_API_ENTER) {
		starts++;
		strange += *call->correlationData != 0;
		*call->correlationData = call->correlationId + 1000000ull;
	} else {
		ends++;
		kept +=
		    *call->correlationData == call->correlationId + 1000000ull;
	}
}

static void CUPTIAPI on_request(uint8_t **buffer, size_t *bytes, size_t *most)
{
	*buffer = aligned_alloc(8, BUFFER_BYTES);
	*bytes = BUFFER_BYTES;
	*most = 0;
	given[out++ % 1024] = *buffer;
}

static void CUPTIAPI on_complete(CUcontext context, uint32_t stream,
				 uint8_t *buffer, size_t bytes, size_t valid)
{
	CUpti_Activity *record = NULL;
	size_t dropped = 0;
	int mine = 0;

	for (int i = 0; i < 1024; i++)
		if (given[i] == buffer) {
			given[i] = NULL;
			mine = 1;
		}
	strange += !mine || bytes != BUFFER_BYTES;
	while (valid && cuptiActivityGetNextRecord(buffer, valid, &record) ==
			    CUPTI_SUCCESS) {
		seen[record->kind]++;
		strange += !is_in_time(record);
	}
	CHECK(cuptiActivityGetNumDroppedRecords(context, stream, &dropped));
	strange += dropped != 0;
	free(buffer);
}

static void begin(void)
{
	CUpti_SubscriberHandle second;
	uint32_t on = 0;
	uint64_t now;

	if (own_clock != read_realtime)
		CHECK(cuptiActivityRegisterTimestampCallback(own_clock));
	if (!begun)
		begun = own_clock();
	CHECK(cuptiGetTimestamp(&now));
	strange += now < begun || now > own_clock();
	CHECK(cuptiSubscribe(&subscriber, on_callback, &subscriber));
	printf("second subscriber: %d\n",
	       cuptiSubscribe(&second, on_callback, NULL));
	CHECK(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE,
				  CUPTI_CBID_RESOURCE_CONTEXT_CREATED));
	CHECK(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API));
	CHECK(cuptiGetCallbackState(&on, subscriber,
				    CUPTI_CB_DOMAIN_RUNTIME_API,
				    CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy_v3020));
	printf("cudaMemcpy: %u\n", on);
	CHECK(cuptiActivityRegisterCallbacks(on_request, on_complete));
	for (size_t i = 0; i < KINDS; i++)
		CHECK(cuptiActivityEnable(kinds[i]));
}

static void end(const char *what, int finalize)
{
	for (size_t i = 0; i < KINDS; i++)
		CHECK(cuptiActivityDisable(kinds[i]));
	CHECK(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
	CHECK(cuptiEnableDomain(0, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API));
	CHECK(cuptiUnsubscribe(subscriber));
	if (finalize)
		CHECK(cuptiFinalize());
	printf("%s: %u starts, %u ends, %u kept, %u strange\n", what, starts,
	       ends, kept, strange);
	printf("%u copies, %u sets, %u kernels, %u calls\n",
	       seen[CUPTI_ACTIVITY_KIND_MEMCPY],
	       seen[CUPTI_ACTIVITY_KIND_MEMSET],
	       seen[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL],
	       seen[CUPTI_ACTIVITY_KIND_RUNTIME]);
}

static void work(int rounds)
{
	static char host[BYTES];
	void *device;

	CHECK(cudaMalloc(&device, BYTES));
	for (int i = 0; i < rounds; i++) {
		CHECK(cudaMemcpy(device, host, BYTES, cudaMemcpyHostToDevice));
		CHECK(cudaMemset(device, i, BYTES));
		CHECK(cudaMemcpy(host, device, BYTES, cudaMemcpyDeviceToHost));
	}
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaFree(device));
	printf("last byte %d\n", host[BYTES - 1]);
}

/* Launches two copies and a set as a graph. */
static void work_graph(int times)
{
	static char *host;
	static cudaGraphExec_t exec;
	static cudaStream_t stream;
	cudaGraph_t graph;
	void *device;

	if (!exec) {
		CHECK(
		    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
		CHECK(cudaMallocHost((void **)&host, BYTES));
		CHECK(cudaMalloc(&device, BYTES));
		CHECK(cudaStreamBeginCapture(stream,
					     cudaStreamCaptureModeGlobal));
		CHECK(cudaMemcpyAsync(device, host, BYTES,
				      cudaMemcpyHostToDevice, stream));
		CHECK(cudaMemsetAsync(device, 5, BYTES, stream));
		CHECK(cudaMemcpyAsync(host, device, BYTES,
				      cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamEndCapture(stream, &graph));
		CHECK(cudaGraphInstantiate(&exec, graph, 0));
	}
	for (int i = 0; i < times; i++)
		CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	printf("last byte %d\n", host[BYTES - 1]);
}

/* Keeps the device busy when the next measurement starts. */
static void keep_busy(void)
{
	void *device;

	CHECK(cudaMalloc(&device, BYTES));
	CHECK(cudaMemsetAsync(device, 1, BYTES, 0));
	nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	const char *clock = argc > 2 ? argv[2] : "";

	own_clock = read_ticks;
	if (strcmp(clock, "tai") == 0)
		own_clock = read_tai;
	if (strcmp(clock, "none") == 0)
		own_clock = read_realtime;
	if (strcmp(mode, "first") == 0) {
		begin();
		work(10);
		end("first", 0);
	}
	if (strcmp(mode, "nothing") == 0) {
		begin();
		end("nothing", 0);
		return 0;
	}
	if (strcmp(mode, "graph") == 0) {
		work_graph(40);
		begin();
		work_graph(10);
		end("graph", 0);
		work_graph(10);
		return 0;
	}
	work(10);
	begin();
	work(10);
	end("once", strcmp(mode, "finalize") == 0);
	work(10);
	if (strcmp(mode, "busy") == 0)
		keep_busy();
	begin();
	work(10);
	if (strcmp(mode, "open") == 0)
		return 0;
	end("twice", 0);
	work(10);
	return 0;
}
