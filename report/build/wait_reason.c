/* SPDX-License-Identifier: MIT */
#include "report/build/wait_reason.h"

#include "report/result/site.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Less than 1 / SMALL_PART of the wait is no part beside a longer one. */
#define SMALL_PART 20

/* Parts are told down to 1 / DIGIT_PART of the wait: what is printed adds up,
 * but for so little of each. */
#define DIGIT_PART 200

/* First touches of less than 1 / FEW_PART of what all rounds copy are those of
 * a few rounds, or of pages beside the data. */
#define FEW_PART 4

static bool is_kind(const struct xs_result_wait *wait, const char *kind)
{
	return strcmp(wait->kind, kind) == 0;
}

struct wait_share {
	int64_t ns;
	const char *name;
};

static int by_time(const void *a, const void *b)
{
	const struct wait_share *x = a, *y = b;

	return (x->ns < y->ns) - (x->ns > y->ns);
}

static bool is_copy(const struct xs_result_wait *wait)
{
	return is_kind(wait, "copy") || is_kind(wait, "copy-async");
}

/* What the call does while the GPU does nothing that it waits for. */
static const char *overhead(const struct xs_result_wait *wait)
{
	return is_copy(wait)			? "its overhead"
	       : strncmp(wait->kind, "sync", 4) ? "the call itself"
						: "the GPU idle";
}

/* "kernels 27.0 ms, the copy 3.90 ms", longest first; of a single part, its
 * name. */
static const char *parts(struct xs_arena *arena,
			 const struct xs_result_wait *wait)
{
	/* of one direction, the place tells which */
	const bool both =
	    wait->own_out_ns > 0 && wait->own_out_ns < wait->own_ns;
	const int64_t own_in_ns = wait->own_ns - (both ? wait->own_out_ns : 0);
	struct wait_share list[] = {
	    {own_in_ns, both ? "its copies in" : "the copy"},
	    {wait->own_ns - own_in_ns, "its copies out"},
	    {wait->h2d_ns, is_copy(wait) ? "other copies in" : "copies in"},
	    {wait->kernel_ns, "kernels"},
	    {wait->d2h_ns, is_copy(wait) ? "other copies out" : "copies out"},
	    {wait->other_ns, "memsets and other copies"},
	    {wait->latency_ns + wait->host_ns, overhead(wait)},
	};
	const size_t count = sizeof(list) / sizeof(*list);
	const char *text = NULL;

	qsort(list, count, sizeof(*list), by_time);
	if (list[1].ns <= wait->waited_ns / SMALL_PART)
		return list[0].name;
	for (size_t i = 0;
	     i < count && list[i].ns > wait->waited_ns / DIGIT_PART; i++)
		text = xs_print(arena, "%s%s%s %s", text ? text : "",
				text ? ", " : "", list[i].name,
				xs_units_ns(list[i].ns).s);
	return text;
}

/* Whether each round makes so many calls; one round of many, such as the last
 * one, may lack them. */
static bool is_of_each(int64_t count, int64_t calls, int64_t rounds)
{
	const int64_t off = llabs(calls - count * rounds);

	return off <= count && off * 10 < calls;
}

/* "500 calls of 4 B", "one call", "3 calls in 2 rounds" */
static const char *calls(struct xs_arena *arena,
			 const struct xs_result_wait *wait, int64_t rounds)
{
	const struct xs_result_site *site = &wait->site;
	const int64_t each = (site->calls + rounds / 2) / rounds;
	const bool is_whole = is_of_each(each, site->calls, rounds);
	const int64_t count = is_whole ? each : site->calls;
	const char *text = count == 1
			       ? "one call"
			       : xs_print(arena, "%" PRId64 " calls", count);

	if (site->bytes > 0 && site->calls > 0)
		text = xs_print(arena, "%s of %s", text,
				xs_units_bytes(site->bytes / site->calls).s);
	return is_whole
		   ? text
		   : xs_print(arena, "%s in %" PRId64 " rounds", text, rounds);
}

/* "cudaFree at main.cu:12"; a label without a line contains the call. */
static const char *place(struct xs_arena *arena,
			 const struct xs_result_wait *wait)
{
	const struct xs_result_site *site = &wait->site;
	const char *label = xs_result_site_label(arena, site);

	if (!label || !site->call || site->line == XS_UNKNOWN)
		return label ? label : "a call";
	return xs_print(arena, "%s at %s", site->call, label);
}

static int64_t gpu_ns(const struct xs_result_wait *wait)
{
	return wait->h2d_ns + wait->kernel_ns + wait->d2h_ns + wait->other_ns;
}

/* The kind of GPU work that takes most of the wait. */
static const char *main_work(const struct xs_result_wait *wait)
{
	int64_t most_ns = gpu_ns(wait) / 2;

	return wait->kernel_ns > most_ns ? "kernels"
	       : wait->h2d_ns > most_ns	 ? "copies in"
	       : wait->d2h_ns > most_ns	 ? "copies out"
					 : "work";
}

/* Returns the asynchronous variant, such as "cudaFreeAsync" for "cudaFree" or
 * "cuMemFreeAsync" for "cuMemFree_v2", or NULL if there is none. */
static const char *asynchronous(struct xs_arena *arena,
				const struct xs_result_wait *wait)
{
	const char *call = wait->site.call;
	size_t length;

	if (!call || strstr(call, "Async") ||
	    !(is_kind(wait, "set") || is_kind(wait, "free-device")))
		return NULL;
	length = strcspn(call, "_");
	return xs_print(arena, "%.*sAsync", (int)length, call);
}

static const char *implicit_wait_text(struct xs_arena *arena,
				      const struct xs_result_wait *wait,
				      int64_t rounds)
{
	const char *instead = asynchronous(arena, wait);

	return xs_print(
	    arena, "%s waits implicitly for the %s before it: %s in %s; %s%s",
	    place(arena, wait), main_work(wait), xs_units_ns(gpu_ns(wait)).s,
	    calls(arena, wait, rounds),
	    instead ? instead : "keeping the memory",
	    instead && is_kind(wait, "free-device")
		? ", or keeping the memory, would not wait"
		: " would not wait");
}

static const char *wait_text(struct xs_arena *arena,
			     const struct xs_result_wait *wait, int64_t rounds)
{
	if (wait->hidden && gpu_ns(wait) > wait->waited_ns / SMALL_PART)
		return implicit_wait_text(arena, wait, rounds);
	if (is_kind(wait, "poll"))
		/* one call of the trace is a run of polls */
		return xs_print(arena, "%s polls until the GPU is done: %s",
				place(arena, wait), parts(arena, wait));
	return xs_print(arena, "%s, %s%s: %s", place(arena, wait),
			calls(arena, wait, rounds),
			is_kind(wait, "copy-async")
			    ? ", blocks since its memory is pageable"
			    : "",
			parts(arena, wait));
}

/* Pinning also touches each page once, so page faults in a copy are avoided
 * only if the buffer is reused. At least half of what is copied is new in every
 * round. */
static const char *first_touch_text(struct xs_arena *arena,
				    const struct xs_result_wait *wait,
				    int64_t rounds)
{
	const bool is_new =
	    rounds > 1 && wait->touched_bytes >= wait->site.bytes / 2;
	const int64_t of = is_new ? rounds : 1;
	const char *time = "";

	if (wait->touched_ns != XS_UNKNOWN)
		time = xs_print(arena, ", about %s",
				xs_units_ns(wait->touched_ns / of).s);
	return is_new ? xs_print(arena,
				 "with page faults, since each round's "
				 "memory is new%s",
				 time)
		      : xs_print(arena,
				 "%sits page faults are the first touch of at "
				 "least %s of host memory%s",
				 rounds > 1 ? "in all rounds, " : "",
				 xs_units_bytes(wait->touched_bytes).s, time);
}

/* The times of one round. A page is touched first in one round only: these stay
 * of all rounds. */
static struct xs_result_wait of_a_round(const struct xs_result_wait *wait,
					int64_t rounds)
{
	struct xs_result_wait one = *wait;

	one.waited_ns /= rounds;
	one.own_ns /= rounds;
	one.own_out_ns /= rounds;
	one.h2d_ns /= rounds;
	one.kernel_ns /= rounds;
	one.d2h_ns /= rounds;
	one.other_ns /= rounds;
	one.latency_ns /= rounds;
	one.host_ns /= rounds;
	return one;
}

const char *xs_wait_reason(struct xs_arena *arena,
			   const struct xs_result_wait *wait, int64_t rounds)
{
	const struct xs_result_wait one = of_a_round(wait, rounds);
	const char *text = wait_text(arena, &one, rounds);

	if (wait->touched_bytes == XS_UNKNOWN ||
	    wait->touched_bytes <
		wait->site.bytes / (rounds > 1 ? FEW_PART : SMALL_PART))
		return text;
	return xs_print(arena, "%s; %s", text,
			first_touch_text(arena, wait, rounds));
}
