/* SPDX-License-Identifier: MIT */
/*
 * Answers in sentences: what dominates, how much overlap saves, copies or
 * mapped memory, how many streams, and what a faster link or GPU would change.
 * These are the questions of van Werkhoven 2014's introduction.
 */
#include "report/formulas/answers.h"

#include "report/result/number.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define ANSWERS_MAX 9	 /* plus one for each compared machine */
#define EQUAL	    1.03 /* times of --control that differ by less are equal */

static void say(struct xs_formulas_result *result, const char *sentence)
{
	if (sentence)
		result->answers[result->answer_count++] = sentence;
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/*
 * What dominates, and how much overlap saves at most: with two copy engines
 * the longest of the three remains, with one engine both directions share it
 * (section III-A).
 */
static void say_what_dominates(struct xs_formulas_result *result)
{
	const int64_t in = result->h2d_ns, out = result->d2h_ns;
	const int64_t kernel = result->kernel_ns;
	const bool one = result->machine.copy_engines == 1;
	struct xs_arena *arena = &result->base.arena;
	int64_t total, longest;

	if (kernel == XS_UNKNOWN)
		return;
	if (in == XS_UNKNOWN || out == XS_UNKNOWN) {
		say(result, "The profile has no bandwidth: give --h2d-ms and "
			    "--d2h-ms.");
		return;
	}
	total = in + kernel + out;
	longest = larger(one ? in + out : larger(in, out), kernel);
	say(result,
	    xs_arena_print(
		arena,
		"%s; overlap saves at most %s (%s), with %s. Of %s, copies in "
		"take %s, the kernel %s%s, copies out %s.",
		longest == kernel  ? "The kernel dominates"
		: one || in == out ? "The copies dominate"
		: in > out	   ? "The copies in dominate"
				   : "The copies out dominate",
		xs_units_ns(total - longest).s,
		xs_units_percent(total - longest, total).s,
		one ? "one copy engine"
		: result->machine.copy_engines
		    ? "a copy engine each way"
		    : "a copy engine each way (their number is unknown)",
		xs_units_ns(total).s, xs_units_ns(in).s, xs_units_ns(kernel).s,
		result->kernel_from_atgpu ? " (by ATGPU)" : "",
		xs_units_ns(out).s));
}

static void say_streams(struct xs_formulas_result *result)
{
	const struct xs_formulas_choice *choice = &result->choice;
	struct xs_arena *arena = &result->base.arena;
	const char *text;

	if (choice->best_ns == XS_UNKNOWN)
		return;
	if (choice->streams == XS_UNKNOWN) {
		say(result, "Streams gain nothing here: one copy each way is "
			    "best.");
		return;
	}
	text = xs_arena_print(
	    arena, "%" PRId64 " streams are fastest: %s by %s", choice->streams,
	    xs_units_ns(choice->best_ns).s, choice->model);
	if (choice->explicit_ns != XS_UNKNOWN)
		text = xs_arena_print(arena,
				      "%s, against %s with one copy each "
				      "way",
				      text, xs_units_ns(choice->explicit_ns).s);
	if (result->few_streams < choice->streams)
		text = xs_arena_print(
		    arena, "%s; %" PRId64 " streams come within 1 %% of it",
		    text, result->few_streams);
	say(result, xs_arena_print(arena, "%s.", text));
}

/* Whether the kernel should access host memory directly. */
static const char *mapped_or_copies(struct xs_formulas_result *result)
{
	const struct xs_formulas_choice *choice = &result->choice;
	/* with crossings, the table has a row at the measured rates, too */
	const char *rates = !choice->mapped_measured ? "at the rate of copies"
			    : choice->crossings_given
				? "at its measured rates"
				: "at its measured rates, not the "
				  "table's rate of copies";
	struct xs_arena *arena = &result->base.arena;

	if (choice->crossings_given)
		return xs_arena_print(
		    arena,
		    "Mapped memory takes %s (%s) with the given crossings, "
		    "copies take %s.",
		    xs_units_ns(choice->mapped_ns).s, rates,
		    xs_units_ns(choice->best_ns).s);
	if (choice->mapped_ns >= choice->best_ns)
		return xs_arena_print(arena,
				      "Use copies, not mapped memory: mapped "
				      "memory takes %s (%s) even if each byte "
				      "crosses the link once, copies take %s.",
				      xs_units_ns(choice->mapped_ns).s, rates,
				      xs_units_ns(choice->best_ns).s);
	return xs_arena_print(
	    arena,
	    "Mapped memory takes %s (%s) if each byte crosses the link once, "
	    "copies take %s; mapped memory is slower if the kernel reads or "
	    "writes each byte more than %.1f times.",
	    xs_units_ns(choice->mapped_ns).s, rates,
	    xs_units_ns(choice->best_ns).s, choice->crossings);
}

static void say_mapped(struct xs_formulas_result *result)
{
	const struct xs_formulas_choice *choice = &result->choice;
	struct xs_arena *arena = &result->base.arena;
	const char *text;

	if (choice->mapped_ns == XS_UNKNOWN || choice->best_ns == XS_UNKNOWN)
		return;
	text = mapped_or_copies(result);
	if (choice->hybrid_ns != XS_UNKNOWN)
		text = xs_arena_print(arena,
				      "%s Copies in and mapped writes out "
				      "(hybrid) would take %s.",
				      text, xs_units_ns(choice->hybrid_ns).s);
	say(result, text);
}

static void say_faster(struct xs_formulas_result *result)
{
	struct xs_arena *arena = &result->base.arena;

	if (result->choice.best_ns == XS_UNKNOWN ||
	    result->faster_link_ns == XS_UNKNOWN ||
	    result->faster_gpu_ns == XS_UNKNOWN)
		return;
	say(result,
	    xs_arena_print(arena,
			   "With a link twice as fast, the best time would be "
			   "%s instead of %s; with a kernel twice as fast, %s.",
			   xs_units_ns(result->faster_link_ns).s,
			   xs_units_ns(result->choice.best_ns).s,
			   xs_units_ns(result->faster_gpu_ns).s));
}

/* What a second copy engine saves: copies out then need not wait for the last
 * copy in (section IV). */
static void say_engines(struct xs_formulas_result *result)
{
	const int64_t best = result->choice.best_ns;
	const int64_t other = result->other_engines_ns;
	const bool one = result->machine.copy_engines == 1;
	int64_t saved;

	if (best == XS_UNKNOWN || other == XS_UNKNOWN)
		return;
	saved = one ? best - other : other - best;
	if (saved < larger(best, other) / 200) {
		say(result,
		    one ? "A second copy engine would save less than 0.5 %."
			: "The second copy engine saves less than 0.5 %.");
		return;
	}
	say(result,
	    xs_arena_print(&result->base.arena,
			   one ? "A second copy engine would save %s (%s): "
				 "the best time would be %s."
			       : "The second copy engine saves %s (%s): with "
				 "one, the best time would be %s.",
			   xs_units_ns(saved).s,
			   xs_units_percent(saved, one ? best : other).s,
			   xs_units_ns(other).s));
}

/* "1.20 ms with 8 streams, 0.61x as fast" */
static const char *time_text(struct xs_formulas_result *result,
			     const struct xs_formulas_choice *there)
{
	struct xs_arena *arena = &result->base.arena;
	const struct xs_units_text time = xs_units_ns(there->best_ns);
	const char *text =
	    there->streams == XS_UNKNOWN
		? xs_arena_print(arena, "%s with one copy each way", time.s)
		: xs_arena_print(arena, "%s with %" PRId64 " streams", time.s,
				 there->streams);

	if (result->choice.best_ns == XS_UNKNOWN || there->best_ns <= 0)
		return text;
	return xs_arena_print(arena, "%s, %s as fast", text,
			      xs_units_ratio((double)result->choice.best_ns /
					     (double)there->best_ns)
				  .s);
}

static void say_compared(struct xs_formulas_result *result,
			 const struct xs_formulas_comparison *there)
{
	struct xs_arena *arena = &result->base.arena;
	const char *text;

	if (there->choice.best_ns == XS_UNKNOWN) {
		say(result, xs_arena_print(
				arena,
				"On %s: unknown; the profile lacks a parameter "
				"of copies, or only copy times were given.",
				there->name));
		return;
	}
	text = xs_arena_print(arena, "On %s: %s", there->name,
			      time_text(result, &there->choice));
	if (there->choice.mapped_ns != XS_UNKNOWN)
		text = xs_arena_print(arena, "%s; mapped memory %s", text,
				      xs_units_ns(there->choice.mapped_ns).s);
	say(result,
	    xs_arena_print(arena, "%s. The kernel time is %s: %s.", text,
			   there->kernel_why, xs_units_ns(there->kernel_ns).s));
}

/* A rate with its unit. */
static struct xs_units_text rate(double flops_s)
{
	struct xs_units_text out;

	snprintf(out.s, sizeof(out.s), "%.4g GFLOP/s", flops_s / 1e9);
	return out;
}

static void say_bounds(struct xs_formulas_result *result)
{
	const struct xs_formulas_bounds *b = &result->bounds;

	if (!result->has_bounds)
		return;
	say(result, xs_arena_print(
			&result->base.arena,
			"The kernel does %.3g flops for each byte that "
			"crosses the link (data intensity) and %.3g for each "
			"byte of device memory. Bounds of section III-A: %s "
			"without overlap, %s with full overlap, %s from "
			"mapped memory.",
			b->data_intensity, b->operational_intensity,
			rate(b->zero_overlap).s, rate(b->full_overlap).s,
			rate(b->mapped).s));
}

/* The fastest row of a direction. NULL: no row. */
static const struct xs_control_estimate *
fastest_control(const struct xs_formulas_result *result, bool to_host)
{
	const struct xs_control_estimate *best = NULL;

	for (size_t i = 0; i < result->control_count; i++) {
		const struct xs_control_estimate *row = &result->control[i];

		if (row->to_host == to_host && (!best || row->ns < best->ns))
			best = row;
	}
	return best;
}

/* The row of a direction that takes the least effort, the host's first, of
 * those that take so long at most. */
static const struct xs_control_estimate *
least_effort(const struct xs_formulas_result *result, bool to_host,
	     double most_ns)
{
	for (size_t i = 0; i < result->control_count; i++)
		if (result->control[i].to_host == to_host &&
		    result->control[i].ns <= most_ns)
			return &result->control[i];
	return NULL;
}

/* A parameter that a row of a direction lacks, or NULL. */
static const char *unknown_control(const struct xs_formulas_result *result,
				   bool to_host)
{
	for (size_t i = 0; i < result->control_count; i++)
		if (result->control[i].to_host == to_host &&
		    result->control[i].unknown)
			return result->control[i].unknown;
	return NULL;
}

/* "4.13 us"; times of messages are shorter than 36 years, or "decades" */
static struct xs_units_text message_time(const struct xs_control_estimate *row)
{
	const int64_t ns = xs_number_round(row->ns);
	const struct xs_units_text decades = {"decades"};

	return ns == XS_UNKNOWN ? decades : xs_units_ns(ns);
}

/* Who should start a transfer, if the times of all ways are known: the way of
 * the least effort among equal ones, and the host, which needs no code in
 * kernels, also if its time is within the range of the fastest. The ranges of
 * two ways have most of their causes in common. */
static const char *control_answer(struct xs_formulas_result *result,
				  bool to_host)
{
	const struct xs_control_estimate *host =
	    least_effort(result, to_host, INFINITY);
	const struct xs_control_estimate *best =
	    fastest_control(result, to_host);
	const char *unknown = unknown_control(result, to_host);
	struct xs_arena *arena = &result->base.arena;

	if (unknown)
		return xs_arena_print(
		    arena,
		    "not known who should start it: the profile lacks %s, "
		    "which xferspy calibrate measures.",
		    unknown);
	if (host->ns <= fmax(best->high_ns, EQUAL * best->ns))
		return xs_arena_print(
		    arena,
		    "let the host start it (%s); nothing else is faster for "
		    "certain and by more than 3 %%.",
		    message_time(host).s);
	best = least_effort(result, to_host, EQUAL * best->ns);
	return xs_arena_print(
	    arena,
	    "let %s start it (%s, polls %s memory): %s, against %s if the "
	    "host does.",
	    strcmp(best->name, "direct") == 0
		? "the GPU"
		: "a host thread that the GPU asks",
	    best->name, best->polled, message_time(best).s,
	    message_time(host).s);
}

static void say_control(struct xs_formulas_result *result, bool to_host)
{
	/* rows are of --control alone, for each direction with bytes */
	if (fastest_control(result, to_host))
		say(result,
		    xs_arena_print(&result->base.arena, "A message %s: %s",
				   to_host ? "out" : "in",
				   control_answer(result, to_host)));
}

void xs_formulas_answer(struct xs_formulas_result *result)
{
	result->answers = xs_arena_alloc(&result->base.arena,
					 ANSWERS_MAX + result->compared_count,
					 sizeof(*result->answers));
	if (!result->answers)
		return;
	say_what_dominates(result);
	say_streams(result);
	say_mapped(result);
	say_faster(result);
	say_engines(result);
	say_bounds(result);
	for (size_t i = 0; i < result->compared_count; i++)
		say_compared(result, &result->compared[i]);
	say_control(result, false);
	say_control(result, true);
	if (result->connections > XS_CONTROL_MEASURED)
		say(result, "Blocks were measured up to 32 only; the times and "
			    "rates of more are those of the equations.");
}
