/* SPDX-License-Identifier: MIT */
/*
 * Decides when driver calls are watched, and counts what launches do.
 *
 * In a program that uses the runtime API, each launch and copy is seen twice:
 * as the runtime call, and as the driver call inside it. The latter is two more
 * callbacks without information. A program that uses the driver API has only
 * driver calls, and its first calls matter as much as later ones. So:
 *
 * - The runtime's calls are hooked: the driver is watched from the start. After
 *   ENOUGH_NESTED calls that all came from the runtime, only the functions that
 *   issue work stay watched (callback_filter.c). The others are switched off in
 *   a pause: a thread that CUPTI saw enter a call and not leave it has one
 *   correlation id for all its calls from then on.
 * - The program links the runtime statically, and not the driver's launches and
 *   copies: calls that only callbacks see cannot be paused, so the driver is
 *   not watched.
 * - Otherwise the driver is watched until the end.
 *
 * A program may begin later to call the driver itself, for example if it
 * compiles its kernels at run time. This is detected by its calls that issue
 * work, or by unmatched ops (op_tracker.h), and the driver is watched from then
 * on.
 */
#include "preload/cupti/counters/counters.h"
#include "preload/cupti/cupti.h"
#include "preload/cupti/cupti_api.h"
#include "preload/cupti/pause.h"
#include "preload/sampling/call_origin.h"
#include "preload/sampling/op_filter.h"
#include "preload/sampling/op_tracker.h"
#include "preload/trace/info.h"
#include "preload/trace/session.h"
#include "preload/util/clock.h"
#include "preload/util/cudart_objects.h"
#include "preload/util/guard.h"
#include "preload/util/log.h"

#define ENOUGH_NESTED	 2048u
#define ENOUGH_UNMATCHED 4u
#define MAX_TRIES	 8u /* of a pause: each may delay all threads */
#define TRY_INTERVAL_NS	 100000000u

static enum {
	UNWATCHED, /* no callbacks */
	TRIED,	   /* watched, perhaps without need */
	LEFT,	   /* not watched */
	KEPT,	   /* watched for good */
} state;	   /* used by the starting thread, then by the collector */
static uint64_t left_ns;
static bool counting;

/* Returns whether it is a launch of the driver; those of all runtimes are seen
 * here, too. The parameters of all forms except Ex begin with the same fields.
 */
static bool is_launch(CUpti_CallbackId id, bool *extended, bool *per_thread)
{
	*extended = id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx ||
		    id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz;
	*per_thread =
	    id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz ||
	    id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz ||
	    id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz;
	return *extended || *per_thread ||
	       id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel ||
	       id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel;
}

/* Returns whether all parameters that counting needs are known. */
static bool read_launch(CUpti_CallbackId id, const CUpti_CallbackData *data,
			struct xs_launch *launch)
{
	const cuLaunchKernelEx_params *ex = data->functionParams;
	const cuLaunchKernel_params *plain = data->functionParams;
	bool extended;

	*launch = (struct xs_launch){
	    .context = data->context,
	    .context_id = data->contextUid,
	    .correlation = data->correlationId,
	    .name = data->symbolName,
	};
	if (!is_launch(id, &extended, &launch->per_thread) || !plain ||
	    !launch->name || !launch->context || (extended && !ex->config) ||
	    xs_cupti_api.cuptiGetDeviceId(launch->context, &launch->device) !=
		CUPTI_SUCCESS)
		return false;
	launch->stream = extended ? ex->config->hStream : plain->hStream;
#define EXTENT(to, from)                                                       \
	launch->to[0] = extended ? ex->config->from##X : plain->from##X;       \
	launch->to[1] = extended ? ex->config->from##Y : plain->from##Y;       \
	launch->to[2] = extended ? ex->config->from##Z : plain->from##Z;
	EXTENT(grid, gridDim)
	EXTENT(block, blockDim)
#undef EXTENT
	return true;
}

struct counted_launch {
	struct xs_thread *thread;
	CUpti_CallbackId id;
	const CUpti_CallbackData *data;
};

static void count_launch(void *data)
{
	const struct counted_launch *counted = data;
	struct xs_thread *thread = counted->thread;
	struct xs_launch launch;

	if (!read_launch(counted->id, counted->data, &launch))
		return;
	thread->busy = true;
	if (counted->data->callbackSite == CUPTI_API_ENTER) {
		thread->counting = xs_counters_begin(&launch);
		if (thread->counting)
			xs_op_filter_note_counted(launch.correlation);
	} else {
		thread->counting = false;
		xs_counters_end(&launch);
	}
	thread->busy = false;
}

void xs_cupti_count_launch(struct xs_thread *thread, CUpti_CallbackId id,
			   const CUpti_CallbackData *data)
{
	struct counted_launch counted = {thread, id, data};
	bool enter = data->callbackSite == CUPTI_API_ENTER, unused;

	if (counting && is_launch(id, &unused, &unused) &&
	    (enter ? xs_session_is_recording() : thread->counting))
		xs_guard_run(count_launch, &counted);
}

static void note_unwatched(void)
{
	xs_op_tracker_reset_unmatched();
	left_ns = xs_clock_monotonic_ns();
	state = LEFT;
}

void xs_cupti_watch_driver(bool counters)
{
	bool hooked = xs_cudart_objects_are_hooked();

	counting = counters;
	if (!counters && !hooked && xs_cudart_objects_issue_alone()) {
		note_unwatched();
		return;
	}
	xs_log("%u CUPTI callbacks of the driver",
	       xs_cupti_enable_driver(true));
	state = counters || !hooked ? KEPT : TRIED;
}

static void leave(void)
{
	xs_cupti_enable_driver(false);
	note_unwatched();
}

static void try_to_leave(void)
{
	static unsigned tries;
	static uint64_t next_ns;
	const uint64_t now_ns = xs_clock_monotonic_ns();

	if (now_ns < next_ns)
		return;
	next_ns = now_ns + TRY_INTERVAL_NS;
	if (!xs_call_origin_all_hooked() || tries++ == MAX_TRIES)
		state = KEPT;
	else if (xs_pause_for(leave, XS_PAUSE_PATIENCE_NS))
		xs_log("all driver calls come from the runtime");
}

static void watch_again(void)
{
	uint64_t ns = xs_clock_monotonic_ns() - left_ns;

	xs_cupti_enable_driver(true);
	state = KEPT;
	if (xs_cupti_driver_stays)
		return;
	xs_trace_info(
	    "note",
	    "the program began late to call CUDA's driver API itself: "
	    "such calls were not recorded for %.1f s before, and the GPU "
	    "operations of the first of them have no call",
	    (double)ns / 1e9);
}

void xs_cupti_tend(void)
{
	if (!xs_cupti_is_attached() || xs_cupti_callbacks_disabled())
		return;
	if (state == TRIED && xs_op_tracker_saw_own()) {
		state = KEPT;
	} else if (state == TRIED && xs_op_tracker_nested() >= ENOUGH_NESTED) {
		try_to_leave();
	} else if (state == LEFT &&
		   (xs_op_tracker_unmatched() >= ENOUGH_UNMATCHED ||
		    xs_op_tracker_saw_own())) {
		watch_again();
	}
}
