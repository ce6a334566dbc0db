/* SPDX-License-Identifier: MIT */
/* Four threads fork as many children as the argument says while two others make
 * CUDA calls. Children end in different ways; some call CUDA, which does not
 * work in them. Prints the number of copies, and of children that ended with
 * their own exit code. */
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define FORKERS 4
#define COPIERS 2

static void *device;
static atomic_uint copies, children, right;
static unsigned wanted;

static void copy(void)
{
	char host[64] = "";

	copies += cudaMemcpy(device, host, sizeof(host),
			     cudaMemcpyHostToDevice) == cudaSuccess;
}

static void __attribute__((noreturn)) live(unsigned number)
{
	const int code = (int)(number % 100);

	if (number % 3 == 0)
		copy();
	if (number % 2)
		_exit(code);
	exit(code);
}

static void *fork_children(void *unused)
{
	unsigned number;
	int status;
	pid_t pid;

	while ((number = children++) < wanted) {
		pid = fork();
		if (pid == 0)
			live(number);
		if (pid < 0 || waitpid(pid, &status, 0) != pid)
			exit(2);
		right += WIFEXITED(status) &&
			 WEXITSTATUS(status) == (int)(number % 100);
	}
	return unused;
}

static void *copy_meanwhile(void *unused)
{
	while (children < wanted) {
		copy();
		usleep(50);
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[FORKERS + COPIERS];

	wanted = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
	if (cudaMalloc(&device, 64))
		return 2;
	for (int i = 0; i < FORKERS + COPIERS; i++)
		if (pthread_create(&threads[i], NULL,
				   i < FORKERS ? fork_children : copy_meanwhile,
				   NULL))
			return 2;
	for (int i = 0; i < FORKERS + COPIERS; i++)
		pthread_join(threads[i], NULL);
	printf("%u %u\n", copies, right);
	fflush(stdout);
	return 0;
}
