/* SPDX-License-Identifier: MIT */
/*
 * Hooks of the CUPTI functions with which a second client of this process would
 * take over the subscription or the buffers that we hold. They are exported, so
 * that the calls of a library linked to libcupti come here. If we hold nothing,
 * or that library has a CUPTI of its own, each only calls the real function.
 */
#include "preload/api/real.h"
#include "preload/cupti/cupti_share.h"
#include "preload/trace/session.h"
#include "preload/util/export.h"
#include "preload/util/objects.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

/* The target of calls from the object that contains `caller`. */
struct route {
	const void *caller; /* return address */
	void *real;	    /* NULL: no libcupti has the function */
	bool client;	    /* the caller shares our CUPTI, or may do so */
};

enum route_state { EMPTY, CLAIMED, COMPLETE };

/* The route of the first caller, which is mostly the only one. It is cached,
 * because finding it takes the loader's lock. */
struct first_route {
	atomic_int state; /* enum route_state */
	struct route route;
};

static struct route find_route(struct first_route *first, const char *name,
			       const void *caller)
{
	int empty = EMPTY, kept_errno = errno;
	struct route route = {.caller = caller};
	const struct link_map *library;

	if (atomic_load(&first->state) == COMPLETE &&
	    first->route.caller == caller)
		return first->route;
	route.real = xs_real_symbol(XS_CUPTI_LIBRARY, name, (uintptr_t)caller);
	library = xs_objects_at(route.real);
	/* libcupti's calls of its own functions may come here */
	route.client = library && xs_objects_at(caller) != library &&
		       xs_share_is_clients(library);
	if (route.real &&
	    atomic_compare_exchange_strong(&first->state, &empty, CLAIMED)) {
		first->route = route;
		atomic_store(&first->state, COMPLETE);
	}
	errno = kept_errno;
	return route;
}

/* Declares `real`, the real function, and `client`: whether the caller is the
 * client. */
#define ROUTE(name)                                                            \
	static struct first_route first;                                       \
	const struct route route =                                             \
	    find_route(&first, #name, __builtin_return_address(0));            \
	const bool client = route.client;                                      \
	__typeof__(&name) real;                                                \
	if (!route.real)                                                       \
		return CUPTI_ERROR_NOT_INITIALIZED;                            \
	memcpy(&real, &route.real, sizeof(real))

/* A hook that returns the answer if is_served, else calls the real function.
 * Both may use what ROUTE() declares. */
#define HOOK(name, parameters, arguments, is_served, answer)                   \
	XS_EXPORT CUptiResult CUPTIAPI name parameters                         \
	{                                                                      \
		ROUTE(name);                                                   \
		return (is_served) ? (answer) : real arguments;                \
	}

HOOK(cuptiSubscribe,
     (CUpti_SubscriberHandle * out, CUpti_CallbackFunc function, void *user),
     (out, function, user), (client && xs_share_holds_callbacks()),
     xs_share_subscribe(out, function, user))

HOOK(cuptiUnsubscribe, (CUpti_SubscriberHandle subscriber), (subscriber),
     (client && xs_share_is_client(subscriber)), xs_share_unsubscribe())

HOOK(cuptiEnableCallback,
     (uint32_t enable, CUpti_SubscriberHandle subscriber,
      CUpti_CallbackDomain domain, CUpti_CallbackId id),
     (enable, subscriber, domain, id),
     (client && xs_share_is_client(subscriber)),
     xs_share_callback(XS_SHARE_CLIENT, enable != 0, domain, id))

HOOK(cuptiEnableDomain,
     (uint32_t enable, CUpti_SubscriberHandle subscriber,
      CUpti_CallbackDomain domain),
     (enable, subscriber, domain), (client && xs_share_is_client(subscriber)),
     xs_share_domain(enable != 0, domain))

HOOK(cuptiActivityRegisterCallbacks,
     (CUpti_BuffersCallbackRequestFunc request,
      CUpti_BuffersCallbackCompleteFunc complete),
     (request, complete), client,
     xs_share_client_buffers(real, request, complete))

HOOK(cuptiActivityRegisterTimestampCallback,
     (CUpti_TimestampCallbackFunc callback), (callback), client,
     xs_share_client_clock(real, callback))

HOOK(cuptiActivityEnable, (CUpti_ActivityKind kind), (kind), client,
     xs_share_client_kind(real, true, kind))
HOOK(cuptiActivityEnableAndDump, (CUpti_ActivityKind kind), (kind), client,
     xs_share_client_kind(real, true, kind))
HOOK(cuptiActivityDisable, (CUpti_ActivityKind kind), (kind), client,
     xs_share_client_kind(real, false, kind))

HOOK(cuptiActivityEnableContext, (CUcontext context, CUpti_ActivityKind kind),
     (context, kind), client,
     xs_share_client_context(real, true, context, kind))
HOOK(cuptiActivityDisableContext, (CUcontext context, CUpti_ActivityKind kind),
     (context, kind), client,
     xs_share_client_context(real, false, context, kind))

HOOK(cuptiActivityFlushAll, (uint32_t flag), (flag), client,
     xs_share_client_flush(real, flag))

XS_EXPORT CUptiResult CUPTIAPI
cuptiGetCallbackState(uint32_t *enable, CUpti_SubscriberHandle subscriber,
		      CUpti_CallbackDomain domain, CUpti_CallbackId id)
{
	ROUTE(cuptiGetCallbackState);
	if (!client || !xs_share_is_client(subscriber))
		return real(enable, subscriber, domain, id);
	if (!enable)
		return CUPTI_ERROR_INVALID_PARAMETER;
	*enable = (xs_share_wanted(domain, id) & XS_SHARE_CLIENT) != 0;
	return CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult CUPTIAPI
cuptiEnableAllDomains(uint32_t enable, CUpti_SubscriberHandle subscriber)
{
	ROUTE(cuptiEnableAllDomains);
	if (!client || !xs_share_is_client(subscriber))
		return real(enable, subscriber);
	/* errors are ignored: some domains have no callbacks in this CUPTI */
	for (unsigned domain = CUPTI_CB_DOMAIN_INVALID + 1;
	     domain < XS_CUPTI_MOST_DOMAINS; domain++)
		xs_share_domain(enable != 0, (CUpti_CallbackDomain)domain);
	return CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult CUPTIAPI cuptiActivityGetNumDroppedRecords(
    CUcontext context, uint32_t stream, size_t *dropped)
{
	CUptiResult result;

	ROUTE(cuptiActivityGetNumDroppedRecords);
	result = real(context, stream, dropped);
	if (client && result == CUPTI_SUCCESS) {
		if (xs_share_holds_records())
			xs_trace_file_lose(&xs_session_trace, XS_LOSS_CUPTI,
					   *dropped);
		*dropped += xs_share_take_dropped();
	}
	return result;
}

/* The real function would detach us, too: only the client's state is reset. */
XS_EXPORT CUptiResult CUPTIAPI cuptiFinalize(void)
{
	ROUTE(cuptiFinalize);
	if (client && !xs_share_holds_records())
		xs_share_forget_clock();
	if (!client || !xs_share_holds_records())
		return real();
	xs_share_forget_callbacks();
	xs_share_forget_records();
	xs_share_forget_clock();
	xs_share_note();
	return CUPTI_SUCCESS;
}
