/* SPDX-License-Identifier: MIT */
/* A thread whose signal handler calls CUDA in the middle of a copy, on a stack
 * above the thread's own; with an argument, on the thread's stack. It knows
 * nothing of xferspy. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>

#include <cuda_runtime_api.h>

#define STACK_BYTES  (1u << 20)
#define COPIES	     8
#define SIGNALLED_AT 4

static void *device;
static atomic_int handled;

static void on_signal(int signal)
{
	(void)signal;
	for (int i = 0; i < 4; i++)
		cudaMemset(device, i, 64);
	handled++;
}

/* The signal is blocked, and comes where the simulated call lets it in. */
static void *copy(void *stack)
{
	const stack_t own = {.ss_sp = stack, .ss_size = STACK_BYTES};
	static char host[4096];
	sigset_t blocked;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	if (sigaltstack(&own, NULL) ||
	    pthread_sigmask(SIG_BLOCK, &blocked, NULL))
		return "no stack";
	for (int i = 0; i < COPIES; i++) {
		if (i == SIGNALLED_AT)
			pthread_kill(pthread_self(), SIGUSR1);
		if (cudaMemcpy(device, host, sizeof(host),
			       cudaMemcpyHostToDevice))
			return "a copy failed";
	}
	return NULL;
}

int main(int argc, char **argv)
{
	/* mapped before the thread's stack, so above it */
	void *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const struct sigaction action = {.sa_handler = on_signal,
					 .sa_flags = argc > 1 ? 0 : SA_ONSTACK};
	void *failed = NULL;
	pthread_t thread;

	(void)argv;
	if (stack == MAP_FAILED || cudaMalloc(&device, STACK_BYTES) ||
	    sigaction(SIGUSR1, &action, NULL) ||
	    pthread_create(&thread, NULL, copy, stack))
		return 2;
	pthread_join(thread, &failed);
	printf("%s, %d handled\n", failed ? (char *)failed : "done", handled);
	return 0;
}
