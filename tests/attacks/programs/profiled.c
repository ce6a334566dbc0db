/* SPDX-License-Identifier: MIT */
/* Two threads make CUDA calls from many places for as many seconds as the
 * argument says, while SIGPROF arrives at 1 kHz and its handler walks the
 * stack, as a sampling profiler does. Prints the number of copies. */
#include <cuda_runtime_api.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

#define FRAMES 64
#define ENOUGH 10 /* samples, on a machine that gives us little time */

static void *device;
static time_t seconds;
static volatile sig_atomic_t samples;

static void on_sample(int number)
{
	void *frames[FRAMES];

	(void)number;
	samples += backtrace(frames, FRAMES) > 0;
}

/* Deep stacks, of which each is new for a while. */
static __attribute__((noinline)) unsigned long copy(unsigned depth)
{
	char host[64] = "";

	if (depth)
		return copy(depth - 1) + (host[0] != 0);
	return cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice) ==
	       cudaSuccess;
}

static void *work(void *copies)
{
	const time_t end = time(NULL) + seconds;

	for (unsigned i = 0; time(NULL) <= end || samples < ENOUGH; i++) {
		*(unsigned long *)copies += copy(i % 100);
		/* fails, but its call stack is walked */
		cudaLaunchKernel((const void *)work, (dim3){1, 1, 1},
				 (dim3){1, 1, 1}, NULL, 0, NULL);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const struct itimerval often = {{0, 1000}, {0, 1000}};
	const struct sigaction action = {.sa_handler = on_sample,
					 .sa_flags = SA_RESTART};
	unsigned long copies[2] = {0};
	pthread_t thread;

	on_sample(0); /* loads the unwinder */
	seconds = argc > 1 ? atoi(argv[1]) : 1;
	if (sigaction(SIGPROF, &action, NULL) ||
	    setitimer(ITIMER_PROF, &often, NULL) || cudaMalloc(&device, 64) ||
	    pthread_create(&thread, NULL, work, &copies[1]))
		return 2;
	work(&copies[0]);
	pthread_join(thread, NULL);
	printf("%lu\n", copies[0] + copies[1]);
	return 0;
}
