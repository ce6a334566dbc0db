/* SPDX-License-Identifier: MIT */
#include "preload/cupti/cupti.h"
#include "preload/cupti/cupti_clock.h"
#include "preload/cupti/cupti_share.h"
#include "preload/trace/session.h"
#include "preload/util/clock.h"
#include "preload/util/guard.h"
#include "preload/util/pool.h"

#include <stdatomic.h>
#include <string.h>

#define MAX_KINDS 256u
#define MAX_KEPT  64u
/* A client that disabled its kinds flushes within this time, or never. */
#define FLUSH_WITHIN_NS 5000000000u

static _Atomic uint8_t wanted[MAX_KINDS];
/* Number of contexts for which the client enabled a kind. */
static _Atomic uint16_t contexts[MAX_KINDS];
static _Atomic(CUpti_BuffersCallbackRequestFunc) request;
static _Atomic(CUpti_BuffersCallbackCompleteFunc) complete;
static atomic_bool held;		 /* CUPTI uses our buffer callbacks */
static atomic_bool zeroed;		 /* CUPTI expects zeroed buffers */
static _Atomic uint64_t client_until_ns; /* monotonic; 0: it has flushed */
static _Atomic uint64_t off_from_ns, off_to_ns; /* CLOCK_REALTIME */
static _Atomic size_t client_dropped;

atomic_bool xs_share_client_has_recorded;

/* The client's buffers that our last flush completed, for its own flush. */
static struct kept {
	CUcontext context;
	uint32_t stream;
	uint8_t *buffer;
	size_t bytes, valid_bytes;
	atomic_bool complete;
} kept[MAX_KEPT];
static atomic_uint kept_count;
static atomic_bool is_last_flush;

static bool is_kind(CUpti_ActivityKind kind)
{
	return (unsigned)kind < MAX_KINDS;
}

static bool client_wants_any(void)
{
	for (unsigned kind = 0; kind < MAX_KINDS; kind++)
		if (atomic_load_explicit(&wanted[kind], memory_order_relaxed) &
			XS_SHARE_CLIENT ||
		    atomic_load_explicit(&contexts[kind], memory_order_relaxed))
			return true;
	return false;
}

bool xs_share_client_records(void)
{
	return atomic_load(&request) &&
	       (client_wants_any() ||
		xs_clock_ns(CLOCK_MONOTONIC) < atomic_load(&client_until_ns));
}

void xs_share_forget_our_kinds(void)
{
	for (unsigned kind = 0; kind < MAX_KINDS; kind++)
		atomic_fetch_and(&wanted[kind], (uint8_t)~XS_SHARE_US);
}

bool xs_share_client_has_records(void)
{
	return atomic_load(&request) || client_wants_any();
}

/*
 * CUPTI asks for a buffer inside a call of the program, and fills it with zeros
 * there, unless it is told that all buffers are zeroed. Ours are. The client's
 * are zeroed by us, from before CUPTI is told until after it is told otherwise.
 */
static bool tell_zeroed(bool are_zeroed)
{
	uint8_t value = are_zeroed;
	size_t bytes = sizeof(value);

	return xs_cupti_api.cuptiActivitySetAttribute &&
	       xs_cupti_api.cuptiActivitySetAttribute(
		   CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &bytes,
		   &value) == CUPTI_SUCCESS;
}

void xs_share_release_records(void)
{
	if (atomic_load(&zeroed))
		tell_zeroed(false);
	atomic_store(&zeroed, false);
	atomic_store(&held, false);
}

bool xs_share_holds_records(void)
{
	return atomic_load(&held);
}

CUptiResult xs_share_hold_records(void)
{
	CUptiResult result = xs_cupti_api.cuptiActivityRegisterCallbacks(
	    xs_cupti_give_buffer, xs_cupti_take_buffer);

	atomic_store(&held, result == CUPTI_SUCCESS);
	if (result == CUPTI_SUCCESS) {
		atomic_store(&zeroed, true);
		atomic_store(&zeroed, tell_zeroed(true));
	}
	if (atomic_load(&request))
		xs_share_note();
	return result;
}

/* Sets CUPTI's switch. It is repeated if the wish changed meanwhile, so that
 * the last of two concurrent calls leaves the right state. */
static CUptiResult settle(CUpti_ActivityKind kind)
{
	CUptiResult result;
	bool on;

	do {
		on = atomic_load(&wanted[kind]) != 0;
		result = on ? xs_cupti_api.cuptiActivityEnable(kind)
			    : xs_cupti_api.cuptiActivityDisable(kind);
	} while (on != (atomic_load(&wanted[kind]) != 0));
	return result;
}

CUptiResult xs_share_our_kind(bool on, CUpti_ActivityKind kind)
{
	CUptiResult result = CUPTI_SUCCESS;
	uint8_t before =
	    on ? atomic_fetch_or(&wanted[kind], XS_SHARE_US)
	       : atomic_fetch_and(&wanted[kind], (uint8_t)~XS_SHARE_US);

	if (!(before & XS_SHARE_US) == !on)
		return CUPTI_SUCCESS;
	if (!(before & XS_SHARE_CLIENT))
		result = settle(kind);
	if (on && result != CUPTI_SUCCESS)
		atomic_fetch_and(&wanted[kind], (uint8_t)~XS_SHARE_US);
	return result;
}

static bool is_off(void)
{
	uint64_t from_ns = atomic_load(&off_from_ns);

	return from_ns && atomic_load(&off_to_ns) <= from_ns;
}

void xs_share_range(bool on)
{
	/* Records may still be on at the start of a window, while ops of the
	 * one before arrive: then the end of the last range without records
	 * stays. */
	if (on && is_off())
		atomic_store(&off_to_ns, xs_cupti_now_ns());
	else if (!on &&
		 !is_off()) /* a later time would make earlier records ours */
		atomic_store(&off_from_ns, xs_cupti_now_ns());
}

void xs_share_none_yet(void)
{
	atomic_store(&off_from_ns, 1);
}

bool xs_share_is_ours(uint64_t start_ns)
{
	uint64_t from_ns = atomic_load(&off_from_ns);
	uint64_t to_ns = atomic_load(&off_to_ns);

	/* to_ns <= from_ns: still off */
	return !from_ns || start_ns < from_ns ||
	       (to_ns > from_ns && start_ns >= to_ns);
}

/* Flushes the records until now: they are in a buffer of ours, in which the
 * client's would follow. */
static void begin_client(void)
{
	if (atomic_load(&held) && !xs_share_client_records() &&
	    !xs_share_in_client())
		xs_cupti_api.cuptiActivityFlushAll(0);
}

static void end_client(bool wanted_it)
{
	if (wanted_it && !client_wants_any())
		atomic_store(&client_until_ns,
			     xs_clock_ns(CLOCK_MONOTONIC) + FLUSH_WITHIN_NS);
}

CUptiResult
xs_share_client_kind(CUptiResult(CUPTIAPI *real)(CUpti_ActivityKind), bool on,
		     CUpti_ActivityKind kind)
{
	CUptiResult result = CUPTI_SUCCESS;
	uint8_t before;

	if (!is_kind(kind))
		return real(kind);
	if (on) {
		atomic_store(&xs_share_client_has_recorded, true);
		begin_client();
		atomic_fetch_or(&wanted[kind], XS_SHARE_CLIENT);
		result = real(kind);
		if (result != CUPTI_SUCCESS)
			atomic_fetch_and(&wanted[kind],
					 (uint8_t)~XS_SHARE_CLIENT);
		if (atomic_load(&held))
			xs_share_note();
		return result;
	}
	before = atomic_fetch_and(&wanted[kind], (uint8_t)~XS_SHARE_CLIENT);
	if (!(before & XS_SHARE_US))
		result = atomic_load(&held) ? settle(kind) : real(kind);
	end_client(before & XS_SHARE_CLIENT);
	return result;
}

CUptiResult xs_share_client_context(
    CUptiResult(CUPTIAPI *real)(CUcontext, CUpti_ActivityKind), bool on,
    CUcontext context, CUpti_ActivityKind kind)
{
	CUptiResult result = CUPTI_SUCCESS;
	uint16_t left;

	if (!is_kind(kind))
		return real(context, kind);
	if (on) {
		atomic_store(&xs_share_client_has_recorded, true);
		begin_client();
		result = real(context, kind);
		if (result == CUPTI_SUCCESS)
			atomic_fetch_add(&contexts[kind], 1);
		if (atomic_load(&held))
			xs_share_note();
		return result;
	}
	if (!(atomic_load(&wanted[kind]) & XS_SHARE_US))
		result = real(context, kind);
	left = atomic_load(&contexts[kind]);
	while (left && !atomic_compare_exchange_weak(&contexts[kind], &left,
						     (uint16_t)(left - 1)))
		;
	end_client(left);
	return result;
}

CUptiResult xs_share_client_buffers(
    CUptiResult(CUPTIAPI *real)(CUpti_BuffersCallbackRequestFunc,
				CUpti_BuffersCallbackCompleteFunc),
    CUpti_BuffersCallbackRequestFunc asked,
    CUpti_BuffersCallbackCompleteFunc completed)
{
	CUptiResult result = CUPTI_SUCCESS;

	if (!atomic_load(&held))
		result = real(asked, completed);
	else if (!asked || !completed)
		result = CUPTI_ERROR_INVALID_PARAMETER;
	if (result == CUPTI_SUCCESS) {
		atomic_store(&complete, completed);
		atomic_store(&request, asked);
	}
	return result;
}

/*
 * When CUPTI gets a clock, earlier ops that it has not converted yet lose their
 * times (CUPTI 13.0). So its records are flushed first, and a clock that it
 * already has is not set again: PyTorch's profiler sets it at each start.
 */
CUptiResult
xs_share_client_clock(CUptiResult(CUPTIAPI *real)(CUpti_TimestampCallbackFunc),
		      CUpti_TimestampCallbackFunc callback)
{
	CUpti_TimestampCallbackFunc before;
	CUptiResult result;

	if (!callback || atomic_load(&xs_session_state) == XS_SESSION_OFF)
		return real(callback);
	if (atomic_load(&held) && xs_cupti_clock_is(callback))
		return CUPTI_SUCCESS;
	begin_client();
	/* before CUPTI reports the first time of this clock */
	before = xs_cupti_clock_set(callback);
	result = real(callback);
	if (result != CUPTI_SUCCESS)
		xs_cupti_clock_set(before);
	return result;
}

/* The client's callback may be unloaded soon, and CUPTI would still call it. */
void xs_share_forget_clock(void)
{
	if (xs_cupti_clock_is(NULL) ||
	    atomic_load(&xs_session_state) == XS_SESSION_OFF)
		return;
	if (atomic_load(&held))
		xs_share_client_clock(
		    xs_cupti_api.cuptiActivityRegisterTimestampCallback,
		    xs_clock_realtime_ns);
	else
		xs_cupti_clock_set(NULL);
}

static void hand_over(CUcontext context, uint32_t stream, uint8_t *buffer,
		      size_t bytes, size_t valid_bytes)
{
	CUpti_BuffersCallbackCompleteFunc function = atomic_load(&complete);

	if (function)
		function(context, stream, buffer, bytes, valid_bytes);
}

void xs_share_last_flush(bool begins)
{
	atomic_store(&is_last_flush, begins);
}

/* At the end of the process the client may be gone: it gets these buffers only
 * if it flushes. */
static bool keep(CUcontext context, uint32_t stream, uint8_t *buffer,
		 size_t bytes, size_t valid_bytes)
{
	unsigned i = atomic_load(&is_last_flush)
			 ? atomic_fetch_add(&kept_count, 1)
			 : MAX_KEPT;

	if (i >= MAX_KEPT)
		return false;
	kept[i].context = context;
	kept[i].stream = stream;
	kept[i].buffer = buffer;
	kept[i].bytes = bytes;
	kept[i].valid_bytes = valid_bytes;
	atomic_store(&kept[i].complete, true);
	return true;
}

CUptiResult xs_share_client_flush(CUptiResult(CUPTIAPI *real)(uint32_t),
				  uint32_t flag)
{
	CUptiResult result;

	for (unsigned i = 0; i < MAX_KEPT; i++)
		if (atomic_exchange(&kept[i].complete, false))
			hand_over(kept[i].context, kept[i].stream,
				  kept[i].buffer, kept[i].bytes,
				  kept[i].valid_bytes);
	result = real(flag);
	if (!client_wants_any())
		atomic_store(&client_until_ns, 0);
	return result;
}

static bool ask(uint8_t **buffer, size_t *bytes, size_t *most_records)
{
	CUpti_BuffersCallbackRequestFunc function = atomic_load(&request);

	*buffer = NULL;
	*bytes = *most_records = 0;
	if (function)
		function(buffer, bytes, most_records);
	return *buffer != NULL;
}

static bool may_ask(void)
{
	return !atomic_load(&is_last_flush) && xs_share_client_records();
}

bool xs_share_ask_buffer(uint8_t **buffer, size_t *bytes, size_t *most_records)
{
	if (!may_ask() || !ask(buffer, bytes, most_records))
		return false;
	if (atomic_load(&zeroed))
		memset(*buffer, 0, *bytes);
	return true;
}

/* Copies a buffer of ours that also has records for the client to a buffer of
 * the client. */
static void hand_over_copy(CUcontext context, uint32_t stream,
			   const uint8_t *buffer, size_t valid_bytes)
{
	size_t bytes, most_records;
	uint8_t *copy;

	if (!valid_bytes || !may_ask() || !ask(&copy, &bytes, &most_records))
		return;
	if (valid_bytes > bytes)
		valid_bytes = 0;
	memcpy(copy, buffer, valid_bytes);
	hand_over(context, stream, copy, bytes, valid_bytes);
}

void xs_share_return_buffer(CUcontext context, uint32_t stream, uint8_t *buffer,
			    size_t bytes, size_t valid_bytes)
{
	struct xs_guard guard;

	if (!buffer)
		return;
	if (xs_pool_owns(buffer)) {
		hand_over_copy(context, stream, buffer, valid_bytes);
		xs_guard_begin(&guard);
		xs_pool_give(buffer);
		xs_guard_end(&guard);
	} else if (!keep(context, stream, buffer, bytes, valid_bytes)) {
		hand_over(context, stream, buffer, bytes, valid_bytes);
	}
}

void xs_share_dropped(size_t count)
{
	if (atomic_load(&request))
		atomic_fetch_add(&client_dropped, count);
}

size_t xs_share_take_dropped(void)
{
	return atomic_exchange(&client_dropped, 0);
}

void xs_share_forget_records(void)
{
	for (unsigned kind = 0; kind < MAX_KINDS; kind++) {
		atomic_store(&contexts[kind], 0);
		if (atomic_fetch_and(&wanted[kind],
				     (uint8_t)~XS_SHARE_CLIENT) ==
			XS_SHARE_CLIENT &&
		    atomic_load(&held))
			settle((CUpti_ActivityKind)kind);
	}
	atomic_store(&client_until_ns, 0);
	atomic_store(&request, NULL);
}
