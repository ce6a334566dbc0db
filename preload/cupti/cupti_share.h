/* SPDX-License-Identifier: MIT */
/*
 * CUPTI shared with another profiler of the process, as PyTorch's: the guest.
 *
 * CUPTI has one subscriber to its callbacks and one owner of the buffers that
 * its records come in. We are both, so what the guest asks for comes here
 * (cupti_hooks.c): its callbacks are called from ours, CUPTI's switches stand
 * as either of us wants them, and while the guest wants records they come in
 * its own buffers, which we only read. All of it may be called from any thread,
 * and no lock is held over a call of CUPTI or of the guest.
 */
#ifndef XS_PRELOAD_CUPTI_CUPTI_SHARE_H
#define XS_PRELOAD_CUPTI_CUPTI_SHARE_H

#include "preload/cupti/cupti_api.h"

#include <link.h>

#define XS_CUPTI_MOST_DOMAINS 7u /* to ..._STATE, which older headers lack */

/* Who wants a callback or a kind of record: a bit each. */
enum xs_share_who { XS_SHARE_US = 1, XS_SHARE_CLIENT = 2 };

/* We use the CUPTI that is in xs_cupti_api, then hold its subscription, then
 * its buffers. */
void xs_share_begin(void);
void xs_share_hold_callbacks(CUpti_SubscriberHandle subscriber);
CUptiResult xs_share_hold_records(void);

/* Whether there is a guest; whether there is none, and we want nothing. */
bool xs_share_has_client(void);
bool xs_share_is_idle(void);

/* Both are held no more: who comes now finds CUPTI as if we had not begun. */
void xs_share_let_go(void);

/*
 * Whether a caller of the CUPTI that is loaded as `library` is the guest. It is
 * one before we begin, since it may still be there when we do; but of one
 * library alone, and that is ours as soon as we have one.
 */
bool xs_share_is_clients(const struct link_map *library);

/* Says once in the trace that there is a guest. */
void xs_share_note(void);

/* Callbacks: cupti_share.c. */

/* One callback switched on or off for one of the two. */
CUptiResult xs_share_callback(enum xs_share_who who, bool on,
			      CUpti_CallbackDomain domain, CUpti_CallbackId id);

/* Who wants it: bits of enum xs_share_who. */
unsigned xs_share_wanted(CUpti_CallbackDomain domain, CUpti_CallbackId id);

/* The guest's callback; NULL: it has none. */
extern _Atomic(CUpti_CallbackFunc) xs_share_client_callback;

static inline bool xs_share_client_listens(void)
{
	return atomic_load_explicit(&xs_share_client_callback,
				    memory_order_relaxed) != NULL;
}

/* The guest's callback, and whether this thread is inside of it. */
void xs_share_call_client(CUpti_CallbackDomain domain, CUpti_CallbackId id,
			  const void *data);
bool xs_share_in_client(void);

/* Whether we have the callbacks of CUPTI, which the guest then has of us. */
bool xs_share_holds_callbacks(void);

/* As CUPTI's own, for the guest; a second one is refused as CUPTI would. */
CUptiResult xs_share_subscribe(CUpti_SubscriberHandle *subscriber,
			       CUpti_CallbackFunc function, void *user);
CUptiResult xs_share_unsubscribe(void);
CUptiResult xs_share_domain(bool on, CUpti_CallbackDomain domain);

/* Whether it is the handle that the guest was given. */
bool xs_share_is_client(CUpti_SubscriberHandle subscriber);

/* Records: cupti_share_records.c. */

/* Whether either of us wants any, whether the guest does or has buffers for
 * them; and ours are held no more. */
bool xs_share_any_kind(void);
bool xs_share_client_has_records(void);
void xs_share_release_records(void);

/* A kind of record switched on or off for us. */
CUptiResult xs_share_our_kind(bool on, CUpti_ActivityKind kind);

/* From now on records are for our trace, or not: those that still come are what
 * only the guest wants. */
void xs_share_range(bool on);

/* The first range is still to come: before any record. */
void xs_share_none_yet(void);

/* Whether one that began then is for our trace. */
bool xs_share_is_ours(uint64_t start_ns);

/* The guest switches one, with the function of CUPTI that does it. */
CUptiResult
xs_share_client_kind(CUptiResult(CUPTIAPI *real)(CUpti_ActivityKind), bool on,
		     CUpti_ActivityKind kind);
CUptiResult xs_share_client_context(
    CUptiResult(CUPTIAPI *real)(CUcontext, CUpti_ActivityKind), bool on,
    CUcontext context, CUpti_ActivityKind kind);

/* Where the guest's records go; `real` only until we hold them. */
CUptiResult xs_share_client_buffers(
    CUptiResult(CUPTIAPI *real)(CUpti_BuffersCallbackRequestFunc,
				CUpti_BuffersCallbackCompleteFunc),
    CUpti_BuffersCallbackRequestFunc request,
    CUpti_BuffersCallbackCompleteFunc complete);

/* The guest's clock for all of CUPTI's times: ours are converted back
 * (cupti_clock.h). */
CUptiResult
xs_share_client_clock(CUptiResult(CUPTIAPI *real)(CUpti_TimestampCallbackFunc),
		      CUpti_TimestampCallbackFunc callback);

/* Whether the guest has ever enabled a kind of record. */
extern atomic_bool xs_share_client_has_recorded;

static inline bool xs_share_client_recorded(void)
{
	return atomic_load_explicit(&xs_share_client_has_recorded,
				    memory_order_relaxed);
}

/* Whether we hold the buffers of records. */
bool xs_share_holds_records(void);

/* Whether records go to the guest's buffers: it says when they are flushed. */
bool xs_share_client_records(void);

/* Around the last flush of ours: what is the guest's is kept for it. */
void xs_share_last_flush(bool begins);

/* The guest flushes. */
CUptiResult xs_share_client_flush(CUptiResult(CUPTIAPI *real)(uint32_t),
				  uint32_t flag);

/* A buffer of the guest's; false: use one of ours. */
bool xs_share_ask_buffer(uint8_t **buffer, size_t *bytes, size_t *most_records);

/* A buffer that was read goes back to whom it came from. */
void xs_share_return_buffer(CUcontext context, uint32_t stream, uint8_t *buffer,
			    size_t bytes, size_t valid_bytes);

/* CUPTI tells once what it dropped: the guest is to hear it too. */
void xs_share_dropped(size_t count);
size_t xs_share_take_dropped(void);

/* The guest is done with CUPTI, or turned out to be of another library. */
void xs_share_forget_callbacks(void);
void xs_share_forget_records(void);
void xs_share_forget_clock(void);

#endif
