/* SPDX-License-Identifier: MIT */
/*
 * The second client is PyTorch's profiler. It keeps its subscription to the
 * callbacks after its first profile (cuptiSubscribe then answers 39; PyTorch on
 * an H200, CUDA 13.0), so stepping back while it records would lose the
 * callbacks for the rest of the run.
 */
#include "preload/cupti/cupti_share.h"
#include "preload/cupti/cupti_clock.h"
#include "preload/trace/info.h"
#include "preload/trace/session.h"
#include "preload/util/clock.h"
#include "preload/util/hot.h"
#include "preload/util/objects.h"

#include <stdatomic.h>

#define MAX_CELLS 4u /* nested calls of one thread */

static _Atomic uint8_t wanted[XS_CUPTI_MOST_DOMAINS][XS_CUPTI_MOST_CALLBACKS];
static _Atomic(CUpti_SubscriberHandle) held;
XS_HOT_DATA _Atomic(CUpti_CallbackFunc) xs_share_client_callback;
static _Atomic(void *) client_user;

static _Atomic(const struct link_map *) client_library;

/* The client's subscriber handle: any address of ours. */
#define CLIENT_HANDLE                                                          \
	((CUpti_SubscriberHandle)(void *)&xs_share_client_callback)

/* A value that the client stores in a call's *correlationData. The key is its
 * address, which is the same at the start and end of the call. */
struct cell {
	const uint64_t *at; /* NULL: free */
	uint64_t value;
};
static _Thread_local unsigned in_client
    __attribute__((tls_model("initial-exec")));
static _Thread_local struct cell cells[MAX_CELLS]
    __attribute__((tls_model("initial-exec")));

void xs_share_begin(void)
{
	const struct link_map *library =
	    xs_objects_at((const void *)xs_cupti_api.cuptiGetVersion);

	if (!library)
		return;
	if (atomic_load(&client_library) != library) {
		xs_share_forget_clock();
		xs_share_forget_records();
	}
	atomic_store(&client_library, library);
}

bool xs_share_is_clients(const struct link_map *library)
{
	const struct link_map *known = NULL;

	return atomic_compare_exchange_strong(&client_library, &known,
					      library) ||
	       known == library;
}

void xs_share_note(void)
{
	static atomic_bool written;
	uint64_t since_ns;

	if (atomic_load(&xs_session_state) == XS_SESSION_NEW ||
	    atomic_load(&xs_session_state) == XS_SESSION_OFF ||
	    atomic_exchange(&written, true))
		return;
	since_ns = xs_clock_realtime_ns() - xs_session_trace.start_realtime_ns;
	xs_trace_info("note",
		      "another profiler (PyTorch's?) uses CUPTI in this "
		      "process, from %.1f s on: both get their records; while "
		      "it measures, times are longer",
		      (double)since_ns / 1e9);
}

void xs_share_hold_callbacks(CUpti_SubscriberHandle subscriber)
{
	atomic_store(&held, subscriber);
}

static bool any_callback(void)
{
	for (unsigned d = 0; d < XS_CUPTI_MOST_DOMAINS; d++)
		for (unsigned id = 0; id < XS_CUPTI_MOST_CALLBACKS; id++)
			if (xs_relaxed(&wanted[d][id]))
				return true;
	return false;
}

bool xs_share_has_client(void)
{
	return atomic_load(&xs_share_client_callback) ||
	       !xs_cupti_clock_is(NULL) || xs_share_client_has_records();
}

bool xs_share_is_idle(void)
{
	return !xs_share_has_client() && !any_callback();
}

void xs_share_let_go(void)
{
	xs_share_hold_callbacks(NULL);
	xs_share_release_records();
}

bool xs_share_holds_callbacks(void)
{
	return atomic_load(&held) != NULL;
}

unsigned xs_share_wanted(CUpti_CallbackDomain domain, CUpti_CallbackId id)
{
	if (domain >= XS_CUPTI_MOST_DOMAINS || id >= XS_CUPTI_MOST_CALLBACKS)
		return 0;
	return xs_relaxed(&wanted[domain][id]);
}

/* Sets CUPTI's switch. It is repeated if the wish changed meanwhile, so that
 * the last of two concurrent calls leaves the right state. */
static CUptiResult settle(CUpti_CallbackDomain domain, CUpti_CallbackId id)
{
	CUptiResult result;
	bool on;

	do {
		on = atomic_load(&wanted[domain][id]) != 0;
		result = xs_cupti_api.cuptiEnableCallback(
		    on, atomic_load(&held), domain, id);
	} while (on != (atomic_load(&wanted[domain][id]) != 0));
	return result;
}

CUptiResult xs_share_callback(enum xs_share_who who, bool on,
			      CUpti_CallbackDomain domain, CUpti_CallbackId id)
{
	_Atomic uint8_t *bits;
	CUptiResult result = CUPTI_SUCCESS;
	uint8_t before;

	if (domain >= XS_CUPTI_MOST_DOMAINS || id >= XS_CUPTI_MOST_CALLBACKS)
		return CUPTI_ERROR_INVALID_PARAMETER;
	bits = &wanted[domain][id];
	before = on ? atomic_fetch_or(bits, (uint8_t)who)
		    : atomic_fetch_and(bits, (uint8_t)~who);
	/* if the other side wants it, CUPTI's switch does not change */
	if ((before & ~(unsigned)who) == 0)
		result = settle(domain, id);
	if (on && result != CUPTI_SUCCESS)
		atomic_fetch_and(bits, (uint8_t)~who);
	return result;
}

CUptiResult xs_share_domain(bool on, CUpti_CallbackDomain domain)
{
	bool any = false;

	if (domain <= CUPTI_CB_DOMAIN_INVALID ||
	    domain >= XS_CUPTI_MOST_DOMAINS)
		return CUPTI_ERROR_INVALID_PARAMETER;
	/* Not all ids are callbacks; only CUPTI knows which are. */
	for (CUpti_CallbackId id = 1; id < XS_CUPTI_MOST_CALLBACKS; id++) {
		if (!on && !(xs_share_wanted(domain, id) & XS_SHARE_CLIENT))
			continue;
		any |= xs_share_callback(XS_SHARE_CLIENT, on, domain, id) ==
		       CUPTI_SUCCESS;
	}
	return any || !on ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

bool xs_share_is_client(CUpti_SubscriberHandle subscriber)
{
	return subscriber == CLIENT_HANDLE;
}

CUptiResult xs_share_subscribe(CUpti_SubscriberHandle *subscriber,
			       CUpti_CallbackFunc function, void *user)
{
	CUpti_CallbackFunc none = NULL;

	if (!subscriber || !function)
		return CUPTI_ERROR_INVALID_PARAMETER;
	if (!atomic_compare_exchange_strong(&xs_share_client_callback, &none,
					    function))
		return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
	/* in time: none of its callbacks is enabled yet */
	atomic_store(&client_user, user);
	*subscriber = CLIENT_HANDLE;
	xs_share_note();
	return CUPTI_SUCCESS;
}

void xs_share_forget_callbacks(void)
{
	for (unsigned d = CUPTI_CB_DOMAIN_INVALID + 1;
	     d < XS_CUPTI_MOST_DOMAINS; d++)
		xs_share_domain(false, (CUpti_CallbackDomain)d);
	atomic_store(&xs_share_client_callback, NULL);
}

CUptiResult xs_share_unsubscribe(void)
{
	if (!atomic_load(&xs_share_client_callback))
		return CUPTI_ERROR_INVALID_PARAMETER;
	xs_share_forget_callbacks();
	return CUPTI_SUCCESS;
}

/* Removes and returns the value stored for the call; 0 if there is none. */
static uint64_t take_cell(const uint64_t *at)
{
	for (unsigned i = 0; i < MAX_CELLS; i++) {
		if (cells[i].at == at) {
			cells[i].at = NULL;
			return cells[i].value;
		}
	}
	return 0;
}

static void keep_cell(const uint64_t *at, uint64_t value)
{
	static _Thread_local unsigned oldest
	    __attribute__((tls_model("initial-exec")));

	for (unsigned i = 0; i < MAX_CELLS; i++) {
		if (!cells[i].at) {
			cells[i] = (struct cell){at, value};
			return;
		}
	}
	/* all are of calls whose end had no callback: reuse the oldest */
	cells[oldest++ % MAX_CELLS] = (struct cell){at, value};
}

/*
 * Passes CUPTI's own struct, because a newer CUPTI may make it longer. Only
 * *correlationData, which a tool may keep from the start of a call to its end,
 * has the client's value during its callback, and then ours again.
 */
static void call_with_own_cell(CUpti_CallbackFunc function,
			       CUpti_CallbackDomain domain, CUpti_CallbackId id,
			       const CUpti_CallbackData *data)
{
	uint64_t *at = data->correlationData;
	uint64_t ours = *at, theirs = take_cell(at);
	bool enter = data->callbackSite == CUPTI_API_ENTER;

	*at = enter ? 0 : theirs;
	function(atomic_load(&client_user), domain, id, data);
	if (enter && *at)
		keep_cell(at, *at);
	*at = ours;
}

void xs_share_call_client(CUpti_CallbackDomain domain, CUpti_CallbackId id,
			  const void *data)
{
	CUpti_CallbackFunc function = atomic_load(&xs_share_client_callback);
	const CUpti_CallbackData *call = data;

	if (!function)
		return;
	in_client++;
	if ((domain == CUPTI_CB_DOMAIN_RUNTIME_API ||
	     domain == CUPTI_CB_DOMAIN_DRIVER_API) &&
	    call->correlationData)
		call_with_own_cell(function, domain, id, call);
	else
		function(atomic_load(&client_user), domain, id, data);
	in_client--;
}

bool xs_share_in_client(void)
{
	return in_client != 0;
}
