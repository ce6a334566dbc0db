/* SPDX-License-Identifier: MIT */
/* Copies in two threads after it has limited its own address space or data to
 * what they are, and some KiB more.
 *	little_memory as|data KIB */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cuda_runtime.h>

#define COPIES 10000
#define WARM   10 /* the loader ends a thread without room for its variables */

static void *device;
static pthread_barrier_t limited;

static long failed_copies(unsigned count)
{
	char host[64] = "";
	long failed = 0;

	for (unsigned i = 0; i < count; i++)
		failed += cudaMemcpy(device, host, sizeof(host),
				     cudaMemcpyHostToDevice) != cudaSuccess;
	return failed;
}

static void *copy(void *unused)
{
	long failed = failed_copies(WARM);

	(void)unused;
	pthread_barrier_wait(&limited);
	pthread_barrier_wait(&limited);
	return (void *)(failed + failed_copies(COPIES));
}

/* Returns a field of /proc/self/status in KiB; 0: unknown. */
static unsigned long usage_kib(const char *name)
{
	FILE *file = fopen("/proc/self/status", "re");
	unsigned long kib = 0;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, name, strlen(name)) == 0)
			sscanf(line + strlen(name), ": %lu", &kib);
	if (file)
		fclose(file);
	return kib;
}

static int limit(const char *what, unsigned long more_kib)
{
	const int space = strcmp(what, "as") == 0;
	const unsigned long kib = usage_kib(space ? "VmSize" : "VmData");
	const struct rlimit limit = {(kib + more_kib) << 10, (kib + more_kib)
								 << 10};

	return !kib || setrlimit(space ? RLIMIT_AS : RLIMIT_DATA, &limit);
}

int main(int argc, char **argv)
{
	void *failed_there = NULL;
	pthread_t thread;
	long failed;

	pthread_barrier_init(&limited, NULL, 2);
	if (argc < 3 || cudaMalloc(&device, 64) ||
	    pthread_create(&thread, NULL, copy, NULL))
		return 2;
	failed = failed_copies(WARM);
	pthread_barrier_wait(&limited);
	puts("limited"); /* allocates stdout's buffer */
	if (limit(argv[1], strtoul(argv[2], NULL, 10)))
		return 77;
	pthread_barrier_wait(&limited);
	failed += failed_copies(COPIES);
	pthread_join(thread, &failed_there);
	printf("%ld failed\n", failed + (long)failed_there);
	return 5;
}
