/* SPDX-License-Identifier: MIT */
#include "preload/cupti/cupti.h"
#include "preload/cupti/cupti_clock.h"
#include "preload/cupti/cupti_share.h"
#include "preload/trace/session.h"
#include "preload/util/clock.h"

#include <stdatomic.h>

#define MAX_KINDS 256u
/* A client that disabled its kinds flushes within this time, or never. */
#define FLUSH_WITHIN_NS 5000000000u

static _Atomic uint8_t wanted[MAX_KINDS];
/* Number of contexts for which the client enabled a kind. */
static _Atomic uint16_t contexts[MAX_KINDS];
static _Atomic uint64_t client_until_ns; /* monotonic; 0: it has flushed */
static _Atomic uint64_t off_from_ns, off_to_ns; /* CLOCK_REALTIME */

atomic_bool xs_share_client_has_recorded;

static bool is_kind(CUpti_ActivityKind kind)
{
	return (unsigned)kind < MAX_KINDS;
}

static bool client_wants_any(void)
{
	for (unsigned kind = 0; kind < MAX_KINDS; kind++)
		if (xs_relaxed(&wanted[kind]) & XS_SHARE_CLIENT ||
		    xs_relaxed(&contexts[kind]))
			return true;
	return false;
}

bool xs_share_client_records(void)
{
	return xs_share_client_has_buffers() &&
	       (client_wants_any() ||
		xs_clock_monotonic_ns() < atomic_load(&client_until_ns));
}

void xs_share_forget_our_kinds(void)
{
	for (unsigned kind = 0; kind < MAX_KINDS; kind++)
		atomic_fetch_and(&wanted[kind], (uint8_t)~XS_SHARE_US);
}

bool xs_share_client_has_records(void)
{
	return xs_share_client_has_buffers() || client_wants_any();
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
	if (xs_share_holds_records() && !xs_share_client_records() &&
	    !xs_share_in_client())
		xs_cupti_api.cuptiActivityFlushAll(0);
}

void xs_share_client_flushed(void)
{
	if (!client_wants_any())
		atomic_store(&client_until_ns, 0);
}

static void end_client(bool wanted_it)
{
	if (wanted_it && !client_wants_any())
		atomic_store(&client_until_ns,
			     xs_clock_monotonic_ns() + FLUSH_WITHIN_NS);
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
		if (xs_share_holds_records())
			xs_share_note();
		return result;
	}
	before = atomic_fetch_and(&wanted[kind], (uint8_t)~XS_SHARE_CLIENT);
	if (!(before & XS_SHARE_US))
		result = xs_share_holds_records() ? settle(kind) : real(kind);
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
		if (xs_share_holds_records())
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
	if (xs_share_holds_records() && xs_cupti_clock_is(callback))
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
	if (xs_share_holds_records())
		xs_share_client_clock(
		    xs_cupti_api.cuptiActivityRegisterTimestampCallback,
		    xs_clock_realtime_ns);
	else
		xs_cupti_clock_set(NULL);
}

void xs_share_forget_records(void)
{
	for (unsigned kind = 0; kind < MAX_KINDS; kind++) {
		atomic_store(&contexts[kind], 0);
		if (atomic_fetch_and(&wanted[kind],
				     (uint8_t)~XS_SHARE_CLIENT) ==
			XS_SHARE_CLIENT &&
		    xs_share_holds_records())
			settle((CUpti_ActivityKind)kind);
	}
	atomic_store(&client_until_ns, 0);
	xs_share_forget_buffers();
}
