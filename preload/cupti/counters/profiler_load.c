/* SPDX-License-Identifier: MIT */
#include "preload/cupti/counters/profiler.h"
#include "preload/cupti/counters/profiler_api.h"
#include "preload/trace/info.h"
#include "preload/util/log.h"
#include "preload/util/objects.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#if XS_HAVE_RANGE_PROFILER

struct xs_profiler_api xs_profiler_api;

#define ROW(name) {&xs_profiler_api.name, #name, false},
static const struct xs_symbol symbols[] = {XS_PROFILER_FUNCTIONS(ROW)};

static atomic_bool works;

static void stop_counting(const char *function, CUptiResult result)
{
	const char *text = NULL;

	works = false;
	xs_profiler_api.cuptiGetResultString(result, &text);
	xs_log("%s: %s (%d)", function, text ? text : "?", (int)result);
	if (result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ||
	    result == CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES)
		xs_trace_info(
		    "note", "kernels are not counted: this user may not read "
			    "the GPU's counters; ask the administrator to load "
			    "the driver with NVreg_RestrictProfilingToAdmin"
			    "Users=0, or run the program with CAP_SYS_ADMIN "
			    "(newer drivers: CAP_PERFMON)");
	else
		xs_trace_info(
		    "note", "kernels are not counted: %s says %s (%d)",
		    function, text ? text : "unknown error", (int)result);
}

bool xs_profiler_succeeded(const char *function, CUptiResult result)
{
	if (result != CUPTI_SUCCESS)
		stop_counting(function, result);
	return result == CUPTI_SUCCESS;
}

/* Loads libnvperf_host from the folder of libcupti. libcupti opens it by name
 * only, which fails if the loader does not search their folder; a library that
 * is already loaded is found. */
static void load_host_library(void)
{
	char path[PATH_MAX];
	const char *slash;
	Dl_info self;

	if (!dladdr((void *)xs_profiler_api.cuptiProfilerInitialize, &self))
		return;
	slash = strrchr(self.dli_fname, '/');
	if (!slash)
		return;
	snprintf(path, sizeof(path), "%.*s/libnvperf_host.so",
		 (int)(slash - self.dli_fname), self.dli_fname);
	xs_log("%s: %s", path, dlopen(path, RTLD_NOW) ? "loaded" : dlerror());
}

bool xs_profiler_find(void *library)
{
	const char *missing = xs_objects_symbols(
	    library, symbols, sizeof(symbols) / sizeof(*symbols));

	if (missing) {
		xs_trace_info("note",
			      "kernels are not counted: this libcupti has no "
			      "%s; that of CUDA 12.6.2 or newer is needed: set "
			      "XFERSPY_CUPTI to its path",
			      missing);
		return false;
	}
	load_host_library();
	works = true;
	return true;
}

bool xs_profiler_works(void)
{
	return works;
}

#else /* an older toolkit */

bool xs_profiler_find(void *library)
{
	(void)library;
	xs_trace_info("note", "kernels are not counted: this libxferspy was "
			      "built with a CUDA toolkit older than 12.6.2; "
			      "build it with a newer one");
	return false;
}

bool xs_profiler_works(void)
{
	return false;
}

#endif
