/* SPDX-License-Identifier: MIT */
#include "preload/trace/thread.h"
#include "preload/util/guard.h"

#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

_Thread_local struct xs_thread xs_thread_self;
_Static_assert(sizeof(struct xs_thread) <= 192, "static TLS is scarce");

static pthread_key_t end_key;
static bool have_end_key;
static void (*on_thread_end)(struct xs_thread *thread);
static atomic_bool forked; /* locks may be held by threads of the parent */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct xs_thread *threads; /* under the lock */

static void add_to_list(struct xs_thread *thread)
{
	pthread_mutex_lock(&lock);
	thread->next = threads;
	threads = thread;
	pthread_mutex_unlock(&lock);
}

static void remove_from_list(struct xs_thread *thread)
{
	struct xs_thread **at = &threads;

	pthread_mutex_lock(&lock);
	while (*at && *at != thread)
		at = &(*at)->next;
	if (*at)
		*at = thread->next;
	pthread_mutex_unlock(&lock);
}

static void end_now(void *data)
{
	struct xs_thread *thread = data;

	/* it was cancelled in a call, or has jumped out of one */
	if (xs_thread_is_inside(thread)) {
		xs_trace_file_lose(thread->writer.trace, XS_LOSS_CALLS, 1);
		xs_writer_recover(&thread->writer);
	}
	thread->busy = true;
	remove_from_list(thread);
	thread->ended = true;
	on_thread_end(thread);
	thread->busy = false;
}

static void end_thread(void *thread)
{
	if (!atomic_load(&forked))
		xs_guard_run(end_now, thread);
}

void xs_thread_prepare(void (*ends)(struct xs_thread *thread))
{
	on_thread_end = ends;
	have_end_key = pthread_key_create(&end_key, end_thread) == 0;
}

void xs_thread_forked(void)
{
	atomic_store(&forked, true);
}

bool xs_thread_any_in_hook(void)
{
	bool any = false;

	pthread_mutex_lock(&lock);
	for (const struct xs_thread *t = threads; t && !any; t = t->next)
		any = xs_relaxed(&t->in_hook);
	pthread_mutex_unlock(&lock);
	return any;
}

unsigned xs_thread_count_in_unhooked(void)
{
	unsigned count = 0;

	pthread_mutex_lock(&lock);
	for (const struct xs_thread *t = threads; t; t = t->next)
		count += xs_relaxed(&t->in_unhooked);
	pthread_mutex_unlock(&lock);
	return count;
}

bool xs_thread_any_in_recorded_call(void)
{
	bool any = false;

	pthread_mutex_lock(&lock);
	for (const struct xs_thread *t = threads; t && !any; t = t->next)
		any = __atomic_load_n(&t->recorded, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&lock);
	return any;
}

struct opening {
	struct xs_thread *thread;
	struct xs_trace_file *trace;
};

static void open_now(void *data)
{
	struct opening *opening = data;
	struct xs_thread *thread = opening->thread;
	const bool busy = thread->busy;

	thread->busy = true;
	xs_writer_open(&thread->writer, opening->trace,
		       (uint32_t)syscall(SYS_gettid));
	/* Without the destructor the list would keep a pointer to a thread that
	 * has ended. */
	if (have_end_key && !pthread_setspecific(end_key, thread) &&
	    !thread->ended)
		add_to_list(thread);
	thread->busy = busy;
}

void xs_thread_open_anew(struct xs_thread *thread, struct xs_trace_file *trace)
{
	struct opening opening = {thread, trace};

	xs_guard_run(open_now, &opening);
}

int xs_thread_write_name(struct xs_thread *thread)
{
	struct xs_rec_thread record = {XS_RECORD(thread),
				       .tid = thread->writer.thread};
	char name[16] = "";
	int rc;

	prctl(PR_GET_NAME, name);
	rc = xs_writer_plain(&thread->writer, &record, name,
			     strnlen(name, sizeof(name)));
	thread->named = rc == 0;
	return rc;
}
