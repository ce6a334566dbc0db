/* SPDX-License-Identifier: MIT */
/*
 * A program that jumps out of a call of CUDA, as one does that gives a call
 * some time and then goes on. It knows nothing of xferspy.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#include <cuda_runtime_api.h>

static sigjmp_buf back;

static void on_alarm(int signal)
{
	(void)signal;
	siglongjmp(back, 1);
}

int main(void)
{
	const struct itimerval soon = {.it_value.tv_usec = 20000};
	static char host[4096];
	void *device;

	if (cudaMalloc(&device, sizeof(host)) ||
	    signal(SIGALRM, on_alarm) == SIG_ERR)
		return 2;
	if (!sigsetjmp(back, 1)) {
		setitimer(ITIMER_REAL, &soon, NULL);
		for (;;)
			cudaDeviceSynchronize();
	}
	for (int i = 0; i < 30; i++)
		if (cudaMemcpy(device, host, sizeof(host),
			       cudaMemcpyHostToDevice))
			return 2;
	puts("done");
	return 0;
}
