/* SPDX-License-Identifier: MIT */
#include "preload/cupti/counters/counters.h"
#include "preload/cupti/counters/profiler.h"
#include "preload/trace/gpu_records.h"
#include "preload/trace/writer.h"
#include "preload/util/clock.h"
#include "preload/util/intern.h"
#include "preload/util/log.h"
#include "preload/util/objects.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

#define COUNTED_LAUNCHES 3
#define MAX_TRIES	 16
#define WAIT_NS		 1000000000u

/* The state of a kernel in one number: counted launches, and tries. */
#define ONE_COUNTED 1u
#define ONE_TRY	    0x100u
#define COUNTED(n)  ((n)&0xffu)
#define TRIES(n)    ((n) >> 8)

/* The bytes of the struct are the key, so it has no padding. */
struct kernel_key {
	uint64_t name;
	uint32_t grid[3], block[3];
};

/* True while a launch is counted; the thread that set it owns `current` and
 * `kernels`. */
static atomic_bool counting;
static struct xs_profiler *current;
static struct xs_intern kernels;

/* Returns the state of the kernel, or NULL without memory. */
static uint32_t *kernel_of(const struct xs_launch *launch)
{
	struct kernel_key key = {
	    .name = xs_hash(launch->name, strlen(launch->name))};

	memcpy(key.grid, launch->grid, sizeof(key.grid));
	memcpy(key.block, launch->block, sizeof(key.block));
	return xs_intern_number(&kernels, &key, sizeof(key));
}

/* Returns whether the launch is captured: then it does not run now, and waiting
 * for it is not allowed. */
static bool is_captured(const struct xs_launch *launch)
{
	static CUresult (*ask[2])(CUstream stream,
				  CUstreamCaptureStatus * status);
	static const char *const names[2] = {"cuStreamIsCapturing",
					     "cuStreamIsCapturing_ptsz"};
	CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
	void *driver;

	if (!ask[launch->per_thread]) {
		driver = xs_objects_driver();
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
	uint32_t *kernel = kernel_of(launch);

	if (!kernel || COUNTED(*kernel) == COUNTED_LAUNCHES ||
	    TRIES(*kernel) == MAX_TRIES || is_captured(launch))
		return false;
	*kernel += ONE_TRY;
	current =
	    xs_profiler_of(launch->context, launch->context_id, launch->device);
	return current && xs_profiler_start(current);
}

/* Waits while another thread's launch is counted, because ours would be counted
 * with it. The wait is limited, because that thread may need a lock that this
 * one holds. */
static bool claim(void)
{
	uint64_t until_ns = xs_clock_monotonic_ns() + WAIT_NS;

	while (atomic_exchange(&counting, true)) {
		if (xs_clock_monotonic_ns() > until_ns)
			return false;
		nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
	}
	return true;
}

bool xs_counters_begin(const struct xs_launch *launch)
{
	if (!xs_profiler_works() || !claim())
		return false;
	if (begin(launch))
		return true;
	atomic_store(&counting, false);
	return false;
}

static uint64_t to_count(double value)
{
	return value >= 0 && value < 0x1p63 ? (uint64_t)(value + 0.5)
					    : XS_UNCOUNTED;
}

static void log_counts(const struct xs_launch *launch, uint32_t number,
		       const double *values)
{
	xs_log(
	    "counted %s, launch %u: sectors %.0f + %.0f, requests %.0f + %.0f, "
	    "of host memory %.0f + %.0f, instructions %.0f, L1 fills %.0f",
	    launch->name, number, values[XS_METRIC_SECTORS_READ],
	    values[XS_METRIC_SECTORS_WRITTEN], values[XS_METRIC_REQUESTS_READ],
	    values[XS_METRIC_REQUESTS_WRITTEN],
	    values[XS_METRIC_HOST_SECTORS_READ],
	    values[XS_METRIC_HOST_SECTORS_WRITTEN],
	    values[XS_METRIC_INSTRUCTIONS], values[XS_METRIC_L1_FILLS]);
}

static void write_counts(const struct xs_launch *launch, uint32_t number,
			 const double *values)
{
	struct xs_rec_counters counters = {
	    XS_RECORD(counters),
	    .device = (uint16_t)launch->device,
	    .launch = (uint16_t)number,
	    .correlation = launch->correlation,
	    .grid_x = launch->grid[0],
	    .grid_y = launch->grid[1],
	    .grid_z = launch->grid[2],
	    .block_x = (uint16_t)launch->block[0],
	    .block_y = (uint16_t)launch->block[1],
	    .block_z = (uint16_t)launch->block[2],
	    .sectors_read = to_count(values[XS_METRIC_SECTORS_READ]),
	    .sectors_written = to_count(values[XS_METRIC_SECTORS_WRITTEN]),
	    .requests_read = to_count(values[XS_METRIC_REQUESTS_READ]),
	    .requests_written = to_count(values[XS_METRIC_REQUESTS_WRITTEN]),
	    .host_sectors_read = to_count(values[XS_METRIC_HOST_SECTORS_READ]),
	    .host_sectors_written =
		to_count(values[XS_METRIC_HOST_SECTORS_WRITTEN]),
	    .instructions = to_count(values[XS_METRIC_INSTRUCTIONS]),
	};
	struct xs_rec_fills fills = {
	    XS_RECORD(fills),
	    .correlation = launch->correlation,
	    .sectors = to_count(values[XS_METRIC_L1_FILLS]),
	};
	struct xs_rec_accesses accesses = {
	    XS_RECORD(accesses),
	    .correlation = launch->correlation,
	    .waiting_cycles = to_count(values[XS_METRIC_WAITING_CYCLES]),
	    .warp_cycles = to_count(values[XS_METRIC_WARP_CYCLES]),
	    .stores = to_count(values[XS_METRIC_STORES]),
	    .store_sectors = to_count(values[XS_METRIC_STORE_SECTORS]),
	};

	log_counts(launch, number, values);
	xs_gpu_records_counters(&counters, &fills, &accesses, launch->name);
}

void xs_counters_end(const struct xs_launch *launch)
{
	double values[XS_METRICS];
	uint32_t *kernel = kernel_of(launch);

	if (xs_profiler_stop(current, values) && kernel) {
		*kernel += ONE_COUNTED;
		write_counts(launch, COUNTED(*kernel), values);
	}
	atomic_store(&counting, false);
}
