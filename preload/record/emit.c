/* SPDX-License-Identifier: MIT */
#include "preload/record/emit.h"
#include "preload/record/copy_probe.h"
#include "preload/record/launch_pointers.h"
#include "preload/record/poll.h"
#include "preload/sampling/op_tracker.h"
#include "preload/trace/session.h"
#include "preload/util/hot.h"

#include <unistd.h>

static int write_copy(struct xs_writer *w, const struct xs_span *s,
		      const struct xs_event *e, cudaError_t error)
{
	struct xs_rec_copycall record = {
	    XS_RECORD(copycall),    .correlation = s->correlation,
	    .bytes = e->bytes,	    .dst = e->dst,
	    .src = e->src,	    .stream = e->stream,
	    .rows = e->rows,	    .direction = e->direction,
	    .error = (xs_u16)error,
	};
	return xs_writer_timed(w, &record, s->site, s->start_ns, s->end_ns);
}

static int write_memory(struct xs_writer *w, const struct xs_span *s,
			const struct xs_event *e, cudaError_t error)
{
	struct xs_rec_memcall record = {
	    XS_RECORD(memcall),	    .correlation = s->correlation,
	    .address = e->dst,	    .bytes = e->bytes,
	    .stream = e->stream,    .flags = e->flags,
	    .error = (xs_u16)error,
	};
	return xs_writer_timed(w, &record, s->site, s->start_ns, s->end_ns);
}

static int write_wait(struct xs_writer *w, const struct xs_span *s,
		      const struct xs_event *e, cudaError_t error)
{
	struct xs_rec_waitcall record = {
	    XS_RECORD(waitcall), .correlation = s->correlation,
	    .stream = e->stream, .event = e->event,
	    .flags = e->flags,	 .error = (xs_u16)error,
	};
	return xs_writer_timed(w, &record, s->site, s->start_ns, s->end_ns);
}

static int write_call(struct xs_writer *w, const struct xs_span *s)
{
	struct xs_rec_call record = {XS_RECORD(call),
				     .correlation = s->correlation};

	return xs_writer_timed(w, &record, s->site, s->start_ns, s->end_ns);
}

static int write_event(struct xs_writer *w, const struct xs_span *s,
		       enum xs_call_class call_class, const struct xs_event *e,
		       cudaError_t error)
{
	switch (call_class) {
	case XS_CALL_COPY:
	case XS_CALL_COPY_ASYNC:
	case XS_CALL_SET:
	case XS_CALL_SET_ASYNC:
	case XS_CALL_PREFETCH:
		return write_copy(w, s, e, error);
	case XS_CALL_ALLOC_DEVICE:
	case XS_CALL_ALLOC_PINNED:
	case XS_CALL_REGISTER:
	case XS_CALL_FREE_DEVICE:
	case XS_CALL_FREE_PINNED:
	case XS_CALL_UNREGISTER:
		return write_memory(w, s, e, error);
	case XS_CALL_SYNC_DEVICE:
	case XS_CALL_SYNC_STREAM:
	case XS_CALL_SYNC_EVENT:
	case XS_CALL_EVENT_RECORD:
	case XS_CALL_STREAM_WAIT:
	case XS_CALL_STREAM_CREATE:
	case XS_CALL_STREAM_DESTROY:
	case XS_CALL_HOST_FUNCTION:
	case XS_CALL_RESET:
	case XS_CALL_CAPTURE_BEGIN:
	case XS_CALL_CAPTURE_END:
		return write_wait(w, s, e, error);
	default:
		return error ? write_wait(w, s, e, error) : write_call(w, s);
	}
}

/* Writes what the copy probe found. If there is no space, only this detail is
 * lost, not the call. */
static void emit_copy_probe(struct xs_thread *thread, enum xs_function fn,
			    const struct xs_span *s,
			    const struct xs_event *event)
{
	struct xs_copy_probe *probe = &thread->copy_probe;

	if (probe->minor || probe->major) {
		struct xs_rec_faults record = {
		    XS_RECORD(faults), .correlation = s->correlation,
		    .minor = probe->minor, .major = probe->major,
		    .page_bytes = (xs_u32)sysconf(_SC_PAGESIZE)};

		xs_writer_timed(&thread->writer, &record, s->site, s->start_ns,
				s->end_ns);
	}
	if (xs_copy_probe_content(probe, fn, event)) {
		struct xs_rec_content record = {
		    XS_RECORD(content), .correlation = s->correlation,
		    .hash = probe->hash, .hashed_bytes = probe->hashed_bytes};
		struct xs_rec_hashing hashing = {XS_RECORD(hashing),
						 .correlation = s->correlation};

		xs_writer_timed(&thread->writer, &record, s->site, s->start_ns,
				s->end_ns);
		xs_writer_timed(&thread->writer, &hashing, s->site, s->start_ns,
				s->start_ns + probe->hash_ns);
	}
	probe->bytes = 0;
}

static int keep_poll(struct xs_thread *thread, const struct xs_span *s,
		     const struct xs_event *e, cudaError_t error)
{
	const struct xs_poll poll = {
	    .site = s->site,
	    .polls = 1,
	    .ready = error == cudaSuccess,
	    .start_ns = s->start_ns,
	    .end_ns = s->end_ns,
	    .stream = e->stream,
	    .event = e->event,
	    .error = (uint16_t)error,
	};

	return xs_poll_add(thread, &poll);
}

/* cudaMemset() and copies within the device return before the device is done,
 * although they are called synchronous. A copy within the host may have no
 * op. */
static bool issues_op(enum xs_call_class call_class, const struct xs_event *e)
{
	switch (call_class) {
	case XS_CALL_LAUNCH:
		return true;
	case XS_CALL_COPY:
	case XS_CALL_COPY_ASYNC:
		return e->bytes && e->direction != cudaMemcpyHostToHost;
	case XS_CALL_SET:
	case XS_CALL_SET_ASYNC:
		return e->bytes;
	default:
		return false;
	}
}

void xs_emit_note_pending(const struct xs_ended_call *call,
			  uint32_t correlation)
{
	const struct xs_function_row *row = &xs_functions[call->fn];
	struct xs_event event = {0};

	if (!correlation || call->error != cudaSuccess)
		return;
	row->fill(call->arguments, &event);
	if (issues_op(row->call_class, &event))
		xs_op_tracker_op_issued(correlation);
}

XS_HOT void xs_emit_fast(struct xs_thread *thread,
			 enum xs_call_class call_class,
			 const struct xs_event *event, cudaError_t error,
			 const struct xs_span *span)
{
	static const struct xs_event none;

	if (xs_poll_write(thread))
		xs_trace_file_lose(&xs_session_trace, XS_LOSS_CALLS, 1);
	if (write_event(&thread->writer, span, call_class,
			error == cudaSuccess ? event : &none, error))
		xs_trace_file_lose(&xs_session_trace, XS_LOSS_CALLS, 1);
}

/* A capture that became invalid ends with an error. */
static bool has_effect(const struct xs_ended_call *call)
{
	return call->error == cudaSuccess ||
	       (xs_functions[call->fn].call_class == XS_CALL_CAPTURE_END &&
		(call->error == cudaErrorStreamCaptureInvalidated ||
		 call->error == cudaErrorStreamCaptureUnjoined));
}

XS_HOT void xs_emit(struct xs_thread *thread, const struct xs_ended_call *call,
		    const struct xs_span *span)
{
	const enum xs_function fn = call->fn;
	const struct xs_function_row *row = &xs_functions[fn];
	bool polls = row->call_class == XS_CALL_POLL;
	struct xs_event event;
	int rc = xs_thread_name(thread);

	if (call->error == cudaSuccess || polls)
		row->fill(call->arguments, &event);
	else
		event = (struct xs_event){0};
	if (!rc && polls)
		rc = keep_poll(thread, span, &event, call->error);
	else if (!rc && xs_poll_write(thread))
		xs_trace_file_lose(&xs_session_trace, XS_LOSS_CALLS, 1);
	if (!rc && !polls)
		rc = write_event(&thread->writer, span, row->call_class, &event,
				 call->error);
	if (rc && xs_trace_file_is_limited(&xs_session_trace))
		xs_count_event(thread, call, &event);
	else if (rc)
		xs_trace_file_lose(&xs_session_trace, XS_LOSS_CALLS, 1);
	xs_count_recorded(thread, call, &event, span->site);
	if (!rc && call->error == cudaSuccess && thread->copy_probe.bytes)
		emit_copy_probe(thread, fn, span, &event);
	if (!rc && has_effect(call) && xs_launch_pointers_are_on())
		xs_launch_pointers_note(thread, call, &event, span);
}
