/* SPDX-License-Identifier: MIT */
/*
 * A timer's handler forks while the first CUDA call runs. The children return
 * to that call after the parent has made its other calls. A child that returned
 * to a later call would wait for CUDA's threads, which it does not have. Prints
 * the parent's process id and the number of its calls.
 */
#include <cuda_runtime_api.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define INTERVAL_US 20000
#define COPIES	    100

static int gate[2]; /* a pipe: the parent closes it */
static volatile sig_atomic_t is_child, children;

static void on_alarm(int number)
{
	const int kept_errno = errno;
	const pid_t pid = fork();
	char none;

	(void)number;
	if (pid == 0) {
		is_child = 1;
		close(gate[1]);
		while (read(gate[0], &none, 1) < 0 && errno == EINTR)
			;
	}
	children += pid > 0;
	errno = kept_errno;
}

static int make_first_call(void **device)
{
	const struct sigaction action = {.sa_handler = on_alarm};
	const struct itimerval often = {{0, INTERVAL_US}, {0, INTERVAL_US}};
	const struct itimerval never = {0};
	cudaError_t error;

	if (pipe(gate) || sigaction(SIGALRM, &action, NULL) ||
	    setitimer(ITIMER_REAL, &often, NULL))
		return -1;
	error = cudaMalloc(device, 64);
	if (is_child)
		_exit(0);
	return setitimer(ITIMER_REAL, &never, NULL) || error ? -1 : 0;
}

int main(void)
{
	char host[64] = "";
	void *device;
	int status;

	if (make_first_call(&device))
		return 2;
	for (int i = 0; i < COPIES; i++)
		if (cudaMemcpy(device, host, sizeof(host),
			       cudaMemcpyHostToDevice))
			return 2;
	close(gate[1]);
	for (int left = children; left > 0; left--)
		if (wait(&status) < 0 || status)
			return 3;
	printf("%d %d\n", getpid(), COPIES + 1);
	return children ? 0 : 4;
}
