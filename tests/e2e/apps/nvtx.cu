/* SPDX-License-Identifier: MIT */
/* A program that names its code with NVTX, well and badly. It prints what
 * NVTX returns. */
#include "check.h"

#include <csignal>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <pthread.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <cuda_profiler_api.h>
#include <nvtx3/nvToolsExt.h>

static const size_t count = 1 << 16;
static float *host, *device;

__global__ void add(float *data, size_t n)
{
	size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

	if (i < n)
		data[i] += 1;
}

static void allocate()
{
	host = (float *)malloc(count * sizeof(*host));
	CHECK(cudaMalloc(&device, count * sizeof(*host)));
}

static void copy_in()
{
	CHECK(cudaMemcpy(device, host, count * sizeof(*host),
			 cudaMemcpyHostToDevice));
}

static void compute()
{
	add<<<(unsigned)(count / 256), 256>>>(device, count);
	CHECK(cudaDeviceSynchronize());
}

static void copy_out()
{
	CHECK(cudaMemcpy(host, device, count * sizeof(*host),
			 cudaMemcpyDeviceToHost));
}

static nvtxEventAttributes_t named(const char *name)
{
	nvtxEventAttributes_t attributes = {};

	attributes.version = NVTX_VERSION;
	attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
	attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
	attributes.message.ascii = name;
	return attributes;
}

/* "main" begins before CUDA does. */
static void steps(int rounds)
{
	nvtxDomainHandle_t domain = nvtxDomainCreateA("solver");
	nvtxEventAttributes_t halo = {};

	halo.version = NVTX_VERSION;
	halo.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
	halo.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
	halo.message.registered =
	    nvtxDomainRegisterStringA(domain, "halo exchange");
	printf("push %d\n", nvtxRangePushA("main"));
	allocate();
	for (int i = 0; i < rounds; i++) {
		nvtxRangePushA("step");
		nvtxDomainRangePushEx(domain, &halo);
		copy_in();
		nvtxDomainRangePop(domain);
		nvtxRangePushW(L"compute \u03b1");
		compute();
		nvtxRangePop();
		nvtxRangePushA("out");
		copy_out();
		nvtxRangePop();
		nvtxRangePop();
	}
	printf("pop %d, again %d\n", nvtxRangePop(), nvtxRangePop());
	nvtxDomainDestroy(domain);
}

static void *end_range(void *id)
{
	nvtxRangeEnd((nvtxRangeId_t)(uintptr_t)id);
	nvtxRangeEnd((nvtxRangeId_t)(uintptr_t)id); /* ended already */
	return NULL;
}

/* What is legal and rare, or wrong. */
static void odd()
{
	nvtxEventAttributes_t none = {}, escape = named("\x1b[31m<b>&\"\n%s"),
			      crossing = named("crossing");
	nvtxDomainHandle_t domain = nvtxDomainCreateA("domain");
	char huge[10000];
	nvtxRangeId_t id;
	pthread_t thread;

	allocate();
	nvtxRangePop();
	nvtxRangeEnd(0);
	nvtxRangeEnd(12345);
	nvtxDomainRangePop((nvtxDomainHandle_t)(uintptr_t)77777);
	nvtxRangePushA(NULL);
	nvtxRangePop();
	nvtxRangePushEx(NULL);
	nvtxRangePop();
	nvtxRangePushEx(&none);
	nvtxRangePop();
	nvtxRangePushEx(&escape);
	nvtxRangePop();
	nvtxRangePushA("");
	nvtxRangePop();
	memset(huge, 'h', sizeof(huge) - 1);
	huge[sizeof(huge) - 1] = 0;
	nvtxRangePushA(huge);
	nvtxRangePop();
	id = nvtxRangeStartA("request");
	CHECK(cudaMemset(device, 0, 64));
	pthread_create(&thread, NULL, end_range, (void *)(uintptr_t)id);
	pthread_join(thread, NULL);
	nvtxRangePushA("crossed");
	nvtxDomainRangePushEx(domain, &crossing);
	nvtxRangePop();
	nvtxDomainRangePop(domain);
	nvtxRangePushA("aten::mul, seq = 12, op_id = 34");
	nvtxRangePop();
	nvtxRangePushA("aten::mul, op_id = 35");
	nvtxRangePop();
	nvtxMarkA("mark");
	nvtxRangePushA("never popped");
}

/* More open ranges than there is room for, of two domains. */
static void deep(int ranges)
{
	nvtxEventAttributes_t base = named("base"), beyond = named("beyond"),
			      other = named("other");
	nvtxDomainHandle_t domain = nvtxDomainCreateA("domain");
	nvtxDomainHandle_t empty = nvtxDomainCreateA("without a range");

	allocate();
	nvtxDomainRangePushEx(domain, &base);
	for (int i = 0; i < ranges; i++)
		nvtxRangePushA("deep");
	nvtxDomainRangePushEx(domain, &beyond);
	nvtxDomainRangePushEx(empty, &other);
	nvtxDomainRangePop(domain);
	nvtxDomainRangePop(empty);
	nvtxRangeEnd(nvtxRangeStartA("between"));
	nvtxDomainRangePop(domain);
	for (int i = 0; i < ranges; i++)
		nvtxRangePop();
}

static void many_names(int names)
{
	char name[32];

	for (int i = 0; i < names; i++) {
		snprintf(name, sizeof(name), "name %d", i);
		nvtxRangePushA(name);
		nvtxRangePop();
	}
}

static void many(int names)
{
	allocate();
	many_names(names);
}

/* Names of ranges outside of recording, then domains, then those inside. */
static void outside(int names)
{
	allocate();
	cudaProfilerStop();
	many_names(names);
	nvtxRangePushA("around");
	cudaProfilerStart();
	nvtxRangePushA("recorded");
	copy_in();
	nvtxRangePop();
	nvtxRangePop();
	cudaProfilerStop();
}

/* The last domain finds no room for its name: its ranges are its own. */
static void domains(int names)
{
	nvtxEventAttributes_t inner = named("name 1"), outer = named("name 2");
	nvtxDomainHandle_t domain;

	allocate();
	many_names(names);
	domain = nvtxDomainCreateA("one too many");
	nvtxRangePushEx(&outer);
	nvtxDomainRangePushEx(domain, &inner);
	nvtxRangePop();
	nvtxDomainRangePop(domain);
}

static volatile sig_atomic_t handled;

static void on_signal(int)
{
	nvtxRangePushA("handler");
	handled = handled + 1;
	nvtxRangePop();
}

static void signals()
{
	struct timespec now, end;
	const struct timespec step = {0, 20000};
	struct sigevent event = {};
	struct itimerspec every = {step, step};
	timer_t timer;

	allocate();
	nvtxRangePushA("warm");
	nvtxRangePop();
	signal(SIGUSR1, on_signal);
	event.sigev_notify = SIGEV_SIGNAL;
	event.sigev_signo = SIGUSR1;
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &every, NULL);
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec++;
	do {
		nvtxRangePushA("outer");
		nvtxRangePushA("inner");
		nvtxRangePop();
		nvtxRangePop();
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (handled < 200 || now.tv_sec < end.tv_sec);
	timer_delete(timer);
}

#ifdef __x86_64__
/* A trap at the n-th instruction from now, for each n; 0: none any more. */
static volatile int trap_in;

static void on_trap(int, siginfo_t *, void *context)
{
	if (--trap_in)
		return;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~0x100;
	nvtxRangePop();
}

/* A handler pops the range that is being popped. */
static void popped_twice()
{
	struct sigaction action = {};

	allocate();
	action.sa_sigaction = on_trap;
	action.sa_flags = SA_SIGINFO;
	sigaction(SIGTRAP, &action, NULL);
	for (int n = 1; n < 300; n++) {
		nvtxRangePushA("popped");
		trap_in = n;
		__asm__ volatile("sub $128, %%rsp; pushfq;"
				 "orq $0x100, (%%rsp); popfq;"
				 "add $128, %%rsp" ::
				     : "memory", "cc");
		nvtxRangePop();
		while (trap_in)
			;
		for (int depth = 0; depth < 3; depth++)
			nvtxRangePop();
		nvtxRangePushA("next");
		nvtxRangePop();
	}
}
#else
static void popped_twice()
{
}
#endif

static void one_round(const char *name)
{
	nvtxRangePushA(name);
	allocate();
	copy_in();
	nvtxRangePop();
}

/* NVTX is attached before each fork. */
static void forks(bool before)
{
	pid_t child;

	nvtxRangePushA("both");
	if (!before)
		one_round("parent");
	child = fork();
	if (child == 0) {
		nvtxRangePushA("in the child");
		if (before)
			one_round("child");
		nvtxRangePop();
		nvtxRangePop();
		exit(0);
	}
	waitpid(child, NULL, 0);
	if (before)
		one_round("parent");
	nvtxRangePop();
}

static const size_t stack_bytes = 256 << 10;
static unsigned char *stack;

/* Returns how far below its caller's frame the stack was written. */
__attribute__((noinline)) static size_t used_by(void (*run)())
{
	unsigned char *here = (unsigned char *)__builtin_frame_address(0);
	unsigned char *lowest = stack;

	memset(stack, 0xa5, (size_t)(here - 512 - stack));
	run();
	while (*lowest == 0xa5)
		lowest++;
	return (size_t)(here - lowest);
}

static void push_and_pop()
{
	nvtxRangePushA("on a small stack");
	nvtxRangePop();
}

static void push_and_pop_wide()
{
	nvtxRangePushW(L"wide");
	nvtxRangePop();
}

static void *use_stack(void *)
{
	const size_t first = used_by(push_and_pop);
	const size_t wide = used_by(push_and_pop_wide);
	const size_t later = used_by(push_and_pop);

	fprintf(stderr, "stack %zu %zu %zu\n", first, wide, later);
	return NULL;
}

/* NVTX's own start takes 16 KiB of stack: the main thread does it. */
static void stacks()
{
	pthread_attr_t attributes;
	pthread_t thread;

	allocate();
	nvtxRangePushA("main");
	nvtxRangePop();
	stack = (unsigned char *)aligned_alloc(4096, stack_bytes);
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, stack, stack_bytes);
	pthread_create(&thread, &attributes, use_stack, NULL);
	pthread_join(thread, NULL);
}

/* Processor time of a range, without CUDA calls in it. */
static void cost()
{
	const int times = 200000;
	struct timespec begin, end;
	double best = 1e9;

	allocate();
	copy_in();
	for (int turn = 0; turn < 5; turn++) {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
		for (int i = 0; i < times; i++) {
			nvtxRangePushA("halo exchange");
			nvtxRangePop();
		}
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
		const double ns = ((double)(end.tv_sec - begin.tv_sec) * 1e9 +
				   (double)(end.tv_nsec - begin.tv_nsec)) /
				  times;
		best = ns < best ? ns : best;
	}
	fprintf(stderr, "%.1f ns a range\n", best);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	const int n = argc > 2 ? atoi(argv[2]) : 3;

	if (!strcmp(mode, "steps"))
		steps(n);
	else if (!strcmp(mode, "odd"))
		odd();
	else if (!strcmp(mode, "deep"))
		deep(n);
	else if (!strcmp(mode, "many"))
		many(n);
	else if (!strcmp(mode, "outside"))
		outside(n);
	else if (!strcmp(mode, "domains"))
		domains(n);
	else if (!strcmp(mode, "signals"))
		signals();
	else if (!strcmp(mode, "popped-twice"))
		popped_twice();
	else if (!strcmp(mode, "fork-before"))
		forks(true);
	else if (!strcmp(mode, "fork-after"))
		forks(false);
	else if (!strcmp(mode, "stack"))
		stacks();
	else if (!strcmp(mode, "cost"))
		cost();
	else if (!strcmp(mode, "nothing"))
		push_and_pop();
	printf("done\n");
	return 0;
}
