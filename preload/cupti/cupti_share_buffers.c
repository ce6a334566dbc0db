/* SPDX-License-Identifier: MIT */
#include "preload/cupti/cupti_share.h"
#include "preload/util/guard.h"
#include "preload/util/pool.h"

#include <stdatomic.h>
#include <string.h>

#define MAX_KEPT 64u

static _Atomic(CUpti_BuffersCallbackRequestFunc) request;
static _Atomic(CUpti_BuffersCallbackCompleteFunc) complete;
static atomic_bool held;   /* CUPTI uses our buffer callbacks */
static atomic_bool zeroed; /* CUPTI expects zeroed buffers */
static _Atomic size_t client_dropped;

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

bool xs_share_client_has_buffers(void)
{
	return atomic_load(&request) != NULL;
}

void xs_share_forget_buffers(void)
{
	atomic_store(&request, NULL);
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
	xs_share_client_flushed();
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
