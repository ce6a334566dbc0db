/* SPDX-License-Identifier: MIT */
/*
 * Answers in sentences: what dominates, how much overlap saves, copies or
 * mapped memory, how many streams, and what a faster link or GPU would change.
 * These are the questions of van Werkhoven 2014's introduction.
 */
#include "report/formulas/answers.h"

#include <inttypes.h>

#define ANSWERS_MAX 8

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
	    xs_print(
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
		say(result,
		    "Streams gain nothing here: one copy each way is best.");
		return;
	}
	text = xs_print(arena, "%" PRId64 " streams are fastest: %s by %s",
			choice->streams, xs_units_ns(choice->best_ns).s,
			choice->model);
	if (choice->explicit_ns != XS_UNKNOWN)
		text = xs_print(arena, "%s, against %s with one copy each way",
				text, xs_units_ns(choice->explicit_ns).s);
	if (result->few_streams < choice->streams)
		text = xs_print(
		    arena, "%s; %" PRId64 " streams come within 1 %% of it",
		    text, result->few_streams);
	say(result, xs_print(arena, "%s.", text));
}

/* Whether the kernel should access host memory directly. */
static const char *mapped_or_copies(struct xs_formulas_result *result)
{
	const struct xs_formulas_choice *choice = &result->choice;
	/* with crossings, the table has a row at the measured rates, too */
	const char *rates =
	    !choice->mapped_measured ? "at the rate of copies"
	    : choice->crossings_given
		? "at its measured rates"
		: "at its measured rates, not the table's rate of copies";
	struct xs_arena *arena = &result->base.arena;

	if (choice->crossings_given)
		return xs_print(arena,
				"Mapped memory takes %s (%s) with the "
				"given crossings, copies take %s.",
				xs_units_ns(choice->mapped_ns).s, rates,
				xs_units_ns(choice->best_ns).s);
	if (choice->mapped_ns >= choice->best_ns)
		return xs_print(arena,
				"Use copies, not mapped memory: mapped "
				"memory takes %s (%s) even if each byte "
				"crosses the link once, copies take %s.",
				xs_units_ns(choice->mapped_ns).s, rates,
				xs_units_ns(choice->best_ns).s);
	return xs_print(
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
		text = xs_print(arena,
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
	    xs_print(arena,
		     "With a link twice as fast, the best time would be "
		     "%s instead of %s; with a kernel twice as fast, %s.",
		     xs_units_ns(result->faster_link_ns).s,
		     xs_units_ns(result->choice.best_ns).s,
		     xs_units_ns(result->faster_gpu_ns).s));
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
	say(result,
	    xs_print(&result->base.arena,
		     "The kernel does %.3g flops for each byte that crosses "
		     "the link (data intensity) and %.3g for each byte of "
		     "device memory. Bounds of section III-A: %s without "
		     "overlap, %s with full overlap, %s from mapped memory.",
		     b->data_intensity, b->operational_intensity,
		     rate(b->zero_overlap).s, rate(b->full_overlap).s,
		     rate(b->mapped).s));
}

void xs_formulas_answer(struct xs_formulas_result *result)
{
	XS_ARENA_NEW(&result->base.arena, result->answers, ANSWERS_MAX);
	say_what_dominates(result);
	say_streams(result);
	say_mapped(result);
	say_faster(result);
	say_bounds(result);
	xs_formulas_answer_control(result);
}
