/* SPDX-License-Identifier: MIT */
#include "preload/record/abandoned_call.h"
#include "preload/trace/session.h"
#include "preload/util/guard.h"

#include <errno.h>
#include <signal.h>
#include <sys/uio.h>
#include <unistd.h>

/* Bytes of stack by which frames of calls may differ. */
#define FRAME_BYTES 128

/* Returns whether the frame at thread->inside may still exist: it begins with
 * the thread's address. Its stack may have been unmapped. */
static bool may_exist(const struct xs_thread *thread)
{
	const struct xs_thread *found = NULL;
	const struct iovec to = {&found, sizeof(found)},
			   from = {(void *)thread->inside, sizeof(found)};

	if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != sizeof(found))
		return errno != EFAULT;
	return found == thread;
}

/*
 * A nested call lies further down the stack than the open one, by more than
 * their frames differ, and the open one's frame is still there; or it runs in a
 * signal handler on an alternate stack. A guard can only be left by a handler
 * of SIGSEGV and the like: then its calls stay open.
 */
static bool is_nested(const struct xs_thread *thread, const void *at)
{
	const uintptr_t inside = (uintptr_t)thread->inside;
	stack_t other;
	bool was_on_other;

	if (xs_guard_is_on())
		return true;
	if (sigaltstack(NULL, &other) == 0 && !(other.ss_flags & SS_DISABLE)) {
		was_on_other = inside - (uintptr_t)other.ss_sp < other.ss_size;
		if (was_on_other != !!(other.ss_flags & SS_ONSTACK))
			return !was_on_other;
	}
	return (uintptr_t)at + FRAME_BYTES < inside && may_exist(thread);
}

bool xs_abandoned_call_drop(struct xs_thread *thread, const void *at)
{
	if (is_nested(thread, at))
		return false;
	xs_writer_recover(&thread->writer);
	thread->recorded = false;
	thread->in_runtime = false;
	xs_relaxed_set(&thread->in_unhooked, false);
	thread->busy = false;
	atomic_store_explicit(&thread->in_hook, false, memory_order_release);
	xs_trace_file_lose(&xs_session_trace, XS_LOSS_CALLS, 1);
	return true;
}
