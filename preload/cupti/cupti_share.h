/* SPDX-License-Identifier: MIT */
/*
 * Shares CUPTI with a second client: another profiler of the process, such as
 * PyTorch's. Comments in these files call it the client.
 *
 * CUPTI has one subscriber to its callbacks and one owner of the buffers for
 * its records. We are both, so the client's requests come here (cupti_hooks.c).
 * Its callback is called from ours. A switch of CUPTI is on if either side
 * wants it. While the client wants records, they are written to its own
 * buffers, which we only read. All functions are thread-safe, and no lock is
 * held over a call of CUPTI or of the client.
 */
#pragma once

#include "preload/cupti/cupti_api.h"

#include <link.h>

/* Up to CUPTI_CB_DOMAIN_STATE, which older headers lack. */
#define XS_CUPTI_MOST_DOMAINS 7u

/* Who wants a callback or a kind of record: one bit each. */
enum xs_share_who { XS_SHARE_US = 1, XS_SHARE_CLIENT = 2 };

/* Called in this order: we begin to use the CUPTI in xs_cupti_api, then hold
 * its subscription, then its buffers. */
void xs_share_begin(void);
void xs_share_hold_callbacks(CUpti_SubscriberHandle subscriber);
CUptiResult xs_share_hold_records(void);

/* Returns whether there is a client; whether there is none, and we have no
 * callback enabled either. */
bool xs_share_has_client(void);
bool xs_share_is_idle(void);

/* Releases the subscription and the buffers: from now on others use CUPTI as if
 * we had not begun. */
void xs_share_let_go(void);

/*
 * Returns whether a caller of the CUPTI that is loaded as `library` is the
 * client. It may be one before we begin, because it may still be there when we
 * do. Only callers of one library are clients: the first one seen, and the one
 * that we use as soon as there is one.
 */
bool xs_share_is_clients(const struct link_map *library);

/* Writes a note about the client to the trace, once. */
void xs_share_note(void);

/* Callbacks: cupti_share.c. */

/* Switches one callback on or off for one of the two sides. */
CUptiResult xs_share_callback(enum xs_share_who who, bool on,
			      CUpti_CallbackDomain domain, CUpti_CallbackId id);

/* Returns who wants the callback: bits of enum xs_share_who. */
unsigned xs_share_wanted(CUpti_CallbackDomain domain, CUpti_CallbackId id);

/* The client's callback, or NULL. */
extern _Atomic(CUpti_CallbackFunc) xs_share_client_callback;

static inline bool xs_share_client_listens(void)
{
	return xs_relaxed(&xs_share_client_callback) != NULL;
}

/* Calls the client's callback; returns whether this thread is inside it. */
void xs_share_call_client(CUpti_CallbackDomain domain, CUpti_CallbackId id,
			  const void *data);
bool xs_share_in_client(void);

/* Returns whether we have CUPTI's subscription. The client's callback is then
 * called by us. */
bool xs_share_holds_callbacks(void);

/* CUPTI's functions of these names for the client. A second client is refused,
 * as CUPTI would. */
CUptiResult xs_share_subscribe(CUpti_SubscriberHandle *subscriber,
			       CUpti_CallbackFunc function, void *user);
CUptiResult xs_share_unsubscribe(void);
CUptiResult xs_share_domain(bool on, CUpti_CallbackDomain domain);

/* Returns whether it is the handle that the client got. */
bool xs_share_is_client(CUpti_SubscriberHandle subscriber);

/* Records: cupti_share_records.c. */

/* After cuptiFinalize(), which switches all kinds off. */
void xs_share_forget_our_kinds(void);
/* Returns whether the client wants a kind of record, or has buffers for them.
 */
bool xs_share_client_has_records(void);

/* Switches a kind of record on or off for us. */
CUptiResult xs_share_our_kind(bool on, CUpti_ActivityKind kind);

/* Begins or ends the time whose records are for our trace. Other records that
 * still arrive are only for the client. */
void xs_share_range(bool on);

/* States that the first such time has not begun yet. Call it before any record
 * arrives. */
void xs_share_none_yet(void);

/* Returns whether a record with this start is for our trace. */
bool xs_share_is_ours(uint64_t start_ns);

/* The client switches a kind; `real` is the CUPTI function that it called. */
CUptiResult
xs_share_client_kind(CUptiResult(CUPTIAPI *real)(CUpti_ActivityKind), bool on,
		     CUpti_ActivityKind kind);
CUptiResult xs_share_client_context(
    CUptiResult(CUPTIAPI *real)(CUcontext, CUpti_ActivityKind), bool on,
    CUcontext context, CUpti_ActivityKind kind);

/* Sets the client's clock for all times of CUPTI. Times for our trace are
 * converted back (cupti_clock.h). */
CUptiResult
xs_share_client_clock(CUptiResult(CUPTIAPI *real)(CUpti_TimestampCallbackFunc),
		      CUpti_TimestampCallbackFunc callback);

/* Whether the client has ever enabled a kind of record. */
extern atomic_bool xs_share_client_has_recorded;

static inline bool xs_share_client_recorded(void)
{
	return xs_relaxed(&xs_share_client_has_recorded);
}

/* Returns whether records go to the client's buffers. The client then decides
 * when they are flushed. */
bool xs_share_client_records(void);

/* The client has flushed. Its records are complete if it wants no kind any
 * more. */
void xs_share_client_flushed(void);

/* Buffers for records: cupti_share_buffers.c. */

/* Returns whether we hold the buffers for records. */
bool xs_share_holds_records(void);

/* We stop holding the buffers. */
void xs_share_release_records(void);

/* Sets the client's buffer callbacks. `real` is only called if we do not hold
 * the buffers. */
CUptiResult xs_share_client_buffers(
    CUptiResult(CUPTIAPI *real)(CUpti_BuffersCallbackRequestFunc,
				CUpti_BuffersCallbackCompleteFunc),
    CUpti_BuffersCallbackRequestFunc request,
    CUpti_BuffersCallbackCompleteFunc complete);

/* Returns whether the client has set buffer callbacks. */
bool xs_share_client_has_buffers(void);

/* Call it before and after our last flush: the client's buffers are kept until
 * it flushes itself. */
void xs_share_last_flush(bool begins);

/* The client flushes. */
CUptiResult xs_share_client_flush(CUptiResult(CUPTIAPI *real)(uint32_t),
				  uint32_t flag);

/* Asks the client for a buffer. False: use one of ours. */
bool xs_share_ask_buffer(uint8_t **buffer, size_t *bytes, size_t *most_records);

/* Returns a buffer that was read to its owner. */
void xs_share_return_buffer(CUcontext context, uint32_t stream, uint8_t *buffer,
			    size_t bytes, size_t valid_bytes);

/* CUPTI reports dropped records only once: they are stored for the client, and
 * taken when it asks. */
void xs_share_dropped(size_t count);
size_t xs_share_take_dropped(void);

/* Forget the client's state: it has finished with CUPTI, or it turned out to
 * use another library. */
void xs_share_forget_callbacks(void);
void xs_share_forget_records(void);
void xs_share_forget_buffers(void);
void xs_share_forget_clock(void);
