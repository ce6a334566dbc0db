/* SPDX-License-Identifier: MIT */
#include "preload/sampling/sampling_policy.h"
#include "preload/trace/trace_file.h"

#define UNSEEN_APART_NS	   200000000u
#define UNSEEN_SHARE	   50 /* of the run, between windows for what is new */
#define PERIODIC_FIRST_NS  1000000000u
#define PERIODIC_APART_NS  500000000u
#define HIGH_RATE_PER_S	   80000.0     /* calls; 250 ns of each are 2 % */
#define HIGH_RATE_APART_NS 8000000000u /* 40 ms are half a hundredth */
#define HIGH_RATE_KNOWN_NS 20000000u
#define SIZE_APART_NS	   1000000000u
#define SIZE_LONGEST_NS	   10000000000u
#define WINDOW_SHARE	   20 /* of the room that is left */
/* Of the trace, with what comes after a window. */
#define CALL_AND_OP_BYTES 80

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Windows of a kind stand at a share of the run from each other, so that their
 * number grows with the logarithm of its length. */
static void put_off(struct xs_sampling_policy *g,
		    const struct xs_sampling_input *in)
{
	const uint64_t apart_ns = in->elapsed_ns / 10;

	g->light_next_ns =
	    in->elapsed_ns +
	    (apart_ns > PERIODIC_APART_NS ? apart_ns : PERIODIC_APART_NS);
	if (g->light_next_ns < PERIODIC_FIRST_NS)
		g->light_next_ns = PERIODIC_FIRST_NS;
	g->light_shut_ns = in->elapsed_ns;
}

static struct xs_sampling_mark mark(const struct xs_sampling_input *in)
{
	return (struct xs_sampling_mark){in->elapsed_ns,
					 in->taken_calls + in->counted_calls};
}

/* The rate at a window's end is that of its last 20 ms, or somewhat more, or of
 * all of it, if it is shorter. */
static void move_rate_on(struct xs_sampling_policy *g,
			 const struct xs_sampling_input *in)
{
	if (in->elapsed_ns - g->light_next.ns < HIGH_RATE_KNOWN_NS)
		return;
	g->light_from = g->light_next;
	g->light_next = mark(in);
}

bool xs_sampling_policy_is_high_rate(const struct xs_sampling_policy *g,
				     const struct xs_sampling_input *in)
{
	const uint64_t ns = in->elapsed_ns - g->light_from.ns;
	const uint64_t calls = mark(in).calls - g->light_from.calls;

	return g->light_shut && ns >= HIGH_RATE_KNOWN_NS &&
	       (double)calls > HIGH_RATE_PER_S * (double)ns * 1e-9;
}

static void shut_light(struct xs_sampling_policy *g,
		       const struct xs_sampling_input *in)
{
	const uint64_t now_ns = in->elapsed_ns;

	g->light_shut = true;
	g->light_unseen_ns = now_ns + now_ns / UNSEEN_SHARE + UNSEEN_APART_NS;
	put_off(g, in);
	/* calls were recorded there, and may have waited for CUPTI before */
	if (!xs_sampling_policy_is_high_rate(g, in))
		g->light_from = mark(in);
}

/* From one window to the next. One for which CUPTI is attached costs much where
 * calls are slow, too; but what they are then, the first ones do not tell. */
static uint64_t apart_ns(const struct xs_sampling_policy *g,
			 const struct xs_sampling_input *in, bool high_rate)
{
	if (high_rate)
		return HIGH_RATE_APART_NS;
	return in->detached ? least(g->light_shut_ns, HIGH_RATE_APART_NS) : 0;
}

static uint64_t periodic_calls(struct xs_sampling_policy *g,
			       const struct xs_sampling_input *in)
{
	const bool high_rate = xs_sampling_policy_is_high_rate(g, in);

	if (in->elapsed_ns < g->light_next_ns ||
	    in->elapsed_ns - g->light_shut_ns < apart_ns(g, in, high_rate))
		return 0;
	if (in->detached || g->light_again || !high_rate)
		return XS_SAMPLING_LIGHT_PERIODIC_CALLS;
	put_off(g, in);
	g->light_from = mark(in);
	return 0;
}

static bool light_is_spent(const struct xs_sampling_policy *g,
			   const struct xs_sampling_input *in)
{
	return g->light && in->taken_calls >= g->light_until_calls;
}

static bool light_open(struct xs_sampling_policy *g,
		       const struct xs_sampling_input *in)
{
	uint64_t calls = 0;

	if (!g->light)
		return true;
	if (g->light_ended)
		return false;
	if (!g->light_until_calls)
		g->light_until_calls = XS_SAMPLING_LIGHT_FIRST_CALLS;
	if (!g->light_shut)
		move_rate_on(g, in);
	if (!g->light_shut && g->open && light_is_spent(g, in))
		shut_light(g, in);
	else if (g->light_shut && in->unseen &&
		 in->elapsed_ns >= g->light_unseen_ns)
		calls = XS_SAMPLING_LIGHT_NEXT_CALLS;
	else if (g->light_shut)
		calls = periodic_calls(g, in);
	if (calls) {
		g->light_shut = false;
		g->light_again |= !in->detached;
		g->light_from = g->light_next = mark(in);
		g->light_until_calls = in->taken_calls + calls;
	}
	return !g->light_shut;
}

void xs_sampling_policy_end_light(struct xs_sampling_policy *g)
{
	g->light_ended = true;
}

/* What windows may fill. */
static uint64_t room(const struct xs_sampling_policy *g,
		     const struct xs_sampling_input *in)
{
	const uint64_t most =
	    g->max_bytes - XS_TRACE_FILE_RESERVE(g->max_bytes);

	return in->used_bytes < most ? most - in->used_bytes : 0;
}

/*
 * By bytes; or by the calls that they were enough for, when last asked. A later
 * window that fills slowly is shut after a while, for its share is spent as
 * well by others.
 */
static bool size_is_spent(const struct xs_sampling_policy *g,
			  const struct xs_sampling_input *in)
{
	if (in->used_bytes >= g->size_next_bytes)
		return true;
	if (g->open && in->taken_calls >= g->until_calls &&
	    !light_is_spent(g, in))
		return true;
	return g->size_opened_ns &&
	       in->elapsed_ns >= g->size_opened_ns + SIZE_LONGEST_NS;
}

static bool size_open(struct xs_sampling_policy *g,
		      const struct xs_sampling_input *in)
{
	if (!g->max_bytes)
		return true;
	if (!g->size_next_bytes)
		g->size_next_bytes = g->max_bytes / 2;
	if (!g->size_shut && size_is_spent(g, in)) {
		g->size_shut = true;
		g->size_unseen_ns = in->elapsed_ns + UNSEEN_APART_NS;
		g->size_next_ns =
		    in->elapsed_ns + in->elapsed_ns / 10 + SIZE_APART_NS;
	} else if (g->size_shut && room(g, in) > 0 &&
		   (in->elapsed_ns >= g->size_next_ns ||
		    (in->unseen && in->elapsed_ns >= g->size_unseen_ns))) {
		g->size_shut = false;
		g->size_opened_ns = in->elapsed_ns;
		g->size_next_bytes =
		    in->used_bytes + room(g, in) / WINDOW_SHARE;
	}
	return !g->size_shut;
}

/* Until when calls are recorded, if nobody asks again. */
static uint64_t until_calls(const struct xs_sampling_policy *g,
			    const struct xs_sampling_input *in)
{
	uint64_t until =
	    g->light ? g->light_until_calls : XS_CAPTURE_MODE_NO_LIMIT;

	if (g->max_bytes)
		until = least(until, in->taken_calls + 1 +
					 (g->size_next_bytes - in->used_bytes) /
					     CALL_AND_OP_BYTES);
	return until;
}

bool xs_sampling_policy_decide(struct xs_sampling_policy *g,
			       const struct xs_sampling_input *in,
			       uint64_t *until)
{
	const bool light = light_open(g, in), size = size_open(g, in);

	g->open = in->in_range && light && size;
	if (g->open)
		g->until_calls = until_calls(g, in);
	*until = g->until_calls;
	return g->open;
}
