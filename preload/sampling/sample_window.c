/* SPDX-License-Identifier: MIT */
#include "preload/sampling/sample_window.h"
#include "preload/sampling/op_tracker.h"
#include "preload/util/hot.h"

/* Calls that other threads may begin during one recorded call. */
#define CONCURRENT_CALLS 256u

XS_HOT_DATA struct xs_sample_window_ids xs_sample_window_ids;

static bool is_after(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) > 0;
}

/* 0 means that an id is not known. */
static uint32_t nonzero(uint32_t id)
{
	return id ? id : 1;
}

/* The order of the stores matters: at no moment does xs_sample_window_is_past()
 * return true for an op of the previous window. */
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
		    nonzero(correlation - CONCURRENT_CALLS));
}

/* A call that began before the window and ends after it does not set the end.
 */
void xs_sample_window_set_end(uint32_t correlation)
{
	uint32_t last = atomic_load(&xs_sample_window_ids.last_kept), none = 0;

	if (last && is_after(correlation, last))
		atomic_compare_exchange_strong(
		    &xs_sample_window_ids.end, &none,
		    nonzero(correlation + CONCURRENT_CALLS));
}

/* The thread was delayed after it read the capture mode: other threads may have
 * begun many calls that are counted. */
void xs_sample_window_set_end_after(uint32_t correlation)
{
	uint32_t end = atomic_load(&xs_sample_window_ids.end);

	while (correlation && (!end || is_after(correlation, end)) &&
	       !atomic_compare_exchange_weak(
		   &xs_sample_window_ids.end, &end,
		   nonzero(correlation + CONCURRENT_CALLS)))
		;
}

bool xs_sample_window_is_past(uint32_t correlation)
{
	/* the order matters: xs_sample_window_begin() may run now */
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
