/* SPDX-License-Identifier: MIT */
/* The verdict and the plan. */
#include "report/render/text/sections.h"
#include "report/result/best.h"
#include "report/result/number.h"
#include "report/result/step_text.h"

#include <inttypes.h>
#include <string.h>

/* Steps printed, unless all is asked for. */
#define STEPS_MAX 2

/* The characters of an opening of five lines, with room for their ends. */
#define OPENING 370

void xs_render_text_verdict(const struct xs_terminal *terminal,
			    struct xs_result *result)
{
	const char *text = result->verdict.text;
	const char *lead = "Verdict: ";

	xs_terminal_print(terminal, XS_PLAIN, "\n");
	if (result->opening) {
		const char *note = xs_render_text_lines_note(result);

		xs_terminal_wrapf(
		    terminal, XS_BOLD, "", "In short: %s%s", result->opening,
		    strlen(result->opening) + strlen(note) < OPENING ? note
								     : "");
	}
	for (size_t length; *text; text += length + (text[length] == '\n')) {
		length = strcspn(text, "\n");
		xs_terminal_wrapf(terminal, *lead ? XS_BOLD : XS_PLAIN, "",
				  "%s%.*s", lead, (int)length, text);
		lead = "";
	}
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

/* Nobody reads on for less than 1 / LEAST_PART of the run, nor for what may
 * take longer. */
#define LEAST_PART 100

static bool is_little(const struct xs_result *result,
		      const struct xs_result_step *step)
{
	return step->pays_rounds == XS_UNKNOWN &&
	       (step->may_be_slower ||
		step->adds_saves_ns <
		    xs_result_untraced_wall_ns(result) / LEAST_PART);
}

/* Whether only the title of the step is printed: of the third one on, and of
 * the second one if it is for longer runs or, as one of the plan, little or
 * behind a question. */
static bool is_title_only(const struct xs_result *result,
			  const struct xs_result_step *step)
{
	return !result->all_asked &&
	       (step - result->plan >= STEPS_MAX ||
		(step->step > 1 &&
		 (step->pays_rounds != XS_UNKNOWN ||
		  (step != result->plan &&
		   (result->question || is_little(result, step))))));
}

/* What the step takes once: what its rounds save less what the run does. */
static int64_t once_ns(const struct xs_result_step *step)
{
	const int64_t ns = step->round_before_ns - step->round_ns;

	return xs_number_round(xs_result_of_run(step->phase, (double)ns)) -
	       step->adds_saves_ns;
}

/* "3. double-buffer, better than step 2 from 49 rounds on (this run of 9 would
 * take 3.7 ms more): a round 246 us -> 154 us, once 4.5 ms; ..." */
static void put_later(const struct xs_terminal *terminal,
		      struct xs_result *result,
		      const struct xs_result_step *step)
{
	struct xs_arena *arena = &result->arena;
	const int64_t between_ns = xs_result_used_between_ns(step->phase);
	const char *of =
	    result->phase_count > 1
		? xs_print(arena, " of phase %" PRId64, step->phase->id)
		: "";

	xs_terminal_wrapf(
	    terminal, XS_PLAIN,
	    xs_print(arena, "  %" PRId64 "%c ", step->step,
		     step->is_question ? '?' : '.'),
	    "%s, better than %s from %" PRId64 " rounds on (this run of "
	    "%" PRId64 " would take %s more)%s: a round%s %s%s -> %s, once "
	    "%s; effort: %s (--all)",
	    xs_result_step_name(result, step->estimate),
	    xs_result_step_beside(result, step), step->pays_rounds,
	    xs_result_rounds(step->phase), xs_units_ns(-step->adds_saves_ns).s,
	    !step->instead ? ""
	    : step->instead_rounds == XS_UNKNOWN
		? xs_print(arena, ", never than %s", step->instead->strategy)
		: xs_print(arena, ", than %s from %" PRId64,
			   step->instead->strategy, step->instead_rounds),
	    of, xs_result_step_about(result, step),
	    xs_units_ns(step->round_before_ns + between_ns).s,
	    xs_units_ns(step->round_ns + between_ns).s,
	    xs_units_ns(once_ns(step)).s, step->estimate->effort);
}

/* "  1. pinned: ", "  1? pinned: " and more, which is wrapped. */
static void put_title(const struct xs_terminal *terminal, int64_t number,
		      bool question, const char *name, const char *before,
		      enum xs_style style, const char *title)
{
	char start[32];

	snprintf(start, sizeof(start), "  %" PRId64 "%c ", number,
		 question ? '?' : '.');
	xs_terminal_print(terminal, XS_PLAIN, "%s", start);
	xs_terminal_print(terminal, XS_BOLD, "%s", name);
	xs_terminal_print(terminal, XS_PLAIN, "%s", before);
	xs_terminal_wrap_on(
	    terminal, style,
	    (int)(strlen(start) + strlen(name) + strlen(before)), 5, title);
}

static void put_step(const struct xs_terminal *terminal,
		     struct xs_result *result,
		     const struct xs_result_step *step)
{
	const char *only_if = xs_result_step_conditions(result, step);

	put_title(terminal, step->step, step->is_question,
		  xs_result_step_name(result, step->estimate),
		  xs_print(&result->arena, ": %s",
			   xs_result_step_before(result, step)),
		  XS_GOOD, xs_result_step_round(result, step));
	if (is_title_only(result, step)) {
		xs_terminal_wrapf(
		    terminal, XS_PLAIN, "     ", "%s%s (--all)",
		    xs_result_step_saving(result, step),
		    step->along ? xs_print(&result->arena, ".%s", step->along)
				: "");
		return;
	}
	xs_terminal_wrap(terminal, XS_PLAIN, "     ",
			 xs_result_step_saving(result, step));
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
size_t xs_render_text_shown_steps(const struct xs_result *result)
{
	const struct xs_result_step *plan = result->plan;
	size_t count = 0;

	if (result->all_asked)
		return result->plan_count;
	while (count < result->plan_count &&
	       plan[count].phase->apart == plan[0].phase->apart &&
	       (count < STEPS_MAX ||
		(count == STEPS_MAX && plan[count].pays_rounds != XS_UNKNOWN) ||
		plan[count].adds_saves_ns > plan[STEPS_MAX - 1].adds_saves_ns))
		count++;
	return count;
}

size_t xs_render_text_full_steps(const struct xs_result *result)
{
	const size_t shown = xs_render_text_shown_steps(result);
	size_t count = 0;

	while (count < shown && !is_title_only(result, &result->plan[count]))
		count++;
	return count;
}

/* "and 2 more steps save 5.00 ms (0.6 % of the run; reuse, graph, --all)" */
static void put_rest(const struct xs_terminal *terminal,
		     struct xs_result *result, size_t first)
{
	const size_t count = result->plan_count - first;
	const int64_t wall_ns = xs_result_untraced_wall_ns(result);
	const char *names = NULL;
	int64_t saves_ns = 0;
	bool question = false;

	for (size_t i = first; i < result->plan_count; i++) {
		const struct xs_result_step *step = &result->plan[i];

		names = xs_arena_join_once(&result->arena, names,
					   step->estimate->strategy);
		/* what does not pay in this run saves nothing of it */
		if (step->pays_rounds != XS_UNKNOWN)
			continue;
		question |= step->is_question;
		xs_number_add(&saves_ns, step->adds_saves_ns);
	}
	if (!count)
		return;
	xs_terminal_wrapf(
	    terminal, XS_PLAIN, "  ",
	    "and %zu more step%s%s %s%s %s (%s of %s; %s, --all)", count,
	    count == 1 ? "" : "s",
	    result->plan[first].phase->apart ? " outside the steady part" : "",
	    question ? "may save" : "save", question || count > 1 ? "" : "s",
	    saves_ns ? xs_units_ns(saves_ns).s : "nothing in this run",
	    xs_units_percent(saves_ns, wall_ns).s, xs_result_run_name(result),
	    names);
}

/* Peer access between two GPUs. */
static void put_link(const struct xs_terminal *terminal,
		     const struct xs_result_gpu_link *link)
{
	put_title(terminal, link->step, false, "peer access", ": ", XS_PLAIN,
		  link->title);
	xs_terminal_wrap(terminal, XS_PLAIN, "     ", link->saving);
	xs_terminal_wrap(terminal, XS_PLAIN, "     ", link->advice);
	xs_render_text_code(terminal, link->code);
}

/* Memory pinned outside of the steady part. */
static void put_pinning(const struct xs_terminal *terminal,
			struct xs_result *result)
{
	const struct xs_result_pinning *in = &result->verdict.pinning;

	put_title(terminal, in->step, in->is_question, "register", ": ",
		  XS_PLAIN, in->title);
	xs_terminal_wrap(terminal, XS_PLAIN, "     ", in->saving);
	xs_terminal_wrap(terminal, XS_PLAIN, "     ", in->advice);
	xs_terminal_wrapf(terminal, XS_WARN, "     ", "only if %s",
			  in->condition);
	xs_render_text_code(terminal, in->code);
}

static void put_question(const struct xs_terminal *terminal,
			 struct xs_result *result)
{
	if (!result->question)
		return;
	xs_terminal_wrap(terminal, XS_WARN, "  ?. ", result->question);
	xs_render_text_code(terminal, result->question_code);
}

/* The line above the steps from `step` on; NULL: none. */
static const char *introduction(const struct xs_result *result, size_t step)
{
	const struct xs_result_step *plan = result->plan;
	const bool apart = plan[step].phase->apart;

	if (!result->verdict.repeats)
		return step ? NULL
			    : "no round repeats; if this is the whole "
			      "program:";
	if (apart && (!step || !result->plan[step - 1].phase->apart))
		return "once in the run, outside the steady part:";
	return NULL;
}

/* A step, or its title, below the line that introduces it. */
static void put_planned(const struct xs_terminal *terminal,
			struct xs_result *result, size_t i)
{
	const struct xs_result_step *step = &result->plan[i];

	if (introduction(result, i))
		xs_terminal_wrap(terminal, XS_PLAIN, "  ",
				 introduction(result, i));
	if (step->pays_rounds != XS_UNKNOWN && is_title_only(result, step))
		put_later(terminal, result, step);
	else
		put_step(terminal, result, step);
}

/* Prints what has this number, of the steps those that are shown. */
static void put_numbered(const struct xs_terminal *terminal,
			 struct xs_result *result, int64_t number, size_t shown)
{
	for (size_t i = 0; i < shown; i++)
		if (result->plan[i].step == number)
			put_planned(terminal, result, i);
	for (size_t i = 0; i < result->run.link_count; i++)
		if (result->run.links[i].step == number)
			put_link(terminal, &result->run.links[i]);
	if (result->verdict.pinning.step == number)
		put_pinning(terminal, result);
}

/* What a round of the steps is. */
static const char *usual(const struct xs_result *result)
{
	size_t means = 0;

	for (size_t i = 0; i < result->plan_count; i++)
		means += xs_result_is_mean(result->plan[i].phase);
	return !means			     ? "median round; "
	       : means == result->plan_count ? "mean round; "
					     : "median or mean round; ";
}

/* Whether a step changes a phase of one round, whose range is of any run. */
static bool has_only_round(const struct xs_result *result)
{
	for (size_t i = 0; i < result->plan_count; i++)
		if (result->plan[i].phase->rounds == 1)
			return true;
	return !result->verdict.repeats;
}

void xs_render_text_plan(const struct xs_terminal *terminal,
			 struct xs_result *result)
{
	const size_t shown = xs_render_text_shown_steps(result);

	xs_terminal_heading(
	    terminal, "What to change",
	    !shown ? NULL
		   : xs_print(&result->arena, "%s%s90 %% ranges%s",
			      shown > 1 ? "each on top of the last; " : "",
			      result->verdict.repeats ? usual(result) : "",
			      has_only_round(result) ? "" : " in this run"));
	if (result->no_step) {
		xs_terminal_wrap(terminal, XS_PLAIN, "  ", result->no_step);
		xs_render_text_code(terminal, result->question_code);
	}
	for (int64_t number = 1; number <= result->step_count; number++)
		put_numbered(terminal, result, number, shown);
	put_question(terminal, result);
	if (result->no_pinning)
		xs_terminal_wrap(terminal, XS_PLAIN, "  ", result->no_pinning);
	put_rest(terminal, result, shown);
	if (result->all_asked && result->step_count)
		xs_terminal_wrap(terminal, XS_DIM, "  ", XS_RESULT_STEP_RULE);
}
