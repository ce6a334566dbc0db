/* SPDX-License-Identifier: MIT */
#include "preload/counters.h"
#include "preload/config.h"
#include "preload/gpu.h"
#include "preload/intern.h"
#include "preload/profiler.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

#define COUNTED_LAUNCHES 3

/* How often a kernel was tried; its bytes are the key, so no padding. */
struct kernel_key {
	uint64_t name;
	uint32_t grid[3], block[3];
};

/* A launch is being counted; who set it owns what is below. */
static atomic_bool counting;
static struct xs_profiler *current;
static struct xs_intern tries;
static uint32_t current_try;

/* How often this kernel was counted; NULL without memory. */
static uint32_t *tries_of(const struct xs_launch *launch)
{
	struct kernel_key key = {
	    .name = xs_hash(launch->name, strlen(launch->name))};

	memcpy(key.grid, launch->grid, sizeof(key.grid));
	memcpy(key.block, launch->block, sizeof(key.block));
	return xs_intern_number(&tries, &key, sizeof(key));
}

/* A captured launch does not run now, and must not be waited for. */
static bool is_captured(const struct xs_launch *launch)
{
	static CUresult (*ask[2])(CUstream stream,
				  CUstreamCaptureStatus * status);
	static const char *const names[2] = {"cuStreamIsCapturing",
					     "cuStreamIsCapturing_ptsz"};
	CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
	void *driver;

	if (!ask[launch->per_thread]) {
		driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
		if (!driver)
			return true;
		void *symbol = dlsym(driver, names[launch->per_thread]);
		dlclose(driver);
		memcpy(&ask[launch->per_thread], &symbol, sizeof(symbol));
	}
	return !ask[launch->per_thread] ||
	       ask[launch->per_thread](launch->stream, &status) !=
		   CUDA_SUCCESS ||
	       status != CU_STREAM_CAPTURE_STATUS_NONE;
}

static bool begin(const struct xs_launch *launch)
{
	uint32_t *slot = tries_of(launch);

	if (!slot || *slot >= COUNTED_LAUNCHES || is_captured(launch))
		return false;
	current =
	    xs_profiler_of(launch->context, launch->context_id, launch->device);
	current_try = ++*slot;
	return current && xs_profiler_start(current);
}

bool xs_counters_begin(const struct xs_launch *launch)
{
	if (!xs_profiler_works() || atomic_exchange(&counting, true))
		return false;
	if (begin(launch))
		return true;
	atomic_store(&counting, false);
	return false;
}

static uint64_t whole(double value)
{
	return value >= 0 && value < 0x1p63 ? (uint64_t)(value + 0.5)
					    : XS_UNCOUNTED;
}

static void write_counts(const struct xs_launch *launch, const double *values)
{
	const struct xs_gpu_counts counts = {
	    .device = (uint16_t)launch->device,
	    .launch = (uint16_t)current_try,
	    .correlation = launch->correlation,
	    .grid = {launch->grid[0], launch->grid[1], launch->grid[2]},
	    .block = {(uint16_t)launch->block[0], (uint16_t)launch->block[1],
		      (uint16_t)launch->block[2]},
	    .sectors_read = whole(values[XS_METRIC_SECTORS_READ]),
	    .sectors_written = whole(values[XS_METRIC_SECTORS_WRITTEN]),
	    .requests_read = whole(values[XS_METRIC_REQUESTS_READ]),
	    .requests_written = whole(values[XS_METRIC_REQUESTS_WRITTEN]),
	    .host_sectors_read = whole(values[XS_METRIC_HOST_SECTORS_READ]),
	    .host_sectors_written =
		whole(values[XS_METRIC_HOST_SECTORS_WRITTEN]),
	    .instructions = whole(values[XS_METRIC_INSTRUCTIONS]),
	};

	xs_log("counted %s, launch %u: sectors %.0f + %.0f, requests %.0f + "
	       "%.0f, of host memory %.0f + %.0f, instructions %.0f",
	       launch->name, current_try, values[XS_METRIC_SECTORS_READ],
	       values[XS_METRIC_SECTORS_WRITTEN],
	       values[XS_METRIC_REQUESTS_READ],
	       values[XS_METRIC_REQUESTS_WRITTEN],
	       values[XS_METRIC_HOST_SECTORS_READ],
	       values[XS_METRIC_HOST_SECTORS_WRITTEN],
	       values[XS_METRIC_INSTRUCTIONS]);
	xs_gpu_counters(&counts, launch->name);
}

void xs_counters_end(const struct xs_launch *launch)
{
	double values[XS_METRICS];

	if (xs_profiler_stop(current, values))
		write_counts(launch, values);
	atomic_store(&counting, false);
}
