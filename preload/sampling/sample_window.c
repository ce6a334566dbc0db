/* SPDX-License-Identifier: MIT */
#include "preload/sampling/sample_window.h"
#include "preload/sampling/op_tracker.h"
#include "preload/util/hot.h"

/* Calls that others may begin while one that is recorded is on its way. */
#define CALLS_BESIDE 256u

XS_HOT_DATA struct xs_sample_window_ids xs_sample_window_ids;

static bool is_after(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) > 0;
}

static uint32_t known(uint32_t id)
{
	return id ? id : 1;
}

/* In this order: at no moment is an op of the window before past that is none
 * of what came after it. */
void xs_sample_window_begin(void)
{
	atomic_store(&xs_sample_window_ids.end_before,
		     atomic_load(&xs_sample_window_ids.end));
	atomic_store(&xs_sample_window_ids.begin, 0);
	atomic_store(&xs_sample_window_ids.over, false);
	atomic_store(&xs_sample_window_ids.last_kept, 0);
	atomic_store(&xs_sample_window_ids.end, 0);
	atomic_store(&xs_sample_window_ids.all_came, false);
}

void xs_sample_window_note_all(void)
{
	atomic_store(&xs_sample_window_ids.all_came, true);
}

void xs_sample_window_end(void)
{
	atomic_store(&xs_sample_window_ids.last_kept,
		     atomic_load(&xs_op_tracker.latest));
	atomic_store(&xs_sample_window_ids.over, true);
}

void xs_sample_window_set_begin(uint32_t correlation)
{
	uint32_t none = 0;

	if (correlation)
		atomic_compare_exchange_strong(
		    &xs_sample_window_ids.begin, &none,
		    known(correlation - CALLS_BESIDE));
}

/* Not by a call that began before the window and ends after it. */
void xs_sample_window_set_end(uint32_t correlation)
{
	uint32_t last = atomic_load(&xs_sample_window_ids.last_kept), none = 0;

	if (last && is_after(correlation, last))
		atomic_compare_exchange_strong(
		    &xs_sample_window_ids.end, &none,
		    known(correlation + CALLS_BESIDE));
}

/* The thread was held up since it decided: many others may have begun calls
 * that are counted. */
void xs_sample_window_set_end_after(uint32_t correlation)
{
	uint32_t end = atomic_load(&xs_sample_window_ids.end);

	while (correlation && (!end || is_after(correlation, end)) &&
	       !atomic_compare_exchange_weak(&xs_sample_window_ids.end, &end,
					     known(correlation + CALLS_BESIDE)))
		;
}

bool xs_sample_window_is_past(uint32_t correlation)
{
	/* in this order: xs_sample_window_begin() may be on its way */
	const uint32_t begin = atomic_load(&xs_sample_window_ids.begin);
	const uint32_t before = atomic_load(&xs_sample_window_ids.end_before);
	const uint32_t end = atomic_load(&xs_sample_window_ids.end);

	if (!correlation)
		return false;
	if (end && is_after(correlation, end))
		return true;
	return before && is_after(correlation, before) &&
	       !(begin && is_after(correlation, begin));
}
