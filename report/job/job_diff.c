/* SPDX-License-Identifier: MIT */
#include "report/job/job_diff.h"

#include "report/job/job_parts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void add_time(struct xs_job_diff *diff, const char *name, int64_t before,
		     int64_t after, bool part)
{
	diff->times[diff->time_count++] =
	    (struct xs_job_diff_time){name, before, after, part};
}

/* The part of a job of that kind; NULL: it has none. */
static const struct xs_job_part *find_part(const struct xs_job *job,
					   const char *what)
{
	for (size_t i = 0; i < job->part_count; i++)
		if (strcmp(job->parts[i].what, what) == 0)
			return &job->parts[i];
	return NULL;
}

static void add_part(struct xs_job_diff *diff, const struct xs_job_part *part)
{
	const struct xs_job_part *before = find_part(diff->before, part->what);
	const struct xs_job_part *after = find_part(diff->after, part->what);

	add_time(diff, part->words,
		 xs_job_mean(before ? before->ns : 0, diff->before->traces),
		 xs_job_mean(after ? after->ns : 0, diff->after->traces), true);
}

static void fill_times(struct xs_job_diff *diff)
{
	const struct xs_job *before = diff->before, *after = diff->after;

	XS_ARENA_NEW(&diff->arena, diff->times,
		     4 + before->part_count + after->part_count);
	add_time(diff, "slowest process", before->wall.most, after->wall.most,
		 false);
	add_time(diff, "median process", before->wall.median,
		 after->wall.median, false);
	add_time(diff, "steady part, mean",
		 xs_job_mean(before->recorded_ns, before->traces),
		 xs_job_mean(after->recorded_ns, after->traces), false);
	for (size_t i = 0; i < before->part_count; i++)
		add_part(diff, &before->parts[i]);
	for (size_t i = 0; i < after->part_count; i++)
		if (!find_part(before, after->parts[i].what))
			add_part(diff, &after->parts[i]);
	add_time(diff, "outside of it, mean",
		 xs_job_mean(before->outside_ns, before->traces),
		 xs_job_mean(after->outside_ns, after->traces), false);
}

/* The same change in a plan: at the same lines. */
static const struct xs_job_step *find_step(const struct xs_job *job,
					   const struct xs_job_step *step)
{
	for (size_t i = 0; i < job->step_count; i++)
		if (strcmp(job->steps[i].strategy, step->strategy) == 0 &&
		    strcmp(job->steps[i].places, step->places) == 0)
			return &job->steps[i];
	return NULL;
}

static void add_step(struct xs_job_diff *diff, const struct xs_job_step *step)
{
	const struct xs_job_step *before = find_step(diff->before, step);
	const struct xs_job_step *after = find_step(diff->after, step);

	diff->steps[diff->step_count++] = (struct xs_job_diff_step){
	    .strategy = step->strategy,
	    .places = step->places,
	    .before_ns = before ? before->job_ns : XS_UNKNOWN,
	    .after_ns = after ? after->job_ns : XS_UNKNOWN,
	    .before_traces = before ? before->traces : 0,
	    .after_traces = after ? after->traces : 0,
	    .before_at_most = before && before->at_most,
	    .after_at_most = after && after->at_most};
}

static void fill_steps(struct xs_job_diff *diff)
{
	const struct xs_job *before = diff->before, *after = diff->after;

	XS_ARENA_NEW(&diff->arena, diff->steps,
		     before->step_count + after->step_count + 1);
	for (size_t i = 0; i < before->step_count; i++)
		add_step(diff, &before->steps[i]);
	for (size_t i = 0; i < after->step_count; i++)
		if (!find_step(before, &after->steps[i]))
			add_step(diff, &after->steps[i]);
}

static void warn(struct xs_job_diff *diff, const char *text)
{
	diff->warnings[diff->warning_count++] = text;
}

static void warn_of(struct xs_job_diff *diff, const char *side,
		    const struct xs_job *job)
{
	if (job->missing)
		warn(diff,
		     xs_print(&diff->arena, "%s: %s", side, job->missing_text));
	for (size_t i = 0; i < job->problem_count; i++)
		warn(diff, xs_print(&diff->arena, "%s: %s", side,
				    job->problems[i].text));
}

/* Why figures are not of all processes of the job, each once; NULL: they
 * are. */
static const char *partial(struct xs_job_diff *diff, const char *side,
			   const struct xs_job *job)
{
	for (size_t i = 0; i < job->problem_count; i++)
		if (job->problems[i].partial)
			return xs_print(&diff->arena, "%s: %s", side,
					job->problems[i].text);
	return NULL;
}

/* Why figures are not of the same processes; NULL: they are. */
static const char *lost(const struct xs_job_diff *diff)
{
	const struct xs_job *before = diff->before, *after = diff->after;

	return before->traces != after->traces
		   ? "the jobs have figures of different numbers of processes"
	       : strcmp(before->missing ? before->missing : "",
			after->missing ? after->missing : "") != 0
		   ? "the jobs have figures of different ranks"
		   : NULL;
}

/* Warns of processes that are before and after, as by a wrong name: a gate of
 * them could never fail. */
static void check_sides(struct xs_job_diff *diff)
{
	int64_t shared = 0;
	const char *id;
	json_t *count;

	json_object_foreach(diff->before->trace_ids, id, count)
		if (json_object_get(diff->after->trace_ids, id))
			shared++;
	if (!shared)
		return;
	diff->shared = xs_print(&diff->arena,
				"%" PRId64 " process%s of before and of after",
				shared, shared == 1 ? " is" : "es are");
	warn(diff, diff->shared);
}

static void fill_warnings(struct xs_job_diff *diff)
{
	const struct xs_job *before = diff->before, *after = diff->after;
	struct xs_arena *arena = &diff->arena;

	XS_ARENA_NEW(arena, diff->warnings,
		     6 + before->problem_count + after->problem_count);
	if (before->program && after->program &&
	    strcmp(before->program, after->program) != 0)
		warn(diff, xs_print(arena,
				    "these are different programs: %s "
				    "and %s",
				    before->program, after->program));
	if (before->program && after->program &&
	    strcmp(before->models, after->models) != 0)
		warn(diff, "the jobs ran on different GPUs");
	if (before->ranks != after->ranks)
		warn(diff, "the jobs have different numbers of ranks");
	diff->different = diff->warning_count ? *diff->warnings : NULL;
	if (before->traces != after->traces)
		warn(diff, xs_print(arena,
				    "the jobs have figures of %" PRId64
				    " and %" PRId64 " processes",
				    before->traces, after->traces));
	warn_of(diff, "before", before);
	warn_of(diff, "after", after);
	check_sides(diff);
}

/* "10.0 s -> 8.00 s, 20.0 % faster" */
static const char *change(struct xs_arena *arena, int64_t before, int64_t after)
{
	const char *times = xs_print(arena, "%s -> %s", xs_units_ns(before).s,
				     xs_units_ns(after).s);
	const double percent =
	    100.0 * (double)(before - after) / (double)before;

	if (before <= 0 || after <= 0)
		return times;
	return fabs(percent) < 0.05
		   ? xs_print(arena, "%s, unchanged", times)
		   : xs_print(arena, "%s, %.1f %% %s", times, fabs(percent),
			      percent < 0 ? "slower" : "faster");
}

/* What was predicted, if no change is left in the plan. */
static const char *predicted(struct xs_job_diff *diff)
{
	const struct xs_job *before = diff->before;

	if (strcmp(before->program, diff->after->program) != 0)
		return "";
	for (size_t i = 0; i < before->step_count; i++)
		if (find_step(diff->after, &before->steps[i]))
			return "";
	return before->step_count
		   ? xs_print(
			 &diff->arena,
			 " No change of the plan before is in that "
			 "after; with all of them %s (%s) was "
			 "predicted.",
			 xs_units_ns(before->after_ns).s,
			 xs_units_range_ns(before->low_ns, before->high_ns).s)
		   : "";
}

void xs_job_diff_build(struct xs_job *before, struct xs_job *after,
		       struct xs_job_diff *diff)
{
	struct xs_arena *arena = &diff->arena;

	*diff = (struct xs_job_diff){.before = before, .after = after};
	fill_times(diff);
	fill_steps(diff);
	fill_warnings(diff);
	diff->verdict =
	    before->program && after->program
		? xs_print(
		      arena,
		      "The slowest process takes %s; the median one "
		      "%s.%s",
		      change(arena, before->wall.most, after->wall.most),
		      change(arena, before->wall.median, after->wall.median),
		      predicted(diff))
		: "No verdict: a job has no trace with what one needs.";
}

/* Whether it is exceeded or kept; too noisy: diff->why says why. */
static enum xs_gate compare(struct xs_job_diff *diff, double factor)
{
	const struct xs_job_spread *before = &diff->before->wall;
	const struct xs_job_spread *after = &diff->after->wall;
	const bool slowest =
	    (double)after->most > factor * (double)before->most;
	const bool median =
	    (double)after->median > factor * (double)before->median;

	if (slowest == median)
		return slowest ? XS_GATE_EXCEEDED : XS_GATE_KEPT;
	diff->why = "the slowest and the median process disagree";
	return XS_GATE_NOISY;
}

/* Why the run times are none of all processes, each a whole run; NULL: they
 * are. */
static const char *unknown(struct xs_job_diff *diff)
{
	const bool is_after = diff->after->cut;
	const struct xs_job *job = is_after ? diff->after : diff->before;
	const char *why;

	if (diff->before->wall.median <= 0 || diff->after->wall.median <= 0)
		return "the run times are unknown";
	if (diff->shared)
		return diff->shared;
	if (job->cut)
		return xs_print(&diff->arena, "%s: in %" PRId64 " trace%s %s",
				is_after ? "after" : "before", job->incomplete,
				job->incomplete == 1 ? "" : "s", job->cut);
	why = partial(diff, "after", diff->after);
	return why ? why : partial(diff, "before", diff->before);
}

enum xs_gate xs_job_diff_gate(struct xs_job_diff *diff, double limit_percent,
			      bool allow_different)
{
	const char *why = unknown(diff);
	const char *apart = diff->different ? diff->different : lost(diff);
	enum xs_gate answer =
	    why ? XS_GATE_UNKNOWN : compare(diff, 1 + limit_percent / 100);

	if (answer != XS_GATE_EXCEEDED && !allow_different && !why && apart) {
		why = apart;
		answer = diff->different ? XS_GATE_DIFFERENT : XS_GATE_UNKNOWN;
	}
	diff->why = why ? why : diff->why;
	diff->verdict =
	    diff->why ? xs_print(&diff->arena,
				 "%s The limit of %g %% (--fail-above) may be "
				 "kept or not (%s).",
				 diff->verdict, limit_percent, diff->why)
		      : xs_print(&diff->arena, "%s %s%s%s", diff->verdict,
				 xs_gate_text(answer, limit_percent, false).s,
				 apart ? " But " : "", apart ? apart : "");
	return answer;
}
