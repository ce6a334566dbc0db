/* SPDX-License-Identifier: MIT */
#include "preload/gates.h"

#define NOVEL_APART_NS	200000000u
#define SIZE_APART_NS	1000000000u
#define SIZE_LONGEST_NS 10000000000u
#define CALL_AND_OP_BYTES                                                      \
	80		/* of the trace, with what comes after a window        \
			 */
#define WINDOW_SHARE 20 /* of the room that is left */

static bool light_open(struct xs_gates *g, const struct xs_gates_input *in)
{
	if (!g->light)
		return true;
	if (!g->light_shut && g->open && in->calls_left <= 0) {
		g->light_shut = true;
		g->light_next_ns = in->elapsed_ns + NOVEL_APART_NS;
	} else if (g->light_shut && in->novel &&
		   in->elapsed_ns >= g->light_next_ns) {
		g->light_shut = false;
	}
	return !g->light_shut;
}

/* The last sixteenth is for what counts and for the end of the run. */
static uint64_t room(const struct xs_gates *g, const struct xs_gates_input *in)
{
	const uint64_t most = g->max_bytes - g->max_bytes / 16;

	return in->used_bytes < most ? most - in->used_bytes : 0;
}

/*
 * Windows stand at a tenth of the run from each other, so that their number
 * grows with the logarithm of its length. One that fills slowly is shut after
 * a while, for its share is spent as well by others later.
 */
static bool size_is_spent(const struct xs_gates *g,
			  const struct xs_gates_input *in)
{
	if (in->used_bytes >= g->size_next_bytes)
		return true;
	return g->size_opened_ns &&
	       ((g->open && in->calls_left <= 0) ||
		in->elapsed_ns >= g->size_opened_ns + SIZE_LONGEST_NS);
}

static bool size_open(struct xs_gates *g, const struct xs_gates_input *in)
{
	if (!g->max_bytes)
		return true;
	if (!g->size_next_bytes)
		g->size_next_bytes = g->max_bytes / 2;
	if (!g->size_shut && size_is_spent(g, in)) {
		g->size_shut = true;
		g->size_novel_ns = in->elapsed_ns + NOVEL_APART_NS;
		g->size_next_ns =
		    in->elapsed_ns + in->elapsed_ns / 10 + SIZE_APART_NS;
	} else if (g->size_shut && room(g, in) > 0 &&
		   (in->elapsed_ns >= g->size_next_ns ||
		    (in->novel && in->elapsed_ns >= g->size_novel_ns))) {
		g->size_shut = false;
		g->size_opened_ns = in->elapsed_ns;
		g->size_next_bytes =
		    in->used_bytes + room(g, in) / WINDOW_SHARE;
	}
	return !g->size_shut;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* What the bytes of a window of the size gate are enough for. */
static int64_t calls_for_room(const struct xs_gates *g,
			      const struct xs_gates_input *in)
{
	if (!g->max_bytes || !g->size_opened_ns ||
	    g->size_next_bytes < in->used_bytes)
		return XS_GATES_NO_LIMIT;
	return 1 + (int64_t)((g->size_next_bytes - in->used_bytes) /
			     CALL_AND_OP_BYTES);
}

bool xs_gates_decide(struct xs_gates *g, const struct xs_gates_input *in,
		     int64_t *allowed)
{
	const bool light_was_shut = g->light_shut;
	const bool light = light_open(g, in), size = size_open(g, in);
	const bool was_open = g->open;

	g->open = in->in_range && light && size;
	if (g->open && !was_open)
		*allowed = least(!g->light	  ? XS_GATES_NO_LIMIT
				 : light_was_shut ? XS_GATES_LIGHT_NEXT_CALLS
						  : in->calls_left,
				 calls_for_room(g, in));
	return g->open;
}
