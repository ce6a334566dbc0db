/* SPDX-License-Identifier: MIT */
/*
 * The boundary to CUPTI. It is loaded at run time (cupti_load.c), never linked.
 * No lock of ours on which a thread can block is held over a call of CUPTI.
 * This file starts, switches and detaches it; cupti_flush.c flushes its
 * records, cupti_records.c reads them, and hooks/cupti_callback.c handles its
 * callbacks.
 */
#include "preload/cupti/cupti.h"
#include "preload/cupti/counters/profiler.h"
#include "preload/cupti/cupti_api.h"
#include "preload/cupti/cupti_clock.h"
#include "preload/cupti/cupti_share.h"
#include "preload/cupti/graph_trace.h"
#include "preload/sampling/capture_mode.h"
#include "preload/sampling/op_tracker.h"
#include "preload/sampling/sample_window.h"
#include "preload/trace/gpu_records.h"
#include "preload/trace/info.h"
#include "preload/util/guard.h"
#include "preload/util/hot.h"
#include "preload/util/log.h"
#include "preload/util/objects.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>

#define VERSION_12_6	   24u
#define VERSION_12_9	   27u
#define ANOTHER_SUBSCRIBER 39 /* CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_... */
#define NO_PERMISSION	   35 /* CUPTI_ERROR_INSUFFICIENT_PRIVILEGES */

XS_HOT_DATA atomic_bool xs_cupti_detach_asked;

static _Atomic enum {
	ABSENT,
	ATTACHED,
	LEAVING, /* a call of the program will detach it */
	DETACHED,
} state;
static CUpti_CallbackFunc on_callback;
static CUpti_SubscriberHandle subscriber; /* NULL: no callbacks */
static bool calls_on = true;
static bool ours; /* not loaded before us */

bool xs_cupti_is_attached(void)
{
	return atomic_load(&state) == ATTACHED;
}

bool xs_cupti_is_used(void)
{
	return atomic_load(&state) != ABSENT;
}

static CUptiResult subscribe(void)
{
	CUptiResult result;

	if (!xs_cupti_api.cuptiSubscribe || !xs_cupti_api.cuptiEnableCallback ||
	    !xs_cupti_api.cuptiGetCallbackName)
		return CUPTI_ERROR_NOT_SUPPORTED;
	result = xs_cupti_api.cuptiSubscribe(&subscriber, on_callback, NULL);
	if (result != CUPTI_SUCCESS)
		subscriber = NULL;
	else
		xs_share_hold_callbacks(subscriber);
	return result;
}

static CUptiResult start_callbacks(bool counters)
{
	const CUptiResult result = subscribe();

	if (result == CUPTI_SUCCESS) {
		xs_log("%u CUPTI callbacks", xs_cupti_enable_calls(counters));
		xs_cupti_watch_driver(counters);
	}
	return result;
}

/* Writes what the missing callbacks mean if there are records. */
static void note_no_callbacks(CUptiResult result)
{
	if ((int)result == ANOTHER_SUBSCRIBER)
		xs_trace_info(
		    "note", "another tool has CUPTI's callbacks (nsys, ncu, a "
			    "debugger?): calls cannot be joined to GPU "
			    "operations, and calls of a statically linked CUDA "
			    "runtime are missing; run without the other tool");
	else
		xs_trace_info("note", "CUPTI gave no callbacks: %s (%d)",
			      xs_cupti_text(result), (int)result);
}

/* CUPTI_ACTIVITY_KIND_KERNEL is never enabled: it serialises kernels. MEMCPY2,
 * for copies between devices, makes the launch of a graph 160 ns longer for
 * each op in it, so it is only enabled if there are two contexts. */
static const CUpti_ActivityKind kinds[] = {
    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
    CUPTI_ACTIVITY_KIND_MEMSET};
static atomic_bool records_on, were_off, peers, several;

static void note_no_records(CUptiResult result)
{
	/* CUPTI has tried to load it */
	void *driver = xs_objects_driver();

	if (!driver)
		xs_trace_info("note", "no GPU records: there is no NVIDIA "
				      "driver (libcuda.so.1 was not found)");
	else
		xs_trace_info("note", "no GPU records: CUPTI says %s (%d)%s",
			      xs_cupti_text(result), (int)result,
			      (int)result == NO_PERMISSION
				  ? "; ask the administrator for access to GPU "
				    "performance data"
			      : (int)result == ANOTHER_SUBSCRIBER
				  ? "; another tool has CUPTI (nsys, ncu, a "
				    "debugger?): run without the other tool"
				  : "");
	if (driver)
		dlclose(driver);
}

static bool enable_records(void)
{
	CUptiResult result = xs_share_hold_records();

	for (size_t i = 0;
	     result == CUPTI_SUCCESS && i < sizeof(kinds) / sizeof(*kinds); i++)
		result = xs_share_our_kind(true, kinds[i]);
	atomic_store(&records_on, result == CUPTI_SUCCESS);
	if (result == CUPTI_SUCCESS)
		return true;
	note_no_records(result);
	return false;
}

bool xs_cupti_records_are_on(void)
{
	return atomic_load(&records_on);
}

static void switch_peers(void)
{
	if (atomic_load(&peers) && xs_cupti_is_attached())
		xs_share_our_kind(atomic_load(&records_on),
				  CUPTI_ACTIVITY_KIND_MEMCPY2);
}

void xs_cupti_watch_peers(void)
{
	atomic_store(&several, true);
	if (!atomic_exchange(&peers, true))
		switch_peers();
}

/* Held while CUPTI is detached, and during calls of CUPTI that must not overlap
 * with it. No thread blocks on it. */
static pthread_mutex_t detaching = PTHREAD_MUTEX_INITIALIZER;

bool xs_cupti_unless_detached(void (*ask)(void))
{
	bool attached;

	if (pthread_mutex_trylock(&detaching))
		return false;
	attached = xs_cupti_is_attached() && !xs_cupti_callbacks_disabled();
	if (attached)
		ask();
	pthread_mutex_unlock(&detaching);
	return attached;
}

enum xs_cupti_gives xs_cupti_start(bool counters, xs_cupti_callback *callback)
{
	static char path[PATH_MAX];
	void *library = xs_cupti_load(path, sizeof(path), &ours);
	CUptiResult callbacks;

	if (!library)
		return XS_CUPTI_NOTHING;
	on_callback = (CUpti_CallbackFunc)callback;
	xs_trace_info("cupti", "%u %s", xs_cupti_api.version, path);
	xs_log("CUPTI %u from %s", xs_cupti_api.version, path);
	xs_share_begin();
	if (atomic_load(&xs_capture_mode_now) == XS_CAPTURE_IGNORED)
		xs_share_none_yet();
	callbacks = start_callbacks(counters && xs_profiler_find(library) &&
				    xs_cupti_api.cuptiGetDeviceId);
	if (!enable_records())
		return XS_CUPTI_NOTHING;
	atomic_store(&state, ATTACHED);
	if (callbacks == CUPTI_SUCCESS) {
		if (!counters)
			xs_graph_trace_start();
		return XS_CUPTI_RECORDS_AND_CALLBACKS;
	}
	note_no_callbacks(callbacks);
	xs_cupti_watch_peers();
	return XS_CUPTI_RECORDS;
}

/*
 * Returns whether the program's graphs can be launched after CUPTI is detached.
 * They fail with error 719 if the kinds of records were switched off before,
 * and with 700 if they were prepared for CUPTI_ACTIVITY_KIND_GRAPH_TRACE (H200,
 * CUPTI 12.9 and 13.0; older versions fail in any case).
 */
static bool graphs_survive(void)
{
	return !xs_op_tracker_saw_graphs() ||
	       (xs_cupti_api.version >= VERSION_12_9 &&
		!atomic_load(&were_off) && !xs_graph_trace_has_begun());
}

/* Returns whether CUPTI may be detached, as far as this is known without the
 * loader's lock. */
static bool may_detach(void)
{
	return subscriber && xs_cupti_api.version >= VERSION_12_6 &&
	       xs_cupti_api.cuptiFinalize && xs_cupti_api.cuptiUnsubscribe &&
	       !atomic_load(&several) &&
	       !(xs_gpu_records_devices() & (xs_gpu_records_devices() - 1)) &&
	       graphs_survive() && !xs_share_has_client();
}

/* A library that is linked to CUPTI, such as PyTorch's, calls it through
 * cupti_hooks.c, so it is known whether it is a client. A library that loaded
 * CUPTI with dlopen() may use it unseen. */
bool xs_cupti_may_detach(void)
{
	return xs_cupti_is_attached() && may_detach() &&
	       (ours || xs_objects_any_needs(XS_CUPTI_LIBRARY));
}

void xs_cupti_switch_records(bool on)
{
	if (!xs_cupti_is_attached())
		return;
	xs_share_range(on);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		xs_share_our_kind(on, kinds[i]);
	atomic_store(&records_on, on);
	switch_peers();
	if (on) {
		xs_cupti_begin_drain();
	} else {
		atomic_store(&were_off, true);
		xs_sample_window_note_all();
	}
}

bool xs_cupti_callbacks_disabled(void)
{
	return !calls_on;
}

bool xs_cupti_is_leaving(void)
{
	return atomic_load(&state) == LEAVING;
}

static void switch_calls_off(void)
{
	if (!subscriber || !calls_on)
		return;
	xs_cupti_switch_calls_off();
	calls_on = false;
}

static void finalize(void)
{
	const CUptiResult result = xs_cupti_api.cuptiFinalize();

	xs_log("CUPTI was detached: %s (%d)", xs_cupti_text(result),
	       (int)result);
	if (result == CUPTI_SUCCESS) {
		subscriber = NULL;
		atomic_store(&state, DETACHED);
		xs_share_forget_our_kinds();
		xs_sample_window_note_all();
	} else {
		xs_share_hold_callbacks(subscriber);
		xs_share_hold_records();
	}
}

/* Returns false if another thread uses CUPTI at this moment. */
static bool detach(void)
{
	if (pthread_mutex_trylock(&detaching))
		return false;
	atomic_store(&state, LEAVING);
	switch_calls_off();
	if (may_detach() && xs_share_is_idle()) {
		xs_cupti_end_migrations();
		xs_share_let_go();
		finalize();
	}
	if (atomic_load(&state) == LEAVING) {
		atomic_store(&state, ATTACHED);
		xs_cupti_switch_records(false);
	}
	pthread_mutex_unlock(&detaching);
	return true;
}

static void flush_all(void)
{
	xs_cupti_api.cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
}

bool xs_cupti_leave(bool detaches)
{
	if (!xs_cupti_is_attached())
		return true;
	if (detaches) {
		flush_all();
		return detach();
	}
	xs_cupti_switch_records(false);
	switch_calls_off();
	return true;
}

void xs_cupti_ask_to_detach(bool asks)
{
	if (asks) {
		flush_all();
		atomic_store(&state, LEAVING);
		atomic_store(&xs_cupti_detach_asked, true);
	} else if (atomic_exchange(&xs_cupti_detach_asked, false)) {
		atomic_store(&state, ATTACHED);
	}
}

static void detach_now(void *unused)
{
	struct xs_thread *thread = xs_thread_get();

	(void)unused;
	thread->busy = true;
	if (atomic_exchange(&xs_cupti_detach_asked, false) && !detach())
		atomic_store(&xs_cupti_detach_asked, true);
	thread->busy = false;
}

void xs_cupti_detach_as_asked(void)
{
	xs_guard_run_deep(detach_now, NULL);
}

uint64_t xs_cupti_now_ns(void)
{
	uint64_t now = 0;

	if (!xs_cupti_is_attached() || !xs_cupti_api.cuptiGetTimestamp)
		return 0;
	xs_cupti_api.cuptiGetTimestamp(&now);
	xs_cupti_clock_look();
	return xs_cupti_clock_ns(now);
}
