/* SPDX-License-Identifier: MIT */
#include "preload/record/poll.h"
#include "preload/util/pages.h"

/* This much is lost if a thread is killed. */
#define LONGEST_NS 1000000000u
#define PAUSE_NS   100000000u

static int write_poll(struct xs_thread *thread, const struct xs_poll *poll)
{
	struct xs_rec_pollcall record = {
	    XS_RECORD(pollcall),  .stream = poll->stream, .event = poll->event,
	    .polls = poll->polls, .ready = poll->ready,	  .error = poll->error,
	};

	return xs_writer_timed(&thread->writer, &record, poll->site,
			       poll->start_ns, poll->end_ns);
}

int xs_poll_write_pending(struct xs_thread *thread)
{
	struct xs_poll *pending = thread->poll;
	const int rc = write_poll(thread, pending);

	pending->polls = 0;
	return rc;
}

static struct xs_poll *pending_of(struct xs_thread *thread)
{
	if (!thread->poll)
		thread->poll = xs_pages_map(sizeof(*thread->poll));
	return thread->poll;
}

static bool continues(const struct xs_poll *pending, const struct xs_poll *poll)
{
	return pending->polls && pending->polls < UINT32_MAX &&
	       poll->end_ns < pending->start_ns + LONGEST_NS &&
	       poll->start_ns < pending->end_ns + PAUSE_NS;
}

int xs_poll_add(struct xs_thread *thread, const struct xs_poll *poll)
{
	struct xs_poll *pending = pending_of(thread);
	int rc;

	if (!pending)
		return write_poll(thread, poll);
	if (continues(pending, poll)) {
		pending->polls++;
		pending->ready += poll->ready;
		pending->end_ns = poll->end_ns;
		pending->stream = poll->stream;
		pending->event = poll->event;
		pending->error = poll->error;
		return 0;
	}
	rc = xs_poll_write(thread);
	*pending = *poll;
	return rc;
}

void xs_poll_drop(struct xs_poll *poll)
{
	if (poll)
		munmap(poll, sizeof(*poll));
}
