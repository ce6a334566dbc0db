/* SPDX-License-Identifier: MIT */
/* Growing the trace file: disk space is allocated before it is mapped. */
#include "preload/trace/trace_file.h"
#include "preload/util/file.h"

#include <errno.h>
#include <sched.h>
#include <sys/stat.h>
#include <time.h>

#define GROW_MIN_BYTES (128u << 10)
#define GROW_MAX_BYTES (64u << 20)
#define GROW_WAITS     2000 /* 0.2 s */
#define CLOSE_WAITS    5000 /* 0.5 s */

bool xs_trace_file_is_ours(struct xs_trace_file *trace, uint64_t least_bytes)
{
	struct stat st;

	if (fstat(trace->fd, &st) || st.st_dev != trace->device ||
	    st.st_ino != trace->inode)
		return false;
	if ((uint64_t)st.st_size < least_bytes ||
	    (trace->header &&
	     trace->header->start_realtime_ns != trace->start_realtime_ns))
		atomic_store(&trace->overwritten, true);
	return !atomic_load(&trace->overwritten);
}

static uint64_t within_limit(const struct xs_trace_file *trace,
			     uint64_t from_bytes, uint64_t more_bytes)
{
	uint64_t limit = atomic_load(&trace->limit_bytes);

	if (!limit || from_bytes + more_bytes <= limit)
		return more_bytes;
	return limit > from_bytes ? limit - from_bytes : 0;
}

/* Allocates up to `want_bytes` more, and less if the disk has less, but at
 * least `need_bytes`. The caller holds `growing`. */
static int grow(struct xs_trace_file *trace, uint64_t need_bytes,
		uint64_t want_bytes)
{
	uint64_t from = atomic_load(&trace->allocated_bytes);
	uint64_t more = want_bytes;
	int err = -EBADF;

	if (!xs_trace_file_is_ours(trace, from))
		goto out;
	err = -EFBIG;
	more = within_limit(trace, from, more);
	if (!more)
		goto out;
	err = xs_file_allocate(trace->fd, from, from + more);
	while (err && more / 4 >= need_bytes) {
		more = more / 4 / XS_PAGE_BYTES * XS_PAGE_BYTES;
		err = xs_file_allocate(trace->fd, from, from + more);
	}
	if (!err)
		atomic_store(&trace->allocated_bytes, from + more);
out:
	atomic_store(&trace->full, err != 0);
	return err;
}

static bool lock_growth(struct xs_trace_file *trace)
{
	return !atomic_exchange_explicit(&trace->growing, true,
					 memory_order_acquire);
}

void xs_trace_file_unlock_growth(struct xs_trace_file *trace)
{
	atomic_store_explicit(&trace->growing, false, memory_order_release);
}

/* Larger traces grow in larger steps. The collector allocates a step when less
 * than a step is left: the file of a killed process takes at most twice what it
 * used, and two of the smallest steps. */
static uint64_t growth_step_bytes(uint64_t tail_bytes)
{
	uint64_t step = tail_bytes / 2 / XS_PAGE_BYTES * XS_PAGE_BYTES;

	if (step < GROW_MIN_BYTES)
		return GROW_MIN_BYTES;
	return step < GROW_MAX_BYTES ? step : GROW_MAX_BYTES;
}

static void back_off(int turn)
{
	if (turn < 100)
		sched_yield();
	else
		nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
}

bool xs_trace_file_lock_growth(struct xs_trace_file *trace)
{
	bool locked = lock_growth(trace);

	for (int i = 0; !locked && i < CLOSE_WAITS; i++) {
		back_off(i);
		locked = lock_growth(trace);
	}
	return locked;
}

/* Waits for space when a writer outruns the collector. One writer grows the
 * file and the others wait for it, but not forever, since that thread may not
 * be scheduled. */
static bool wait_for_room(struct xs_trace_file *trace, uint64_t end_bytes)
{
	for (int i = 0; i < GROW_WAITS; i++) {
		/* first: the next growth after the last one that fits fails */
		bool full = atomic_load(&trace->full);

		if (atomic_load(&trace->allocated_bytes) >= end_bytes)
			return true;
		if (full)
			return false;
		if (!lock_growth(trace)) {
			back_off(i);
			continue;
		}
		if (atomic_load(&trace->allocated_bytes) < end_bytes)
			grow(trace,
			     end_bytes - atomic_load(&trace->allocated_bytes),
			     growth_step_bytes(end_bytes));
		xs_trace_file_unlock_growth(trace);
	}
	return false;
}

bool xs_trace_file_make_room(struct xs_trace_file *trace, uint64_t end_bytes)
{
	return atomic_load(&trace->allocated_bytes) >= end_bytes ||
	       wait_for_room(trace, end_bytes);
}

static bool is_at_limit(const struct xs_trace_file *trace)
{
	return within_limit(trace, atomic_load(&trace->allocated_bytes),
			    XS_PAGE_BYTES) == 0;
}

int xs_trace_file_begin_growth(struct xs_trace_file *trace)
{
	return grow(trace, XS_PAGE_BYTES, GROW_MIN_BYTES);
}

/* The caller holds `growing`, without which the end of the process could cut
 * the file off below what is known to be allocated. */
static int grow_if_little_is_left(struct xs_trace_file *trace)
{
	uint64_t tail = atomic_load(&trace->tail_bytes), step;

	if (tail == XS_TRACE_FILE_CLOSED)
		return 0;
	if (!xs_trace_file_is_ours(trace, atomic_load(&trace->allocated_bytes)))
		return atomic_load(&trace->overwritten) ? 0 : -EBADF;
	step = growth_step_bytes(tail);
	if (atomic_load(&trace->allocated_bytes) > tail + step)
		return 0;
	return grow(trace, XS_PAGE_BYTES, step);
}

int xs_trace_file_grow_ahead(struct xs_trace_file *trace)
{
	int err = -atomic_exchange(&trace->map_error, 0);

	if (err || is_at_limit(trace) || !lock_growth(trace))
		return err;
	err = grow_if_little_is_left(trace);
	xs_trace_file_unlock_growth(trace);
	return err;
}
