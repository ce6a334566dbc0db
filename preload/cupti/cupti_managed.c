/* SPDX-License-Identifier: MIT */
/* Migrations of managed memory, from CUPTI's unified memory counters. */
#include "preload/cupti/cupti.h"
#include "preload/cupti/cupti_api.h"
#include "preload/cupti/cupti_share.h"
#include "preload/trace/info.h"
#include "preload/util/guard.h"

#define HOST_TO_DEVICE                                                         \
	CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD
#define DEVICE_TO_HOST                                                         \
	CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH
#define BETWEEN_DEVICES                                                        \
	CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOD

static atomic_bool enabled;

static CUptiResult switch_counter(CUpti_ActivityUnifiedMemoryCounterKind kind,
				  bool on)
{
	CUpti_ActivityUnifiedMemoryCounterConfig counter = {
	    .scope =
		CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_ALL_DEVICES,
	    .kind = kind,
	    .enable = on,
	};

	return xs_cupti_api.cuptiActivityConfigureUnifiedMemoryCounter(&counter,
								       1);
}

/* The counter between devices fails if there is only one: this is no error. */
static CUptiResult enable_migrations(void)
{
	CUptiResult result;

	if (!xs_cupti_api.cuptiActivityConfigureUnifiedMemoryCounter)
		return CUPTI_ERROR_NOT_SUPPORTED;
	result = switch_counter(HOST_TO_DEVICE, true);
	if (result == CUPTI_SUCCESS)
		result = switch_counter(DEVICE_TO_HOST, true);
	if (result != CUPTI_SUCCESS)
		return result;
	switch_counter(BETWEEN_DEVICES, true);
	return xs_share_our_kind(true,
				 CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
}

static void watch(void)
{
	const CUptiResult result = enable_migrations();

	atomic_store(&enabled, result == CUPTI_SUCCESS);
	if (result != CUPTI_SUCCESS)
		xs_trace_info(
		    "note",
		    "the program uses managed memory, but its migrations were "
		    "not recorded: CUPTI says %s (%d)",
		    xs_cupti_text(result), (int)result);
}

static void watch_once(void *unused)
{
	(void)unused;
	if (!xs_cupti_unless_detached(watch))
		xs_trace_info("note",
			      "the program began to use managed memory when "
			      "light mode had ended its use of CUPTI: its "
			      "migrations were not recorded");
}

void xs_cupti_watch_managed(void)
{
	static atomic_bool asked;

	if (xs_cupti_is_used() && !atomic_exchange(&asked, true))
		xs_guard_run_deep(watch_once, NULL);
}

bool xs_cupti_counts_migrations(void)
{
	return atomic_load(&enabled);
}

void xs_cupti_end_migrations(void)
{
	if (!atomic_exchange(&enabled, false))
		return;
	xs_share_our_kind(false, CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
	switch_counter(HOST_TO_DEVICE, false);
	switch_counter(DEVICE_TO_HOST, false);
	switch_counter(BETWEEN_DEVICES, false);
	xs_trace_info("note", "migrations of managed memory were recorded only "
			      "until light mode ended its use of CUPTI");
}
