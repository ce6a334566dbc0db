/* SPDX-License-Identifier: MIT */
#include "preload/record/thread_end.h"
#include "preload/callstack/callstack.h"
#include "preload/record/call_counter.h"
#include "preload/record/callsite_cache.h"
#include "preload/record/poll.h"
#include "preload/sampling/capture_mode.h"

void xs_thread_end(struct xs_thread *thread)
{
	xs_poll_write(thread);
	xs_poll_drop(thread->poll);
	thread->poll = NULL;
	xs_writer_release(&thread->writer);
	thread->writer.trace = NULL;
	thread->named = false;
	xs_call_counter_release(thread);
	xs_callsite_cache_drop(thread->callsites);
	thread->callsites = NULL;
	xs_capture_mode_leave(thread);
	xs_callstack_drop(thread->callstack);
	thread->callstack = NULL;
}
