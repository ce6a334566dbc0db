/* SPDX-License-Identifier: MIT */
/* Measures how much of a small stack CUDA calls take: runs each step in a
 * signal handler on an alternate stack, or in a thread, whose stack was filled
 * with a pattern before, and prints the bytes that changed. */
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define STACK_BYTES (256u << 10)
#define PATTERN	    0xa5

static char host[2u << 20];
static void *device, *library;
static int (*driver_copy)(uintptr_t to, const void *from, size_t bytes);

static void first(void)
{
	cudaMalloc(&device, sizeof(host));
}

static void site(void)
{
	cudaMemcpy(device, host, 4096, cudaMemcpyHostToDevice);
}

static void copies(void)
{
	for (int i = 0; i < 5000; i++)
		cudaMemcpy(device, host, 64 + (size_t)i,
			   cudaMemcpyHostToDevice);
}

static void large(void)
{
	cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice);
}

/* Fails, and is recorded. */
static void launch(void)
{
	cudaLaunchKernel((const void *)launch, (dim3){1, 1, 1}, (dim3){1, 1, 1},
			 NULL, 0, NULL);
}

/* Only CUPTI's callbacks see it. */
static void driver(void)
{
	driver_copy((uintptr_t)device, host, 4096);
}

static void allocate(void)
{
	void *more;

	cudaMallocManaged(&more, 4096, cudaMemAttachGlobal);
}

static void synchronize(void)
{
	cudaDeviceSynchronize();
}

static void poll(void)
{
	for (int i = 0; i < 100; i++)
		cudaStreamQuery(NULL);
}

static void mark(void)
{
	cudaProfilerStart();
	cudaProfilerStop();
}

static void unload(void)
{
	dlclose(library);
}

static void end(void)
{
	_exit(3);
}

static const struct step {
	const char *name;
	void (*run)(void);
	int in_thread;
} steps[] = {
    {"first", first, 0},       {"site", site, 0},
    {"copies", copies, 0},     {"large", large, 0},
    {"launch", launch, 0},     {"driver", driver, 0},
    {"allocate", allocate, 0}, {"synchronize", synchronize, 0},
    {"poll", poll, 0},	       {"mark", mark, 0},
    {"unload", unload, 0},     {"thread", site, 1},
    {"end", end, 0},
};
#define STEPS (sizeof(steps) / sizeof(*steps))

static const struct step *current;

static void on_signal(int number)
{
	(void)number;
	current->run();
}

static void *on_thread(void *unused)
{
	current->run();
	return unused;
}

static char *paint(void)
{
	char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (stack == MAP_FAILED)
		exit(2);
	return memset(stack, PATTERN, STACK_BYTES);
}

static size_t depth_of(const char *stack)
{
	size_t left = 0;

	while (left < STACK_BYTES && (unsigned char)stack[left] == PATTERN)
		left++;
	return STACK_BYTES - left;
}

static void run_in_thread(char *stack)
{
	pthread_attr_t attributes;
	pthread_t thread;

	if (pthread_attr_init(&attributes) ||
	    pthread_attr_setstack(&attributes, stack, STACK_BYTES) ||
	    pthread_create(&thread, &attributes, on_thread, NULL) ||
	    pthread_join(thread, NULL))
		exit(2);
}

static void run_in_handler(char *stack)
{
	const stack_t own = {.ss_sp = stack, .ss_size = STACK_BYTES};
	const struct sigaction action = {.sa_handler = on_signal,
					 .sa_flags = SA_ONSTACK};

	if (sigaltstack(&own, NULL) || sigaction(SIGUSR1, &action, NULL) ||
	    raise(SIGUSR1))
		exit(2);
}

/* A child, whose end can be measured, too. */
static void run_all(char *const *stacks)
{
	void *cuda = dlopen("libcuda.so.1", RTLD_NOW);

	library = dlopen("libresolv.so.2", RTLD_NOW);
	*(void **)&driver_copy = dlsym(cuda, "cuMemcpyHtoD_v2");
	for (size_t i = 0; i < STEPS; i++) {
		current = &steps[i];
		if (current->in_thread)
			run_in_thread(stacks[i]);
		else
			run_in_handler(stacks[i]);
	}
}

int main(void)
{
	char *stacks[STEPS];
	int status;
	pid_t child;

	for (size_t i = 0; i < STEPS; i++)
		stacks[i] = paint();
	child = fork();
	if (child == 0)
		run_all(stacks);
	if (child < 0 || waitpid(child, &status, 0) != child)
		return 2;
	for (size_t i = 0; i < STEPS; i++)
		printf("%s %zu\n", steps[i].name, depth_of(stacks[i]));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}
