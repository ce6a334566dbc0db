/* SPDX-License-Identifier: MIT */
#include "preload/cupti/cupti_clock.h"
#include "preload/util/clock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

/* Minimum distance of stored moments. */
#define INTERVAL_NS 100000000u
/* If a moment differs from the line by more than JUMP_NS plus this part of the
 * time since the last moment, one of the clocks was set. */
#define JUMP_NS	  1000000.0
#define JUMP_PART 0.01
/* A time further than this from the spans of both clocks is invalid. */
#define FAR_NS 3600e9

#define BRACKETS  5
#define MAX_LOOKS 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct xs_clock_line current; /* under lock */
static _Atomic(xs_cupti_clock) clock_now;

/* Returns b - a. */
static double difference(uint64_t a, uint64_t b)
{
	return (double)(int64_t)(b - a);
}

static double outside(uint64_t at, uint64_t from, uint64_t to)
{
	if (at < from)
		return (double)(from - at);
	return at > to ? (double)(at - to) : 0;
}

void xs_clock_line_begin(struct xs_clock_line *line, struct xs_clock_pair now)
{
	memset(line, 0, sizeof(*line));
	line->first = line->kept[0] = line->last = now;
	line->count = 1;
}

/* Returns whether neither clock was set since the last moment. */
static bool follows(const struct xs_clock_line *line, struct xs_clock_pair now)
{
	double passed_ns = difference(line->last.ns, now.ns);
	double off_ns = passed_ns - difference(line->last.ticks, now.ticks) *
					line->ns_per_tick;

	if (passed_ns < 0 || now.ticks < line->last.ticks)
		return false;
	return (off_ns < 0 ? -off_ns : off_ns) <=
	       JUMP_NS + JUMP_PART * passed_ns;
}

static double rate(struct xs_clock_pair from, struct xs_clock_pair to)
{
	return difference(from.ns, to.ns) / difference(from.ticks, to.ticks);
}

static void keep(struct xs_clock_line *line, struct xs_clock_pair now)
{
	if (line->count == XS_CLOCK_MOMENTS)
		memmove(line->kept, line->kept + 1,
			--line->count * sizeof(*line->kept));
	line->kept[line->count++] = now;
}

bool xs_clock_line_add(struct xs_clock_line *line, struct xs_clock_pair now)
{
	const struct xs_clock_pair newest = line->kept[line->count - 1];
	const bool known = line->ns_per_tick > 0;

	/* another thread has added a newer moment */
	if (now.ticks <= line->last.ticks && now.ns <= line->last.ns)
		return known;
	if (known ? !follows(line, now)
		  : now.ns < newest.ns || now.ticks < newest.ticks) {
		xs_clock_line_begin(line, now);
		return false;
	}
	line->last = now;
	if (now.ns - newest.ns < XS_CLOCK_BASELINE_NS ||
	    now.ticks == newest.ticks)
		return known;
	line->ns_per_tick = rate(newest, now);
	if (now.ns - newest.ns >= INTERVAL_NS)
		keep(line, now);
	return true;
}

/* Converts from the last stored moment before the time, at the rate from there
 * to the next one. An old time lies between the first moment and the oldest
 * stored one. */
static uint64_t convert(const struct xs_clock_line *line, uint64_t ticks)
{
	struct xs_clock_pair from = line->first;
	double ns_per_tick = line->ns_per_tick, after_ns;
	unsigned after = 0;

	while (after < line->count && line->kept[after].ticks <= ticks)
		after++;
	if (after > 0)
		from = line->kept[after - 1];
	if (after < line->count && line->kept[after].ticks != from.ticks)
		ns_per_tick = rate(from, line->kept[after]);
	after_ns = difference(from.ticks, ticks) * ns_per_tick;
	return from.ns +
	       (uint64_t)(int64_t)(after_ns + (after_ns < 0 ? -0.5 : 0.5));
}

uint64_t xs_clock_line_ns(const struct xs_clock_line *line, uint64_t stamp)
{
	double real_ns = outside(stamp, line->first.ns, line->last.ns);
	double other_ns = outside(stamp, line->first.ticks, line->last.ticks) *
			  line->ns_per_tick;

	if (!stamp)
		return 0;
	if (line->ns_per_tick <= 0 || real_ns < other_ns)
		return real_ns <= FAR_NS ? stamp : 0;
	return other_ns <= FAR_NS ? convert(line, stamp) : 0;
}

/* Reads both clocks. Of several attempts it returns the shortest, because the
 * thread may be interrupted. */
static struct xs_clock_pair read_both(xs_cupti_clock callback)
{
	struct xs_clock_pair best = {0};
	uint64_t best_ns = UINT64_MAX;

	for (int i = 0; i < BRACKETS; i++) {
		uint64_t before_ns = xs_clock_realtime_ns();
		uint64_t ticks = callback();
		uint64_t took_ns = xs_clock_realtime_ns() - before_ns;

		if (took_ns < best_ns) {
			best_ns = took_ns;
			best.ticks = ticks;
			best.ns = before_ns + took_ns / 2;
		}
	}
	return best;
}

xs_cupti_clock xs_cupti_clock_set(xs_cupti_clock callback)
{
	struct xs_clock_pair now = {0};
	xs_cupti_clock before;

	if (callback)
		now = read_both(callback);
	pthread_mutex_lock(&lock);
	xs_clock_line_begin(&current, now);
	before = atomic_exchange(&clock_now, callback);
	pthread_mutex_unlock(&lock);
	return before;
}

bool xs_cupti_clock_is(xs_cupti_clock callback)
{
	return atomic_load(&clock_now) == callback;
}

/* Adds a moment. Returns whether the line is known now. */
static bool look_once(xs_cupti_clock callback)
{
	struct xs_clock_pair now = read_both(callback);
	bool known = true;

	pthread_mutex_lock(&lock);
	if (atomic_load(&clock_now) == callback)
		known = xs_clock_line_add(&current, now);
	pthread_mutex_unlock(&lock);
	return known;
}

void xs_cupti_clock_look(void)
{
	xs_cupti_clock callback = atomic_load(&clock_now);

	/* a signal may end the sleep early; a clock may not advance */
	for (int i = 0; callback && !look_once(callback) && i < MAX_LOOKS; i++)
		nanosleep(&(struct timespec){.tv_nsec = XS_CLOCK_BASELINE_NS},
			  NULL);
}

uint64_t xs_cupti_clock_ns(uint64_t stamp)
{
	uint64_t ns = stamp;

	if (!atomic_load(&clock_now))
		return stamp;
	pthread_mutex_lock(&lock);
	if (atomic_load(&clock_now))
		ns = xs_clock_line_ns(&current, stamp);
	pthread_mutex_unlock(&lock);
	return ns;
}
