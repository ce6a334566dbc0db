/* SPDX-License-Identifier: MIT */
/* The verdict and the plan. */
#include "report/render/text/parts.h"
#include "report/result/best.h"
#include "report/result/number.h"
#include "report/result/site.h"

#include <inttypes.h>
#include <string.h>

/* Steps printed, unless all is asked for. */
#define STEPS_MAX 2

void xs_render_text_verdict(const struct xs_terminal *terminal,
			    struct xs_result *result)
{
	const char *text = result->verdict.text;
	const char *lead = "Verdict: ";

	xs_terminal_print(terminal, XS_PLAIN, "\n");
	for (size_t length; *text; text += length + (text[length] == '\n')) {
		length = strcspn(text, "\n");
		xs_terminal_wrap(terminal, *lead ? XS_BOLD : XS_PLAIN, "",
				 xs_arena_print(&result->arena, "%s%.*s", lead,
						(int)length, text));
		lead = "";
	}
}

/* "streams n=8" */
static const char *what(struct xs_result *result,
			const struct xs_result_estimate *estimate)
{
	if (estimate->n_streams == XS_UNKNOWN)
		return estimate->strategy;
	return xs_arena_print(&result->arena, "%s n=%" PRId64,
			      estimate->strategy, estimate->n_streams);
}

/* "about " if the round's time with the phase's earlier steps is not known */
static const char *about_before(const struct xs_result *result,
				const struct xs_result_step *step)
{
	for (const struct xs_result_step *before = result->plan; before < step;
	     before++)
		if (before->phase == step->phase &&
		    !xs_result_is_known(before->estimate))
			return "about ";
	return "";
}

/* "1.15 ms (1.08-1.24 ms)"; "0.78-1.97 ms" if it is not known, as in the table;
 * no range beside steps that the row does not have */
static const char *round_after(struct xs_result *result,
			       const struct xs_result_step *step)
{
	const struct xs_result_estimate *row = step->estimate;
	const int64_t rest_ns = step->round_ns - row->round_ns;
	const int64_t between_ns = xs_result_used_between_ns(step->phase);
	const int64_t low_ns = row->low_ns + rest_ns + between_ns;
	const int64_t high_ns = row->high_ns + rest_ns + between_ns;

	if (!xs_result_is_known(row))
		return xs_arena_copy(&result->arena,
				     xs_units_range_ns(low_ns, high_ns).s);
	return xs_arena_print(
	    &result->arena, "%s%s", rest_ns ? about_before(result, step) : "",
	    rest_ns || step->side_by_side > 1
		? xs_units_ns(step->round_ns + between_ns).s
		: xs_units_in_range_ns(step->round_ns + between_ns, low_ns,
				       high_ns)
		      .s);
}

/* How far the saving is one: its interval may reach beyond the run as it is. */
static const char *saves(const struct xs_result *result,
			 const struct xs_result_step *step)
{
	const bool is_bound = step->condition || step->side_by_side > 1;

	if (step->may_be_slower)
		return is_bound ? "may also be slower; saves up to"
				: "may also be slower; saves about";
	if (is_bound)
		return "saves up to";
	return xs_result_is_known(step->estimate) &&
		       !*about_before(result, step)
		   ? "saves"
		   : "saves about";
}

/* Less of a saving outside of the steady part is not told. */
#define OUTSIDE_PART 100

/* "62 % of the steady part, ", or "58.1 ms in the steady part (62 % of it), "
 * if some of the saving is outside of it. */
static const char *in_steady(struct xs_result *result,
			     const struct xs_result_step *step)
{
	const int64_t ns = step->adds_steady_ns;
	const struct xs_units_text share =
	    xs_units_percent(ns, result->verdict.steady_ns);

	if (!result->verdict.repeats || step->phase->apart)
		return "";
	return ns >= step->adds_saves_ns - step->adds_saves_ns / OUTSIDE_PART
		   ? xs_arena_print(&result->arena, "%s of the steady part, ",
				    share.s)
		   : xs_arena_print(&result->arena,
				    "%s in the steady part (%s of it), ",
				    xs_units_ns(ns).s, share.s);
}

/* "58.1 ms (55.0-61.2 ms)"; no interval beside what is an upper bound, or may
 * be none. */
static struct xs_units_text saved(const struct xs_result_step *step)
{
	return step->condition || step->side_by_side > 1 || step->may_be_slower
		   ? xs_units_ns(step->adds_saves_ns)
		   : xs_units_in_range_ns(step->adds_saves_ns,
					  step->saves_low_ns,
					  step->saves_high_ns);
}

/* "115 ms (106-121 ms)"; "at least 109 ms" of a saving that is an upper bound.
 */
static const char *run_after(struct xs_result *result,
			     const struct xs_result_step *step)
{
	if (step->side_by_side > 1)
		return xs_arena_print(&result->arena, "at least %s",
				      xs_units_ns(step->app_wall_ns).s);
	return xs_arena_print(&result->arena, "%s (%s)",
			      xs_units_ns(step->app_wall_ns).s,
			      xs_units_range_ns(step->low_ns, step->high_ns).s);
}

/* "saves 58.1 ms: 62 % of the steady part, 10.9 % of the run, then ..."; of
 * what pays in longer runs only, from when on. */
static const char *saving(struct xs_result *result,
			  const struct xs_result_step *step)
{
	if (step->pays_rounds != XS_UNKNOWN)
		return xs_arena_print(
		    &result->arena,
		    "not in this run of %" PRId64
		    " rounds, which would take %s more: pays from %" PRId64
		    " on; effort: %s",
		    step->phase->rounds,
		    xs_units_ns(step->estimate->new_memory_ns -
				step->adds_saves_ns)
			.s,
		    step->pays_rounds, step->estimate->effort);
	return xs_arena_print(
	    &result->arena, "%s %s: %s%s of the run, then %s; effort: %s",
	    saves(result, step), saved(step).s, in_steady(result, step),
	    xs_units_percent(step->adds_saves_ns,
			     xs_result_untraced_wall_ns(result))
		.s,
	    run_after(result, step), step->estimate->effort);
}

static bool shares_a_line(const struct xs_result_step *a,
			  const struct xs_result_step *b)
{
	for (size_t i = 0; i < a->site_count; i++)
		for (size_t k = 0; k < b->site_count; k++)
			if (xs_result_same_place(a->sites[i], b->sites[k]))
				return true;
	return false;
}

/* Whether an earlier step of the phase or of its lines, or the one that this
 * one repeats, has the condition. */
static bool is_said(const struct xs_result *result,
		    const struct xs_result_step *step, const char *condition)
{
	for (const struct xs_result_step *before = result->plan; before < step;
	     before++) {
		const struct xs_result_estimate *row = before->estimate;

		for (size_t i = 0; i < row->assume_count; i++)
			if (strcmp(row->assumes[i], condition) == 0 &&
			    (before->phase == step->phase ||
			     before == step->same ||
			     shares_a_line(before, step)))
				return true;
	}
	return false;
}

/* What must be true: the condition that the trace does not show, and what the
 * prediction assumes, each once for a phase. NULL: nothing. */
static const char *conditions(struct xs_result *result,
			      const struct xs_result_step *step)
{
	const struct xs_result_estimate *row = step->estimate;
	struct xs_arena *arena = &result->arena;
	const char *list = step->condition;

	for (size_t i = 0; i < row->assume_count; i++)
		if (!is_said(result, step, row->assumes[i]) &&
		    (!row->bound || strcmp(row->assumes[i], row->bound)))
			list = list ? xs_arena_print(arena, "%s; %s", list,
						     row->assumes[i])
				    : row->assumes[i];
	return list ? xs_arena_print(arena, "only if %s", list) : NULL;
}

void xs_render_text_code(const struct xs_terminal *terminal, const char *code)
{
	while (code && *code) {
		const int length = (int)strcspn(code, "\n");

		xs_terminal_print(terminal, XS_DIM, "       | %.*s\n", length,
				  code);
		code += length + (code[length] == '\n');
	}
}

/* Whether an earlier step has the same lines. */
static bool is_written_before(const struct xs_result *result,
			      const struct xs_result_step *step)
{
	for (const struct xs_result_step *before = result->plan; before < step;
	     before++)
		if (before->code && step->code &&
		    strcmp(before->code, step->code) == 0)
			return true;
	return false;
}

static void put_step(const struct xs_terminal *terminal,
		     struct xs_result *result,
		     const struct xs_result_step *step)
{
	const char *only_if = conditions(result, step);

	xs_terminal_print(terminal, XS_PLAIN, "  %" PRId64 ". ", step->step);
	xs_terminal_print(terminal, XS_BOLD, "%s",
			  what(result, step->estimate));
	xs_terminal_print(terminal, XS_PLAIN, ": %s round",
			  step->phase->rounds == 1 ? "the" : "a");
	if (result->phase_count > 1)
		xs_terminal_print(terminal, XS_PLAIN, " of phase %" PRId64,
				  step->phase->id);
	if (step->side_by_side > 1)
		xs_terminal_print(terminal, XS_PLAIN,
				  " (%.3g run side by side)",
				  1 / xs_result_share(step->phase));
	xs_terminal_print(terminal, XS_PLAIN, ": %s%s -> ",
			  about_before(result, step),
			  xs_units_ns(step->round_before_ns +
				      xs_result_used_between_ns(step->phase))
			      .s);
	xs_terminal_print(terminal, XS_GOOD, "%s", round_after(result, step));
	xs_terminal_print(terminal, XS_PLAIN, "\n");
	xs_terminal_wrap(terminal, XS_PLAIN, "     ", saving(result, step));
	if (!result->all_asked && step - result->plan >= STEPS_MAX) {
		xs_terminal_print(terminal, XS_DIM,
				  "     --all says what to write\n");
		return;
	}
	xs_terminal_wrap(terminal, XS_PLAIN, "     ", step->text);
	if (only_if)
		xs_terminal_wrap(terminal, step->condition ? XS_WARN : XS_DIM,
				 "     ", only_if);
	xs_render_text_source_lines(terminal, result, step);
	if (!is_written_before(result, step))
		xs_render_text_code(terminal, step->code);
}

/* How many steps are printed: without --all, not those outside the steady part
 * if there are others; more than STEPS_MAX if these save more than the last of
 * them. */
static size_t shown_steps(const struct xs_result *result)
{
	const struct xs_result_step *plan = result->plan;
	size_t count = 0;

	if (result->all_asked)
		return result->plan_count;
	while (count < result->plan_count &&
	       plan[count].phase->apart == plan[0].phase->apart &&
	       (count < STEPS_MAX ||
		plan[count].adds_saves_ns > plan[STEPS_MAX - 1].adds_saves_ns))
		count++;
	return count;
}

size_t xs_render_text_full_steps(const struct xs_result *result)
{
	const size_t shown = shown_steps(result);

	return result->all_asked || shown < STEPS_MAX ? shown : STEPS_MAX;
}

/* "and 2 more steps save 5.00 ms (0.6 % of the run; --all)" */
static void put_rest(const struct xs_terminal *terminal,
		     struct xs_result *result, size_t first)
{
	const size_t count = result->plan_count - first;
	int64_t saves_ns = 0;

	if (!count)
		return;
	/* what does not pay in this run saves nothing of it */
	for (size_t i = first; i < result->plan_count; i++)
		if (result->plan[i].pays_rounds == XS_UNKNOWN)
			xs_number_add(&saves_ns, result->plan[i].adds_saves_ns);
	xs_terminal_wrap(
	    terminal, XS_PLAIN, "  ",
	    xs_arena_print(
		&result->arena,
		"and %zu more step%s%s save%s %s (%s of the run; "
		"--all)",
		count, count == 1 ? "" : "s",
		result->plan[first].phase->apart ? " outside the steady part"
						 : "",
		count == 1 ? "s" : "",
		saves_ns ? xs_units_ns(saves_ns).s : "nothing in this run",
		xs_units_percent(saves_ns, xs_result_untraced_wall_ns(result))
		    .s));
}

/* Peer access between two GPUs. */
static void put_link(const struct xs_terminal *terminal,
		     const struct xs_result_gpu_link *link)
{
	xs_terminal_print(terminal, XS_PLAIN, "  %" PRId64 ". ", link->step);
	xs_terminal_print(terminal, XS_BOLD, "peer access");
	xs_terminal_print(terminal, XS_PLAIN, ": %s\n", link->title);
	xs_terminal_wrap(terminal, XS_PLAIN, "     ", link->saving);
	xs_terminal_wrap(terminal, XS_PLAIN, "     ", link->advice);
	xs_render_text_code(terminal, link->code);
}

/* The line above the steps from `step` on; NULL: none. */
static const char *introduction(const struct xs_result *result, size_t step)
{
	const bool apart = result->plan[step].phase->apart;

	if (!result->verdict.repeats)
		return step ? NULL
			    : "no round repeats; if this is the whole "
			      "program:";
	if (apart && (!step || !result->plan[step - 1].phase->apart))
		return "once in the run, outside the steady part:";
	return NULL;
}

void xs_render_text_plan(const struct xs_terminal *terminal,
			 struct xs_result *result)
{
	const size_t shown = shown_steps(result);

	xs_terminal_heading(
	    terminal, "What to change",
	    !shown ? NULL
		   : xs_arena_print(
			 &result->arena, "%s%s(a-b): 90 %% of other runs",
			 shown > 1 ? "in this order, added up; " : "",
			 result->verdict.repeats ? "median round; " : ""));
	if (result->no_step) {
		xs_terminal_wrap(terminal, XS_PLAIN, "  ", result->no_step);
		xs_render_text_code(terminal, result->question_code);
	}
	for (size_t i = 0; i < shown; i++) {
		if (introduction(result, i))
			xs_terminal_wrap(terminal, XS_PLAIN, "  ",
					 introduction(result, i));
		put_step(terminal, result, &result->plan[i]);
	}
	for (size_t i = 0; i < result->run.link_count; i++)
		if (result->run.links[i].step)
			put_link(terminal, &result->run.links[i]);
	if (result->no_pinning)
		xs_terminal_wrap(terminal, XS_PLAIN, "  ", result->no_pinning);
	if (result->question) {
		xs_terminal_wrap(terminal, XS_WARN, "  ", result->question);
		xs_render_text_code(terminal, result->question_code);
	}
	put_rest(terminal, result, shown);
}
