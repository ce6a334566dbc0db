/* SPDX-License-Identifier: MIT */
#include "preload/record/poll.h"

#include <stddef.h>
#include <sys/mman.h>

/* Of a thread that is killed, or that others end, this much is lost. */
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

int xs_poll_write_kept(struct xs_thread *thread)
{
	struct xs_poll *kept = thread->poll;
	const int rc = write_poll(thread, kept);

	kept->polls = 0;
	return rc;
}

static struct xs_poll *kept_of(struct xs_thread *thread)
{
	void *memory;

	if (thread->poll)
		return thread->poll;
	memory = mmap(NULL, sizeof(*thread->poll), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory != MAP_FAILED)
		thread->poll = memory;
	return thread->poll;
}

static bool goes_on(const struct xs_poll *kept, const struct xs_poll *poll)
{
	return kept->polls && kept->polls < UINT32_MAX &&
	       poll->end_ns < kept->start_ns + LONGEST_NS &&
	       poll->start_ns < kept->end_ns + PAUSE_NS;
}

int xs_poll_add(struct xs_thread *thread, const struct xs_poll *poll)
{
	struct xs_poll *kept = kept_of(thread);
	int rc;

	if (!kept)
		return write_poll(thread, poll);
	if (goes_on(kept, poll)) {
		kept->polls++;
		kept->ready += poll->ready;
		kept->end_ns = poll->end_ns;
		kept->stream = poll->stream;
		kept->event = poll->event;
		kept->error = poll->error;
		return 0;
	}
	rc = xs_poll_write(thread);
	*kept = *poll;
	return rc;
}

void xs_poll_drop(struct xs_poll *poll)
{
	if (poll)
		munmap(poll, sizeof(*poll));
}
