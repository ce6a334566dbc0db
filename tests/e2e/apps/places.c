/* SPDX-License-Identifier: MIT */
/* One copy, from an inlined function; symbols.sh builds it in each way that a
 * program may be built. With LIBRARY, the part that is loaded; with LOADER, the
 * program that loads it. */
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int move(char *host);

#ifndef LOADER
static inline __attribute__((always_inline)) int upload(void *device,
							const char *host)
{
	return cudaMemcpy(device, host, 4096, cudaMemcpyHostToDevice);
}

__attribute__((noinline)) int move(char *host)
{
	void *device;
	int failed = cudaMalloc(&device, 4096);

	failed += upload(device, host);
	return failed + cudaDeviceSynchronize();
}
#endif

#ifndef LIBRARY
int main(int argc, char **argv)
{
	static char host[4096];
#ifdef LOADER
	void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	int (*call)(char *) =
	    library ? (int (*)(char *))dlsym(library, "move") : NULL;

	if (argc < 2 || !call) {
		fputs("no library\n", stderr);
		return EXIT_FAILURE;
	}
#else
	int (*call)(char *) = move;

	(void)argc;
	(void)argv;
#endif
	return call(host) ? EXIT_FAILURE : EXIT_SUCCESS;
}
#endif
