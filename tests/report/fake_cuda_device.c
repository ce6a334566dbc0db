/* SPDX-License-Identifier: MIT */
#include "tests/report/fake_cuda_device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

struct xs_cuda_stream_s {
	double ready;	   /* end of its last op */
	bool used, copied; /* kind of its last op: kernel or copy */
};

/* A chain of kernels. */
struct xs_cuda_graph_s {
	unsigned nodes;
	double ns; /* sum of its kernels */
	uint32_t *flag;
	uint32_t value;
};

struct xs_cuda_graph_exec_s {
	struct xs_cuda_graph_s graph;
};

struct xs_cuda_event_s {
	double time;
};

/* A copy engine for each direction. */
struct engine {
	double ready;
	xs_cuda_stream last;
};

struct fake_faults fake_faults;

static double now_ns, all_ready, kernels_ready, whole_ready;
static struct xs_cuda_stream_s legacy;
static xs_cuda_graph captured; /* of the stream that is captured */
static struct {
	double start, end;
} last_write;
static struct engine engines[2];
static struct {
	uint32_t *to;
	uint32_t value;
	double time;
} flag;

/* The kernel of a mailbox; turns is 0 without one. */
static struct {
	uint32_t *request, *answer, *late, turns;
	double late_ns;
	unsigned flags;
	struct {
		uint32_t turn; /* last answer that it saw */
		double due_ns;
	} pair[32];
} mailbox;

#define LINE_WORDS 16

/* Sees answers of the host, and writes the requests that are due. */
static void run_mailbox(void)
{
	for (unsigned f = 0; f < mailbox.flags && !fake_faults.no_flag; f++) {
		const uint32_t seen = mailbox.answer[f * LINE_WORDS];

		if (fake_faults.blind) {
			if (now_ns > mailbox.late_ns)
				*mailbox.late = 1;
		} else if (seen > mailbox.pair[f].turn) {
			mailbox.pair[f].turn = seen;
			mailbox.pair[f].due_ns = now_ns + FAKE_MAILBOX;
		} else if (now_ns >= mailbox.pair[f].due_ns) {
			mailbox.request[f * LINE_WORDS] = mailbox.pair[f].turn;
		}
	}
}

static void start_mailbox(unsigned flags, void **parameters)
{
	memset(&mailbox, 0, sizeof(mailbox));
	mailbox.request = *(uint32_t **)parameters[0];
	mailbox.answer = *(uint32_t **)parameters[1];
	mailbox.turns = *(uint32_t *)parameters[2];
	mailbox.late = *(uint32_t **)parameters[3];
	mailbox.late_ns = now_ns + (double)*(uint64_t *)parameters[4];
	mailbox.flags = flags;
}

/* Each look at the clock takes time, so that polling loops end, and shows what
 * kernels have written by then. What never comes is looked for only a thousand
 * times: each time the loop yields the processor, which may take ms. */
int clock_gettime(clockid_t clock, struct timespec *t)
{
	(void)clock;
	now_ns += fake_faults.no_flag || fake_faults.blind ? 1e6 : 20;
	run_mailbox();
	if (flag.to != NULL && now_ns >= flag.time)
		*flag.to = flag.value;
	t->tv_sec = (time_t)(now_ns / 1e9);
	t->tv_nsec = (long)fmod(now_ns, 1e9);
	return 0;
}

void fake_cuda_advance_ns(double ns)
{
	now_ns += ns;
}

static int wait_until(double time)
{
	now_ns = fmax(now_ns, time) + FAKE_SYNC;
	return 0;
}

/* How long a copy in waits behind mapped writes: one that is under way, and
 * one that starts now. */
static double held_up(double start, double end)
{
	double from = fmax(start, last_write.start + FAKE_EARLY), stall;

	if (!fake_faults.writes_queue)
		return 0;
	if (start > last_write.start && start < last_write.end) {
		stall = fmin(FAKE_STALL, last_write.end - start);
		return stall + (end - start) * (FAKE_HELD / FAKE_G_IN - 1);
	}
	if (from >= end)
		return 0;
	return fmax(last_write.end - from, 0) * (1 - FAKE_G_IN / FAKE_HELD);
}

static int copy(int way, size_t bytes, xs_cuda_stream stream)
{
	struct engine *engine = &engines[way];
	double byte = way == 0 ? FAKE_G_IN : FAKE_G_OUT;

	now_ns += FAKE_CALL_COPY;
	double start = fmax(now_ns, stream->ready);
	if (way == 1 && fake_faults.implicit_sync)
		start = fmax(start, kernels_ready);
	start = fmax(start, engine->ready +
				(engine->last != stream ? FAKE_SWITCH : 0));
	/* Work issued later in the other direction would follow immediately. */
	if (engines[!way].ready + FAKE_SLACK > start)
		byte *= FAKE_SLOWER;
	stream->ready = start + FAKE_COPY + byte * (double)bytes;
	if (way == 0)
		stream->ready += held_up(start, stream->ready);
	stream->used = false;
	stream->copied = true;
	engine->ready = stream->ready;
	engine->last = stream;
	all_ready = fmax(all_ready, stream->ready);
	return 0;
}

static int copy_in_async(xs_cuda_address to, const void *from, size_t bytes,
			 xs_cuda_stream stream)
{
	(void)to, (void)from;
	copy(0, bytes, stream);
	return 0;
}

static int batch(xs_cuda_address *to, xs_cuda_address *from, size_t *bytes,
		 size_t count, struct xs_cuda_copy_attributes *attributes,
		 size_t *starts, size_t attribute_count, xs_cuda_stream stream)
{
	(void)to, (void)from, (void)attributes, (void)starts;
	now_ns += FAKE_CALL_BATCH + FAKE_CALL_BATCHED * (double)count;
	stream->ready = fmax(now_ns, stream->ready);
	for (size_t i = 0; i < count; i++)
		stream->ready += FAKE_BATCH_GAP + FAKE_G_IN * (double)bytes[i];
	all_ready = fmax(all_ready, stream->ready);
	return attribute_count != 1;
}

static int device_count(int *count)
{
	*count = fake_faults.alone ? 1 : 2;
	return 0;
}

static int device_get(int *device, int ordinal)
{
	*device = ordinal;
	return 0;
}

static int retain(xs_cuda_context *context, int device)
{
	*context = (xs_cuda_context)(uintptr_t)(device + 1);
	return 0;
}

static int release_context(int device)
{
	(void)device;
	return 0;
}

static int set_context(xs_cuda_context context)
{
	(void)context;
	return 0;
}

static int can_access(int *can, int device, int peer)
{
	*can = !fake_faults.apart && device != peer;
	return 0;
}

/* Of the GPUs that may access the other one's memory. */
static int allowed;

static int enable_access(xs_cuda_context peer, unsigned flags)
{
	(void)peer, (void)flags;
	allowed++;
	return 0;
}

static int disable_access(xs_cuda_context peer)
{
	(void)peer;
	allowed--;
	return 0;
}

static int copy_peer(xs_cuda_address to, xs_cuda_context to_context,
		     xs_cuda_address from, xs_cuda_context from_context,
		     size_t bytes, xs_cuda_stream stream)
{
	const double each = allowed == 2 ? FAKE_PEER : FAKE_STAGED;
	const double byte = allowed == 2 ? FAKE_PEER_BYTE : FAKE_STAGED_BYTE;

	(void)to, (void)from;
	now_ns += FAKE_CALL_COPY;
	stream->ready =
	    fmax(now_ns, stream->ready) + each + byte * (double)bytes;
	all_ready = fmax(all_ready, stream->ready);
	return to_context == from_context;
}

static int copy_out_async(void *to, xs_cuda_address from, size_t bytes,
			  xs_cuda_stream stream)
{
	(void)to, (void)from;
	return copy(1, bytes, stream);
}

/* Blocking copies run after the legacy stream's work. */
static int blocking_copy(double byte, size_t bytes)
{
	now_ns = fmax(now_ns, legacy.ready) + FAKE_CALL_BLOCKING + FAKE_LO +
		 byte * (double)bytes;
	return 0;
}

static int copy_in(xs_cuda_address to, const void *from, size_t bytes)
{
	(void)to, (void)from;
	return blocking_copy(FAKE_G_IN, bytes);
}

/* Touches the first page, which stands for all: the bench touches all or
 * none. */
static int copy_out(void *to, xs_cuda_address from, size_t bytes)
{
	unsigned char *page = (unsigned char *)((uintptr_t)to & ~4095ull);
	unsigned char touched = 1;

	(void)from;
	if (!mincore(page, 1, &touched) && !touched)
		*(volatile unsigned char *)page = 0;
	return blocking_copy(FAKE_G_OUT + (touched ? 0 : FAKE_TOUCH), bytes);
}

/* Whether an address is in host memory: device addresses are small. */
static bool is_host(uint64_t address)
{
	return address >> 40 != 0;
}

static double each_ns(void **parameters)
{
	double elements = (double)*(uint64_t *)parameters[2];
	bool to = is_host(*(uint64_t *)parameters[0]);
	bool from = is_host(*(uint64_t *)parameters[1]);

	if (to && *(uint64_t *)parameters[3] > 4)
		return elements * (*(uint64_t *)parameters[3] > FAKE_APART_BYTES
				       ? FAKE_APART
				       : FAKE_PARTIAL);
	return 4 * elements *
	       (to && from ? FAKE_BOTH
		: to	   ? FAKE_WRITE
		: from	   ? FAKE_READ
			   : FAKE_EACH);
}

static double message_ns(void **parameters)
{
	const uint64_t from = *(uint64_t *)parameters[1];

	return from == 0       ? FAKE_STORE
	       : is_host(from) ? FAKE_LOAD_MESSAGE
			       : FAKE_STORE_MESSAGE;
}

/* The device memory that blocks have read since others filled the cache. */
static struct {
	uint64_t start, end;
} near;

static bool is_near(uint64_t start, uint64_t bytes)
{
	const uint64_t end = start + bytes;
	const bool is = start < near.end && end > near.start;
	const bool none = near.end == 0;

	near.start = none || start < near.start ? start : near.start;
	near.end = end > near.end ? end : near.end;
	return is;
}

/* A block of twice the usual size alone. */
static double block_ns(void **parameters)
{
	const uint64_t from = *(uint64_t *)parameters[1];
	const uint64_t bytes = 16 * *(uint64_t *)parameters[2];

	return (double)bytes * (is_host(from)	       ? FAKE_BLOCK_LOAD
				: is_near(from, bytes) ? FAKE_BLOCK_STORE
						       : FAKE_BLOCK_FAR);
}

/* Function handles are the kernels' numbers plus one. */
static double kernel_ns(enum xs_cuda_kernel kernel, unsigned blocks,
			void **parameters)
{
	if (kernel == XS_KERNEL_EMPTY)
		return 0;
	if (kernel == XS_KERNEL_SPIN)
		return (double)*(uint64_t *)parameters[0];
	if (kernel == XS_KERNEL_PER_ELEMENT)
		return each_ns(parameters);
	if (kernel == XS_KERNEL_POLL)
		return *(uint32_t *)parameters[1] *
		       (is_host(*(uint64_t *)parameters[0]) ? FAKE_POLL_HOST
							    : FAKE_POLL_DEVICE);
	if (kernel == XS_KERNEL_MESSAGE)
		return *(uint32_t *)parameters[3] * message_ns(parameters);
	if (kernel == XS_KERNEL_MAILBOX)
		return 0;
	double bytes = 16 * (double)*(uint64_t *)parameters[2];
	if (kernel == XS_KERNEL_READ && !is_host(*(uint64_t *)parameters[1]))
		near.start = near.end = 0;
	if (kernel == XS_KERNEL_CHASE && !is_host(*(uint64_t *)parameters[1]))
		return bytes / FAKE_IN_FLIGHT / blocks *
		       (is_near(*(uint64_t *)parameters[1], (uint64_t)bytes)
			    ? FAKE_L2
			    : FAKE_NEAR);
	if (kernel == XS_KERNEL_CHASE)
		return bytes *
		       fmax(FAKE_READ, FAKE_FAR / FAKE_IN_FLIGHT / blocks);
	if (kernel != XS_KERNEL_COPY)
		bytes *= pow(FAKE_PART, 3 - *(uint32_t *)parameters[3]);
	return bytes * (kernel == XS_KERNEL_READ    ? FAKE_READ
			: kernel == XS_KERNEL_WRITE ? FAKE_WRITE
						    : FAKE_BOTH);
}

static int add_node(enum xs_cuda_kernel kernel, void **parameters)
{
	captured->nodes++;
	captured->ns += kernel_ns(kernel, 1, parameters);
	captured->flag = (uint32_t *)(uintptr_t) * (uint64_t *)parameters[1];
	captured->value = *(uint32_t *)parameters[2];
	return 0;
}

static int begin_capture(xs_cuda_stream stream, int mode)
{
	(void)stream, (void)mode;
	captured = calloc(1, sizeof(*captured));
	return captured == NULL ? 2 : 0;
}

static int end_capture(xs_cuda_stream stream, xs_cuda_graph *graph)
{
	(void)stream;
	*graph = captured;
	captured = NULL;
	return 0;
}

static int make_graph(xs_cuda_graph_exec *exec, xs_cuda_graph graph,
		      unsigned long long flags)
{
	(void)flags;
	now_ns += FAKE_MAKE_GRAPH + FAKE_MAKE_NODE * graph->nodes;
	*exec = calloc(1, sizeof(**exec));
	if (*exec == NULL)
		return 2;
	(*exec)->graph = *graph;
	return 0;
}

static int launch_graph(xs_cuda_graph_exec exec, xs_cuda_stream stream)
{
	const struct xs_cuda_graph_s *graph = &exec->graph;

	now_ns += FAKE_CALL_GRAPH + FAKE_CALL_NODE * graph->nodes;
	stream->ready = fmax(now_ns + FAKE_GRAPH_LATENCY, stream->ready) +
			graph->ns + FAKE_NODE_GAP * (graph->nodes - 1);
	all_ready = fmax(all_ready, stream->ready);
	flag.to = graph->flag;
	flag.value = graph->value;
	flag.time = stream->ready;
	return 0;
}

static int destroy_exec(xs_cuda_graph_exec exec)
{
	free(exec);
	return 0;
}

static int destroy_graph(xs_cuda_graph graph)
{
	free(graph);
	return 0;
}

static void set_flag(void **parameters, double at)
{
	flag.to = (uint32_t *)(uintptr_t) * (uint64_t *)parameters[1];
	flag.value = *(uint32_t *)parameters[2];
	flag.time = at;
}

static int launch(xs_cuda_function function, unsigned grid_x, unsigned grid_y,
		  unsigned grid_z, unsigned block_x, unsigned block_y,
		  unsigned block_z, unsigned shared_bytes,
		  xs_cuda_stream stream, void **parameters, void **extra)
{
	enum xs_cuda_kernel kernel =
	    (enum xs_cuda_kernel)(uintptr_t)function - 1;

	(void)grid_y, (void)grid_z, (void)block_y, (void)block_z;
	(void)(void)shared_bytes, (void)extra;
	if (stream == NULL)
		stream = &legacy;
	if (captured)
		return add_node(kernel, parameters);
	now_ns += FAKE_CALL_LAUNCH;
	double start = fmax(now_ns + FAKE_LATENCY,
			    stream->ready + (stream->used     ? FAKE_GAP
					     : stream->copied ? FAKE_AFTER_COPY
							      : 0));
	if (grid_x > 1)
		start = fmax(start, whole_ready);
	if (kernel == XS_KERNEL_MAILBOX)
		start_mailbox(block_x / 32, parameters);
	stream->ready = start + (block_x == XS_CUDA_LARGE_BLOCK
				     ? block_ns(parameters)
				     : kernel_ns(kernel, grid_x, parameters));
	if (grid_x > 1)
		whole_ready = stream->ready;
	if (kernel == XS_KERNEL_WRITE ||
	    (kernel == XS_KERNEL_PER_ELEMENT &&
	     is_host(*(uint64_t *)parameters[0]))) {
		last_write.start = start;
		last_write.end = stream->ready;
	}
	stream->used = true;
	stream->copied = false;
	kernels_ready = fmax(kernels_ready, stream->ready);
	all_ready = fmax(all_ready, stream->ready);
	if (kernel == XS_KERNEL_SPIN && !fake_faults.no_flag)
		set_flag(parameters, stream->ready);
	return 0;
}

static int stream_create(xs_cuda_stream *stream, unsigned flags)
{
	(void)flags;
	now_ns += FAKE_CALL_STREAM;
	*stream = calloc(1, sizeof(**stream));
	return *stream == NULL ? 2 : 0;
}

static int stream_destroy(xs_cuda_stream stream)
{
	free(stream);
	return 0;
}

static int stream_sync(xs_cuda_stream stream)
{
	return wait_until(stream->ready);
}

static int stream_wait(xs_cuda_stream stream, xs_cuda_event event,
		       unsigned flags)
{
	(void)flags;
	now_ns += FAKE_CALL_EVENT;
	stream->ready = fmax(stream->ready, event->time);
	return 0;
}

static int context_sync(void)
{
	return wait_until(all_ready);
}

static int event_create(xs_cuda_event *event, unsigned flags)
{
	(void)flags;
	*event = calloc(1, sizeof(**event));
	return *event == NULL ? 2 : 0;
}

static int event_destroy(xs_cuda_event event)
{
	free(event);
	return 0;
}

static int event_record(xs_cuda_event event, xs_cuda_stream stream)
{
	now_ns += FAKE_CALL_EVENT;
	event->time = fmax(now_ns, stream->ready);
	return 0;
}

static int event_sync(xs_cuda_event event)
{
	return wait_until(event->time);
}

static int event_elapsed(float *ms, xs_cuda_event start, xs_cuda_event end)
{
	const double ns = fake_faults.shared ? 1e6 : end->time - start->time;

	*ms = (float)(ns / 1e6);
	return 0;
}

static int alloc(xs_cuda_address *address, size_t bytes)
{
	now_ns += FAKE_ALLOCATE + FAKE_ALLOCATE_BYTE * (double)bytes;
	*address = bytes;
	return 0;
}

static int release(xs_cuda_address address)
{
	now_ns += FAKE_FREE + FAKE_FREE_BYTE * (double)address;
	return 0;
}

static int host_alloc(void **host, size_t bytes, unsigned flags)
{
	if (fake_faults.no_pinning)
		return 2;
	now_ns += FAKE_PIN + FAKE_PIN_BYTE * (double)bytes;
	*host = flags == XS_CUDA_HOST_MAPPED ? malloc(bytes) : malloc(1);
	return *host == NULL ? 2 : 0;
}

static int host_free(void *host)
{
	free(host);
	return 0;
}

static int host_address(xs_cuda_address *address, void *host, unsigned flags)
{
	(void)flags;
	*address = (uintptr_t)host;
	return 0;
}

static int host_register(void *host, size_t bytes, unsigned flags)
{
	(void)host, (void)flags;
	now_ns += FAKE_REGISTER + FAKE_REGISTER_BYTE * (double)bytes;
	return 0;
}

static int host_unregister(void *host)
{
	(void)host;
	return 0;
}

static int attribute(int *value, int which, int device)
{
	(void)device;
	*value = which == XS_CUDA_CLOCK_KHZ  ? FAKE_CLOCK_KHZ
		 : which == XS_CUDA_L2_BYTES ? FAKE_L2_BYTES
		 : which == XS_CUDA_SM_COUNT ? 4
					     : 0;
	return 0;
}

static int error_name(int error, const char **name)
{
	*name = error == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : "?";
	return 0;
}

static void reset(void)
{
	memset(&fake_faults, 0, sizeof(fake_faults));
	memset(engines, 0, sizeof(engines));
	memset(&flag, 0, sizeof(flag));
	memset(&legacy, 0, sizeof(legacy));
	memset(&last_write, 0, sizeof(last_write));
	memset(&near, 0, sizeof(near));
	memset(&mailbox, 0, sizeof(mailbox));
	now_ns = all_ready = kernels_ready = whole_ready = 1e9;
}

/* What needs another GPU. */
static void add_other(struct xs_cuda_device *gpu)
{
	gpu->api.cuDeviceGetCount = device_count;
	gpu->api.cuDeviceGet = device_get;
	gpu->api.cuDevicePrimaryCtxRetain = retain;
	gpu->api.cuDevicePrimaryCtxRelease = release_context;
	gpu->api.cuDeviceCanAccessPeer = can_access;
	gpu->api.cuCtxSetCurrent = set_context;
	gpu->api.cuCtxEnablePeerAccess = enable_access;
	gpu->api.cuCtxDisablePeerAccess = disable_access;
	gpu->api.cuMemcpyPeerAsync = copy_peer;
	retain(&gpu->context, gpu->device);
}

void fake_cuda_open(struct xs_cuda_device *gpu)
{
	memset(gpu, 0, sizeof(*gpu));
	reset();
	gpu->api = (struct xs_cuda_api){
	    .cuGetErrorName = error_name,
	    .cuDeviceGetAttribute = attribute,
	    .cuCtxSynchronize = context_sync,
	    .cuMemAlloc = alloc,
	    .cuMemFree = release,
	    .cuMemHostAlloc = host_alloc,
	    .cuMemFreeHost = host_free,
	    .cuMemHostGetDevicePointer = host_address,
	    .cuMemHostRegister = host_register,
	    .cuMemHostUnregister = host_unregister,
	    .cuMemcpyHtoD = copy_in,
	    .cuMemcpyDtoH = copy_out,
	    .cuMemcpyHtoDAsync = copy_in_async,
	    .cuMemcpyDtoHAsync = copy_out_async,
	    .cuStreamCreate = stream_create,
	    .cuStreamDestroy = stream_destroy,
	    .cuStreamSynchronize = stream_sync,
	    .cuStreamWaitEvent = stream_wait,
	    .cuEventCreate = event_create,
	    .cuEventDestroy = event_destroy,
	    .cuEventRecord = event_record,
	    .cuEventSynchronize = event_sync,
	    .cuEventElapsedTime = event_elapsed,
	    .cuLaunchKernel = launch,
	    .cuStreamBeginCapture = begin_capture,
	    .cuStreamEndCapture = end_capture,
	    .cuGraphInstantiateWithFlags = make_graph,
	    .cuGraphLaunch = launch_graph,
	    .cuGraphExecDestroy = destroy_exec,
	    .cuGraphDestroy = destroy_graph,
	    .cuMemcpyBatchAsync = batch,
	};
	add_other(gpu);
	for (int i = 0; i < XS_KERNELS; i++)
		gpu->kernel[i] = (xs_cuda_function)(uintptr_t)(i + 1);
}
