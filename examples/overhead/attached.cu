/* SPDX-License-Identifier: MIT */
/*
 * Measures the remaining cost of CUPTI: an empty launch before CUPTI is
 * attached, while it records, after everything is disabled, and after
 * cuptiFinalize(); then the same once more. Prints medians of blocks in ns, of
 * the call, and until the GPU was done.
 *
 * 	attached LIBCUPTI [early] [callbacks] [short]
 *
 * early: CUPTI is attached before CUDA starts, as by a tracer. callbacks: all
 * callbacks are on while it records, too, as for a tracer of calls. short: of
 * one block, not of 20.
 */
#include "../measure.h"

#include <cupti.h>

#include <algorithm>
#include <dlfcn.h>

enum { BLOCKS = 20, BATCHES = 40, BATCH_CALLS = 500, WINDOW = 10000 };

static const CUpti_ActivityKind kinds[] = {
    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
    CUPTI_ACTIVITY_KIND_MEMSET};

static struct {
	__typeof__(&cuptiActivityRegisterCallbacks) register_callbacks;
	__typeof__(&cuptiActivityEnable) enable;
	__typeof__(&cuptiActivityDisable) disable;
	__typeof__(&cuptiActivityFlushAll) flush_all;
	__typeof__(&cuptiFinalize) finalize;
	__typeof__(&cuptiSubscribe) subscribe;
	__typeof__(&cuptiEnableDomain) enable_domain;
} cupti;

static struct {
	bool early, callbacks;
	int blocks;
} options = {.early = false, .callbacks = false, .blocks = BLOCKS};
static CUpti_SubscriberHandle subscriber;

static void must(CUptiResult result, const char *what)
{
	if (result == CUPTI_SUCCESS)
		return;
	fprintf(stderr, "%s: %d\n", what, (int)result);
	exit(2);
}

static void *function(void *library, const char *name)
{
	void *found = dlsym(library, name);

	if (!found) {
		fprintf(stderr, "%s\n", dlerror());
		exit(2);
	}
	return found;
}

static void find(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		exit(2);
	}
#define FIND(slot, name)                                                       \
	cupti.slot = (__typeof__(&name))function(library, #name)
	FIND(register_callbacks, cuptiActivityRegisterCallbacks);
	FIND(enable, cuptiActivityEnable);
	FIND(disable, cuptiActivityDisable);
	FIND(flush_all, cuptiActivityFlushAll);
	FIND(finalize, cuptiFinalize);
	FIND(subscribe, cuptiSubscribe);
	FIND(enable_domain, cuptiEnableDomain);
#undef FIND
}

static void CUPTIAPI request(uint8_t **buffer, size_t *bytes, size_t *records)
{
	*bytes = (size_t)1 << 20;
	*buffer = (uint8_t *)aligned_alloc(8, *bytes);
	*records = 0;
}

static void CUPTIAPI complete(CUcontext, uint32_t, uint8_t *buffer, size_t,
			      size_t)
{
	free(buffer);
}

static void CUPTIAPI ignore(void *, CUpti_CallbackDomain, CUpti_CallbackId,
			    const void *)
{
}

static void switch_callbacks(uint32_t on)
{
	if (!options.callbacks)
		return;
	must(cupti.enable_domain(on, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API),
	     "the runtime's callbacks");
	must(cupti.enable_domain(on, subscriber, CUPTI_CB_DOMAIN_DRIVER_API),
	     "the driver's callbacks");
}

static void attach(void)
{
	if (options.callbacks)
		must(cupti.subscribe(&subscriber, ignore, NULL), "subscribe");
	switch_callbacks(1);
	must(cupti.register_callbacks(request, complete), "register");
	for (CUpti_ActivityKind kind : kinds)
		must(cupti.enable(kind), "enable");
}

static void switch_off(void)
{
	switch_callbacks(0);
	for (CUpti_ActivityKind kind : kinds)
		must(cupti.disable(kind), "disable");
	must(cupti.flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "flush");
}

__global__ void empty_kernel(void)
{
}

static void issue(int launches)
{
	for (int i = 0; i < launches; i++)
		empty_kernel<<<1, 1>>>();
}

static void measure(const char *what)
{
	double call_ns[BLOCKS], done_ns[BLOCKS];
	const int blocks = options.blocks;

	for (int block = 0; block < blocks; block++) {
		const double begin_ns = now_ns();

		call_ns[block] = 0;
		for (int i = 0; i < BATCHES; i++) {
			const double batch_ns = now_ns();

			issue(BATCH_CALLS);
			call_ns[block] += now_ns() - batch_ns;
			CHECK(cudaDeviceSynchronize());
		}
		done_ns[block] = now_ns() - begin_ns;
	}
	std::sort(call_ns, call_ns + blocks);
	std::sort(done_ns, done_ns + blocks);
	printf("%-14s%6.0f%6.0f\n", what,
	       call_ns[blocks / 2] / (BATCHES * BATCH_CALLS),
	       done_ns[blocks / 2] / (BATCHES * BATCH_CALLS));
	fflush(stdout);
}

static bool read_options(int argc, char **argv)
{
	for (int i = 2; i < argc; i++) {
		if (strcmp(argv[i], "early") == 0)
			options.early = true;
		else if (strcmp(argv[i], "callbacks") == 0)
			options.callbacks = true;
		else if (strcmp(argv[i], "short") == 0)
			options.blocks = 1;
		else
			return false;
	}
	return argc >= 2;
}

int main(int argc, char **argv)
{
	if (!read_options(argc, argv)) {
		fputs("usage: attached LIBCUPTI [early] "
		      "[callbacks] [short]\n",
		      stderr);
		return 2;
	}
	find(argv[1]);
	if (options.early)
		attach();
	CHECK(cudaFree(NULL));
	issue(WINDOW);
	CHECK(cudaDeviceSynchronize());
	for (int round = 0; round < 2; round++) {
		if (!options.early || round > 0) {
			measure(round ? "detached" : "before");
			attach();
		}
		measure("attached");
		switch_off();
		measure("switched off");
		must(cupti.finalize(), "finalize");
	}
	measure("detached");
	return 0;
}
