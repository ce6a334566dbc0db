/* SPDX-License-Identifier: MIT */
/* A child shares the memory, as after vfork(), and has the id 1 in a namespace
 * of its own. As the first process of a namespace, so has the parent. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cuda_runtime.h>

static int child(void *unused)
{
	(void)unused;
	_exit(getpid() == 1 ? 0 : 1);
}

int main(void)
{
	static char stack[64 << 10] __attribute__((aligned(16)));
	void *device = NULL;
	int status = -1, failed = cudaMalloc(&device, 64) != cudaSuccess;
	pid_t pid;

	failed += cudaMemset(device, 1, 64) != cudaSuccess;
	pid = clone(child, stack + sizeof(stack),
		    CLONE_VM | CLONE_VFORK | CLONE_NEWPID | SIGCHLD, NULL);
	if (pid < 0)
		return errno == EPERM ? 77 : 1;
	waitpid(pid, &status, 0);
	failed += cudaMemset(device, 2, 64) != cudaSuccess;
	failed += cudaDeviceSynchronize() != cudaSuccess;
	printf("id %d, child %d, %d failed\n", getpid(), status, failed);
	return failed;
}
