/* SPDX-License-Identifier: MIT */
/* The section on waits of the host. */
#include "report/render/text/sections.h"
#include "report/result/number.h"
#include "report/result/site.h"

#include <string.h>

/* Without --all, the longest three are printed, and of the next three those at
 * the lines of a step, if they are long enough. */
#define WAITS_MAX 3
#define STEP_MAX  6

/* Shorter ones than 1 / LEAST_PART of the steady part, or of the run, are not
 * printed, and all of these together down to 1 / REST_PART. */
#define LEAST_PART 50
#define REST_PART  500

/* Waits of the steady part, or of the run if no round repeats. */
struct list {
	const struct xs_result_wait *items;
	size_t count;
	int64_t whole_ns, wall_ns;
	int64_t rounds; /* times are of one of so many */
	bool is_steady;
	bool has_shares; /* together they are a part of the whole */
	const struct xs_result *result;
};

/* Whether a step that is printed in full names the wait's place. */
static bool is_in_step(const struct xs_result *result,
		       const struct xs_result_wait *wait)
{
	const size_t shown = xs_render_text_full_steps(result);
	struct xs_result_site site = wait->site;

	for (size_t i = 0; i < shown; i++)
		for (size_t k = 0; k < result->plan[i].site_count; k++) {
			const struct xs_result_site *of =
			    result->plan[i].sites[k];

			site.step = of->step;
			if (xs_result_same_place(&site, of))
				return true;
		}
	return false;
}

static bool is_shown(const struct list *list, size_t index)
{
	const struct xs_result_wait *wait = &list->items[index];
	const int64_t ns = wait->waited_ns;

	if (list->whole_ns == XS_UNKNOWN || ns <= 0)
		return false;
	return list->result->all_asked ||
	       (ns >= list->whole_ns / LEAST_PART &&
		(index < WAITS_MAX ||
		 (index < STEP_MAX && is_in_step(list->result, wait))));
}

/* A line as put() prints it, of headings. */
static void put_headings(const struct xs_terminal *terminal,
			 const struct list *list, bool by_round)
{
	if (list->is_steady)
		xs_terminal_print(terminal, XS_PLAIN, "  %9s  %7s  %s\n",
				  by_round ? "per round" : "in all", "of part",
				  xs_result_run_heading(list->result));
}

/* A time, its share of the steady part, and of the run. */
static void put(const struct xs_terminal *terminal, const struct list *list,
		int64_t waited_ns, const char *text)
{
	char lead[80];
	int length = snprintf(lead, sizeof(lead), "  %9s  %7s  ",
			      xs_units_ns(waited_ns / list->rounds).s,
			      list->has_shares
				  ? xs_units_share(waited_ns, list->whole_ns).s
				  : "-");

	if (list->is_steady)
		snprintf(lead + length, sizeof(lead) - (size_t)length, "%*s  ",
			 (int)strlen(xs_result_run_heading(list->result)),
			 list->has_shares
			     ? xs_units_share(waited_ns, list->wall_ns).s
			     : "-");
	xs_terminal_wrap(terminal, XS_PLAIN, lead, text);
}

static int64_t sum_ns(const struct list *list)
{
	int64_t ns = 0;

	for (size_t i = 0; i < list->count; i++)
		xs_number_add(&ns, list->items[i].waited_ns);
	return ns;
}

/* Waits that are not shown are listed by call if they take more than this part
 * of the whole; calls of less than this part of them are left out. */
#define CALL_PART 10

/* ": cudaDeviceSynchronize 222 us, cudaFree 98 us": what the waits that are not
 * shown, of all_ns, take by call, in the order of their longest sites. */
static const char *by_call(struct xs_arena *arena, const struct list *list,
			   int64_t all_ns)
{
	const char *text = NULL, *calls = NULL;
	int64_t told_ns = 0;

	for (size_t i = 0; i < list->count; i++) {
		const char *call = list->items[i].site.call, *before = calls;
		int64_t ns = 0;

		if (call && !is_shown(list, i))
			calls = xs_arena_join_once(arena, calls, call);
		for (size_t k = i; calls != before && k < list->count; k++)
			if (!is_shown(list, k) &&
			    xs_result_same_text(call, list->items[k].site.call))
				xs_number_add(&ns, list->items[k].waited_ns);
		if (ns == all_ns)
			return xs_print(arena, " of %s", call);
		if (ns <= all_ns / CALL_PART)
			continue;
		text =
		    xs_arena_join(arena, text,
				  xs_print(arena, "%s %s", call,
					   xs_units_ns(ns / list->rounds).s));
		told_ns += ns;
	}
	return text ? xs_print(arena, ": %s%s", text,
			       told_ns < all_ns ? ", others" : "")
		    : "";
}

/* Those that are not shown come first if they are longer than the first. */
static void put_waits(const struct xs_terminal *terminal,
		      struct xs_arena *arena, const struct list *list)
{
	int64_t rest_ns = 0;
	size_t rest = 0;
	bool leads, told;

	for (size_t i = 0; i < list->count; i++)
		if (!is_shown(list, i)) {
			xs_number_add(&rest_ns, list->items[i].waited_ns);
			rest++;
		}
	leads = rest_ns > list->items->waited_ns;
	told = leads || rest_ns > list->whole_ns / CALL_PART;
	for (size_t i = 0; i <= list->count; i++) {
		const struct xs_result_wait *wait = &list->items[i];

		if (i == (leads ? 0 : list->count) && rest &&
		    rest_ns >= list->whole_ns / REST_PART)
			put(terminal, list, rest_ns,
			    xs_print(arena, "at %zu more call site%s%s (--all)",
				     rest, rest == 1 ? "" : "s",
				     told ? by_call(arena, list, rest_ns)
					  : ""));
		if (i < list->count && is_shown(list, i))
			put(terminal, list, wait->waited_ns, wait->text);
	}
}

void xs_render_text_waits(const struct xs_terminal *terminal,
			  struct xs_result *result)
{
	const struct xs_result_steady *steady = &result->steady;
	const bool is_steady = result->verdict.repeats;
	const bool by_round = is_steady && steady->rounds != XS_UNKNOWN;
	const char *what =
	    xs_print(&result->arena, "in the %s; all threads%s",
		     is_steady ? "steady part" : "run",
		     result->run.tracer_ns ? "; recorded with tracing" : "");
	struct list list = {
	    .items = is_steady ? steady->waits : result->waits,
	    .count = is_steady ? steady->wait_count : result->wait_count,
	    .whole_ns = is_steady ? result->verdict.steady_ns +
					result->verdict.tracer_ns
				  : result->run.wall_ns,
	    .wall_ns = result->run.wall_ns,
	    .rounds = by_round ? steady->rounds : 1,
	    .is_steady = is_steady,
	    .result = result,
	};

	list.has_shares = sum_ns(&list) <= list.whole_ns;
	if (!list.count || !is_shown(&list, 0))
		return;
	xs_terminal_heading(terminal, "What the host waited for", what);
	put_headings(terminal, &list, by_round);
	put_waits(terminal, &result->arena, &list);
}
