/* SPDX-License-Identifier: MIT */
#include "preload/thread.h"
#include "preload/poll.h"
#include "preload/tally.h"
#include "preload/walk.h"

#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Initial-exec: reached by one instruction, without the call of
 * __tls_get_addr(), which may allocate from the application's malloc at a
 * thread's first use. It takes from the room that the loader keeps for
 * libraries that are loaded later, so it must stay small.
 */
static _Thread_local struct xs_thread self
    __attribute__((tls_model("initial-exec")));
_Static_assert(sizeof(struct xs_thread) <= 128, "static TLS is scarce");

static pthread_key_t end_key;
static bool have_end_key;

/* A thread ends: its mappings go, its records stay in the file. A later
 * destructor that calls CUDA opens the thread again. */
static void thread_ends(void *data)
{
	struct xs_thread *thread = data;

	thread->busy = true;
	xs_poll_write(thread);
	xs_poll_drop(thread->poll);
	thread->poll = NULL;
	xs_writer_drop(&thread->writer);
	thread->writer.sink = NULL;
	xs_tally_leave(thread);
	xs_walk_drop(thread->walks);
	thread->walks = NULL;
	thread->busy = false;
}

void xs_thread_prepare(void)
{
	have_end_key = pthread_key_create(&end_key, thread_ends) == 0;
}

struct xs_thread *xs_thread_get(void)
{
	return &self;
}

void xs_thread_open(struct xs_thread *thread, struct xs_sink *sink)
{
	struct xs_rec_thread record = {XS_RECORD(thread)};
	char name[16] = "";

	if (thread->writer.sink)
		return;
	record.tid = (xs_u32)syscall(SYS_gettid);
	xs_writer_open(&thread->writer, sink, record.tid);
	if (have_end_key)
		pthread_setspecific(end_key, thread);
	prctl(PR_GET_NAME, name);
	xs_writer_plain(&thread->writer, &record, name,
			strnlen(name, sizeof(name)));
}
