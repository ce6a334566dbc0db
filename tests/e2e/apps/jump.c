/* SPDX-License-Identifier: MIT */
/* A program that leaves a CUDA call with longjmp(), as one does that limits a
 * call's time; with an argument, everything runs in a signal handler on its own
 * stack. It knows nothing of xferspy. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

#include <cuda_runtime_api.h>

#define STACK_BYTES (1u << 20)

static sigjmp_buf back;
static void *device;
static volatile int failed;

static void on_alarm(int signal)
{
	(void)signal;
	siglongjmp(back, 1);
}

static void work(int signal)
{
	static char host[4096];

	(void)signal;
	cudaDeviceSynchronize(); /* the next one is entered at once */
	if (!sigsetjmp(back, 1)) {
		/* blocked: it comes where the simulated call lets it in */
		raise(SIGALRM);
		cudaDeviceSynchronize();
		failed = 1;
	}
	for (int i = 0; i < 30; i++)
		failed |= cudaMemcpy(device, host, sizeof(host),
				     cudaMemcpyHostToDevice) != cudaSuccess;
}

static int work_in_handler(void)
{
	const struct sigaction action = {.sa_handler = work,
					 .sa_flags = SA_ONSTACK};
	const stack_t stack = {
	    .ss_sp = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
	    .ss_size = STACK_BYTES};

	return stack.ss_sp == MAP_FAILED || sigaltstack(&stack, NULL) ||
	       sigaction(SIGUSR1, &action, NULL) || raise(SIGUSR1);
}

int main(int argc, char **argv)
{
	sigset_t blocked;

	(void)argv;
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGALRM);
	if (sigprocmask(SIG_BLOCK, &blocked, NULL) ||
	    cudaMalloc(&device, 4096) || signal(SIGALRM, on_alarm) == SIG_ERR)
		return 2;
	if (argc > 1)
		failed |= work_in_handler();
	else
		work(0);
	if (failed)
		return 2;
	puts("done");
	return 0;
}
