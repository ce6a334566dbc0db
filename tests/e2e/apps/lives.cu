/* SPDX-License-Identifier: MIT */
/* Ways for a process to end, to exec and to have children: one mode each. It
 * knows nothing of xferspy. Each piece of work is two copies and a launch. */
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cuda_runtime.h>

extern char **environ;

static const int count = 256;

__global__ void increase(int *a)
{
	a[threadIdx.x] += 1;
}

static void work()
{
	int host[count] = {0}, *device = NULL, wrong = 0;

	cudaMalloc((void **)&device, sizeof(host));
	cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice);
	increase<<<1, count>>>(device);
	cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost);
	for (int value : host)
		wrong += value != 1;
	printf("worked: %d wrong\n", wrong);
	fflush(stdout);
}

/* Executes the same program again, to work and return. */
static void become_another(char *self)
{
	char mode[] = "return";
	char *const arguments[] = {self, mode, NULL};

	execv(self, arguments);
	_exit(1);
}

static int spawn_another(char *self)
{
	char mode[] = "return";
	char *const arguments[] = {self, mode, NULL};
	int status = -1;
	pid_t child;

	if (posix_spawn(&child, self, NULL, NULL, arguments, environ))
		return 1;
	waitpid(child, &status, 0);
	return status;
}

/* Like daemons: a grandchild, alone in its session. Returns true in it. */
static bool become_daemon()
{
	pid_t child = fork();

	if (child == 0) {
		setsid();
		if (fork() > 0)
			_exit(0);
		return true;
	}
	waitpid(child, NULL, 0);
	return false;
}

/* How it ends after its work. */
static int leave(const char *mode, char *self)
{
	if (strcmp(mode, "exit") == 0)
		exit(7);
	if (strcmp(mode, "_exit") == 0)
		_exit(7);
	if (strcmp(mode, "quick_exit") == 0)
		quick_exit(7);
	if (strcmp(mode, "abort") == 0)
		abort();
	if (strcmp(mode, "signal") == 0)
		raise(SIGSEGV);
	if (strcmp(mode, "SIGTERM") == 0)
		raise(SIGTERM);
	if (strcmp(mode, "SIGKILL") == 0)
		raise(SIGKILL);
	if (strcmp(mode, "exec-after") == 0)
		become_another(self);
	if (strcmp(mode, "spawn-after") == 0)
		return spawn_another(self);
	if (strcmp(mode, "daemon-after") == 0 && become_daemon()) {
		printf("daemon\n");
		exit(0);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "return";

	if (strcmp(mode, "exec-before") == 0)
		become_another(argv[0]);
	if (strcmp(mode, "spawn-before") == 0 && spawn_another(argv[0]))
		return 1;
	if (strcmp(mode, "daemon-before") == 0 && !become_daemon())
		return 0;
	work();
	return leave(mode, argv[0]);
}
