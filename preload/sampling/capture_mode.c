/* SPDX-License-Identifier: MIT */
#include "preload/sampling/capture_mode.h"
#include "preload/sampling/sample_window.h"
#include "preload/util/clock.h"
#include "preload/util/hot.h"

XS_HOT_DATA _Atomic int xs_capture_mode_now = XS_CAPTURE_RECORDED;
XS_HOT_DATA bool xs_capture_mode_is_whole;
struct xs_capture_mode_progress xs_capture_mode_progress = {
    .until = XS_CAPTURE_MODE_NO_LIMIT};

void xs_capture_mode_spend(unsigned calls)
{
	int recorded = XS_CAPTURE_RECORDED;

	if (atomic_fetch_add(&xs_capture_mode_progress.taken, calls) + calls <
		atomic_load(&xs_capture_mode_progress.until) ||
	    atomic_load(&xs_capture_mode_now) != XS_CAPTURE_RECORDED)
		return;
	atomic_store(&xs_capture_mode_progress.spent_ns,
		     xs_clock_realtime_ns());
	xs_sample_window_end();
	atomic_compare_exchange_strong(&xs_capture_mode_now, &recorded,
				       XS_CAPTURE_COUNTED);
}

void xs_capture_mode_note_new_kind(void)
{
	atomic_store(&xs_capture_mode_progress.new_kind,
		     atomic_load(&xs_capture_mode_progress.taken));
}

/* Outside of COUNTED nothing is noted: the call then began before a sample
 * window, and that window records more calls of its kind. */
void xs_capture_mode_note_unseen(void)
{
	if (atomic_load(&xs_capture_mode_now) == XS_CAPTURE_COUNTED &&
	    !xs_relaxed(&xs_capture_mode_progress.unseen))
		atomic_store(&xs_capture_mode_progress.unseen, true);
}
