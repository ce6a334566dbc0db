/* SPDX-License-Identifier: MIT */
#include "preload/api/event_api.h"
#include "preload/util/guard.h"
#include "preload/util/hot.h"
#include "preload/util/objects.h"

#include <pthread.h>
#include <stdatomic.h>

/* Each attempt takes some microseconds. */
#define MAX_TRIES 256u

struct xs_event_api xs_event_api;

/* By symbol name: cuda.h's macros rename some of them. If a function has two
 * names, the preferred one is the later row. */
static const struct xs_symbol symbols[] = {
    {&xs_event_api.current, "cuCtxGetCurrent", false},
    {&xs_event_api.device, "cuCtxGetDevice", false},
    {&xs_event_api.create, "cuEventCreate", false},
    {&xs_event_api.record, "cuEventRecord", false},
    {&xs_event_api.query, "cuEventQuery", false},
    {&xs_event_api.elapsed, "cuEventElapsedTime", false},
    {&xs_event_api.elapsed, "cuEventElapsedTime_v2", true},
    {&xs_event_api.capturing, "cuStreamIsCapturing", false},
    {&xs_event_api.exchange_mode, "cuThreadExchangeStreamCaptureMode", false},
    {&xs_event_api.context_id, "cuCtxGetId", true},
    {&xs_event_api.kernel_name, "cuKernelGetName", true},
};

static atomic_bool found;

static void find_once(void *unused)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	/* The reference is kept: the driver must stay loaded. */
	void *library = xs_objects_driver();

	(void)unused;
	if (!library)
		return;
	pthread_mutex_lock(&lock);
	if (!atomic_load(&found) &&
	    !xs_objects_symbols(library, symbols,
				sizeof(symbols) / sizeof(*symbols)))
		atomic_store(&found, true);
	pthread_mutex_unlock(&lock);
}

bool xs_event_api_find(void)
{
	static atomic_uint tries;

	if (atomic_load_explicit(&found, memory_order_acquire))
		return true;
	/* The runtime loads the driver at its first call, or never. */
	if (xs_relaxed(&tries) >= MAX_TRIES)
		return false;
	atomic_fetch_add(&tries, 1);
	xs_guard_run(find_once, NULL);
	return atomic_load(&found);
}
