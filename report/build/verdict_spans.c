/* SPDX-License-Identifier: MIT */
/* The verdict's words on the parts of the run: start-up, steady part, end. */
#include "report/build/verdict.h"

#include "report/result/number.h"

#include <inttypes.h>

/* "; afterwards: 163 ms": the part of the run behind the steady part; "" if it
 * is in no digit of a share. */
static const char *after_steady(struct xs_result *result)
{
	const struct xs_result_verdict *in = &result->verdict;

	return in->after_ns < xs_result_untraced_wall_ns(result) / 1000
		   ? ""
		   : xs_print(&result->arena, "; afterwards: %s",
			      xs_units_ns(in->after_ns).s);
}

/* Whether most calls were only counted. */
static bool is_counted(const struct xs_result *result)
{
	const struct xs_result_coverage *coverage = &result->coverage;

	return coverage->calls_counted > coverage->api_calls_seen / 2 &&
	       !coverage->read_in_windows;
}

/* What the rounds of the steady part take, recorded and counted ones. */
static int64_t rounds_ns(const struct xs_result *result)
{
	int64_t ns = 0;

	XS_EACH(phase, result->phases, result->phase_count) {
		if (!phase->apart)
			xs_number_add(
			    &ns, xs_result_in_steady(phase, phase->wall_ns));
	}
	return ns;
}

/* What is known of a run most of whose calls were only counted, and what to
 * record for more; "" of another. The rounds explain a steady part of which
 * they take 1 - 1 / UNKNOWN_PART. */
#define UNKNOWN_PART 4

/* "XFERSPY_RANGE=30+6": a part of a like run, from its middle on, in s. */
static const char *later_part(struct xs_result *result)
{
	const int64_t s = result->run.wall_ns / 1000000000;

	if (s < 2)
		return "record a later part with XFERSPY_RANGE";
	return xs_print(&result->arena,
			"record a later part, as with "
			"XFERSPY_RANGE=%" PRId64 "+%" PRId64,
			s / 2, s / 10 + 1);
}

static const char *only_counted(struct xs_result *result)
{
	const int64_t steady_ns = result->verdict.steady_ns;
	const int64_t known_ns = rounds_ns(result);

	if (!is_counted(result))
		return "";
	if (steady_ns < xs_result_untraced_wall_ns(result) / 2)
		return " Most calls were only counted: for a verdict on more "
		       "of the run, record with a larger XFERSPY_MAX_SIZE or "
		       "another XFERSPY_RANGE.";
	if (known_ns > steady_ns - steady_ns / UNKNOWN_PART)
		return "";
	return xs_print(
	    &result->arena,
	    " Most calls were only counted: if all rounds are like the "
	    "recorded ones, they take %s of it. What the rest is, is not "
	    "known: %s.",
	    xs_units_ns(known_ns).s, later_part(result));
}

/* The program's part of the start-up below 1 / PROGRAM_PART of the run is not
 * told. */
#define PROGRAM_PART 100

/* ", CUDA's own 220 ms, the program's 820 ms" */
static const char *start_parts(struct xs_result *result)
{
	const int64_t cuda_ns = result->totals.init_ns;
	const int64_t rest_ns = result->verdict.startup_ns - cuda_ns;
	const bool at_most = result->totals.init_at_most;
	const char *rest = "";

	if (rest_ns > xs_result_untraced_wall_ns(result) / PROGRAM_PART)
		rest = xs_print(&result->arena, ", the program's %s%s",
				at_most ? "at least " : "",
				xs_units_ns(rest_ns).s);
	return xs_print(&result->arena, ", CUDA's own %s%s%s",
			at_most ? "at most " : "", xs_units_ns(cuda_ns).s,
			rest);
}

const char *xs_verdict_spans(struct xs_result *result)
{
	const struct xs_result_verdict *in = &result->verdict;
	const int64_t wall_ns = xs_result_untraced_wall_ns(result);
	struct xs_arena *arena = &result->arena;
	const char *own = "";

	if (!in->repeats && is_counted(result))
		return xs_print(arena,
				"No recorded round repeats, and most "
				"calls were only counted: %s.",
				later_part(result));
	if (!in->repeats)
		return "No round repeats, so what a longer run would spend is "
		       "not known: record one with two rounds or more.";
	if (result->totals.init_ns > 0)
		own = start_parts(result);
	return xs_print(arena, "Steady part: %s (%s of %s); %s: %s%s%s.%s",
			xs_units_ns(in->steady_ns).s,
			xs_units_percent(in->steady_ns, wall_ns).s,
			xs_result_run_name(result),
			result->run.ignored_ns ? "before it" : "start-up",
			xs_units_ns(in->startup_ns).s, own,
			after_steady(result), only_counted(result));
}

const char *xs_verdict_turns(struct xs_result *result)
{
	const struct xs_result_verdict *in = &result->verdict;
	const int64_t ns = in->turns_save_ns;

	if (!in->gpus_in_turn)
		return "";
	return xs_print(
	    &result->arena,
	    "The %" PRId64
	    " GPUs work in turn: one thread waits for one before "
	    "it issues to the next. Issue to all of them before waiting, or "
	    "use "
	    "a thread for each: that saves up to %s (%s of %s), if none needs "
	    "what another one computes. ",
	    in->gpus_in_turn, xs_units_ns(ns).s,
	    xs_units_percent(ns, in->steady_ns).s,
	    xs_result_steady_name(result));
}
