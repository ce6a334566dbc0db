/* SPDX-License-Identifier: MIT */
/* A program that uses CUDA as its first argument says, and prints the results.
 * It knows nothing of xferspy. */
#include <dlfcn.h>
#include <driver_types.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector_types.h>

extern cudaError_t cudaMalloc(void **pointer, size_t bytes);
extern cudaError_t cudaFree(void *pointer);
extern cudaError_t cudaMemcpy(void *dst, const void *src, size_t bytes,
			      enum cudaMemcpyKind kind);
extern cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p);
extern cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block,
				    void **arguments, size_t shared,
				    cudaStream_t stream);
extern cudaError_t cudaDeviceSynchronize(void);
extern cudaError_t cudaStreamQuery(cudaStream_t stream);

static void use_cuda(void)
{
	void *device = NULL;
	char host[64] = "";

	errno = EDOM;
	printf("%d", cudaMalloc(&device, 64));
	printf(" %d", errno == EDOM);
	printf(" %d", cudaMemcpy(device, host, 64, cudaMemcpyHostToDevice));
	printf(" %d", errno == ERANGE);
	printf(" %d", cudaLaunchKernel(host, (dim3){1, 2, 3}, (dim3){4, 5, 6},
				       &device, 7, (cudaStream_t)8));
	printf(" %d", cudaDeviceSynchronize());
	printf(" %d", cudaFree(device));
	printf(" %d", cudaMalloc(&device, 2u << 30));
	printf(" %d\n", cudaMemcpy3D(NULL));
	fflush(stdout);
}

static int fork_after_use(void)
{
	int status = 0;
	pid_t pid;

	use_cuda();
	pid = fork();
	if (pid == 0) {
		use_cuda();
		exit(4);
	}
	waitpid(pid, &status, 0);
	pid = fork();
	if (pid == 0)
		_exit(5);
	waitpid(pid, &status, 0);
	pid = vfork();
	if (pid == 0)
		_exit(6);
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

static int fork_before_use(void)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		use_cuda();
		exit(0);
	}
	waitpid(pid, &status, 0);
	use_cuda();
	return WEXITSTATUS(status);
}

/* Each call comes from its own call site. */
static void *call_from_everywhere(void *done)
{
#define FOUR(what) what what what what
	FOUR(FOUR(FOUR(FOUR(FOUR(cudaFree(NULL);)))))
#undef FOUR
	atomic_store((atomic_bool *)done, true);
	return NULL;
}

/* Loads a library that is not loaded yet. */
static void load_or_die(void)
{
	alarm(600); /* a deadlock */
	_exit(dlopen("libresolv.so.2", RTLD_NOW) ? 0 : 1);
}

/* Forks while another thread makes calls from new call sites. */
static int fork_beside_use(void)
{
	atomic_bool done = false;
	int status = 0;
	pthread_t thread;

	use_cuda(); /* the first use loads libraries; do not fork meanwhile */
	pthread_create(&thread, NULL, call_from_everywhere, &done);
	while (!atomic_load(&done) && status == 0) {
		pid_t pid = fork();
		if (pid == 0)
			load_or_die();
		waitpid(pid, &status, 0);
	}
	pthread_join(thread, NULL);
	return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

static void *copy_often(void *data)
{
	for (int i = 0; i < 1000; i++)
		cudaMemcpy(data, data, 8, cudaMemcpyHostToDevice);
	return NULL;
}

static int use_threads(void)
{
	pthread_t threads[8];
	char memory[8] = "";

	for (int i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, copy_often, memory);
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

/* Closes stderr as daemons do: the next file gets descriptor 2. */
static int use_stderr_for_a_file(void)
{
	FILE *own;

	close(STDERR_FILENO);
	own = fopen("own-file", "w");
	if (!own)
		return 1;
	use_cuda();
	/* exit() closes it, after the trace was closed. */
	return fileno(own) == STDERR_FILENO ? 3 : 1;
}

/* Makes calls before and after a line on standard input. */
static int use_interrupted(void)
{
	char memory[8] = "";

	copy_often(memory);
	printf("ready\n");
	fflush(stdout);
	if (getchar() == EOF)
		return 1;
	copy_often(memory);
	usleep(300000); /* lets the collector run */
	copy_often(memory);
	use_threads();
	use_cuda();
	return 3;
}

/* Loads a library as CUDA loads CUDA_INJECTION64_PATH. */
static int load_tool(const char *path)
{
	void *tool = dlopen(path, RTLD_NOW);
	int (*initialize)(void) =
	    tool ? (int (*)(void))dlsym(tool, "InitializeInjection") : NULL;

	return initialize && initialize() == 1 ? 0 : 1;
}

static int poll_and_leave(void)
{
	use_cuda();
	for (int i = 0; i < 5; i++)
		if (cudaStreamQuery(NULL) != cudaErrorNotReady)
			return 1;
	return 3;
}

static void call_late(void)
{
	cudaFree(NULL);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	if (strcmp(how, "nothing") == 0)
		return 0;
	if (strcmp(how, "fork-after") == 0)
		return fork_after_use();
	if (strcmp(how, "fork-before") == 0)
		return fork_before_use();
	if (strcmp(how, "fork-beside") == 0)
		return fork_beside_use();
	if (strcmp(how, "threads") == 0)
		return use_threads();
	if (strcmp(how, "own-file") == 0)
		return use_stderr_for_a_file();
	if (strcmp(how, "polls") == 0)
		return poll_and_leave();
	if (strcmp(how, "interrupted") == 0)
		return use_interrupted();
	if (strcmp(how, "load") == 0 && load_tool(argv[2]))
		return 1;
	if (strcmp(how, "late") == 0)
		atexit(call_late);
	use_cuda();
	if (strcmp(how, "_exit") == 0)
		_exit(7);
	if (strcmp(how, "_Exit") == 0)
		_Exit(8);
	if (strcmp(how, "quick_exit") == 0)
		quick_exit(9);
	if (strcmp(how, "kill") == 0)
		raise(SIGKILL);
	return 3;
}
