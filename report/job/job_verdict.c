/* SPDX-License-Identifier: MIT */
/* What bounds a job, in words. */
#include "report/job/job_parts.h"

#include <inttypes.h>

/* Parts below 1 / NAMED_PART are not named, unless they are the longest. */
#define NAMED_PART 20

/* "copies (71 %), kernels (12 %)" */
static const char *shares(struct xs_job *job)
{
	const char *list = NULL;

	for (size_t i = 0; i < job->part_count; i++) {
		const struct xs_job_part *part = &job->parts[i];

		if (i && part->ns < job->recorded_ns / NAMED_PART)
			break;
		list = xs_arena_join(
		    &job->arena, list,
		    xs_print(&job->arena, "%s (%s)", part->words,
			     xs_units_percent(part->ns, job->recorded_ns).s));
	}
	return list;
}

/* "up to " if a step of the plan may save less */
static const char *up_to(const struct xs_job *job)
{
	for (size_t i = 0; i < job->step_count; i++)
		if (job->steps[i].at_most)
			return "up to ";
	return "";
}

/* What the job gains by the plan. */
static const char *gain(struct xs_job *job)
{
	struct xs_arena *arena = &job->arena;
	const char *text;

	if (!job->step_count)
		return "No process has a change in its plan.";
	text = xs_print(
	    arena,
	    "The slowest process takes %s, with all changes of the plan %s "
	    "(%s): the job gains %s%s (%s).",
	    xs_units_ns(job->wall.most).s, xs_units_ns(job->after_ns).s,
	    xs_units_range_ns(job->low_ns, job->high_ns).s, up_to(job),
	    xs_units_ns(job->saves_ns).s,
	    xs_units_percent(job->saves_ns, job->wall.most).s);
	if (job->saves_most_ns <= job->saves_ns + job->saves_ns / NAMED_PART)
		return text;
	return xs_print(arena,
			"%s Where the others wait for the process that "
			"gains most, it is up to %s.",
			text, xs_units_ns(job->saves_most_ns).s);
}

const char *xs_job_verdict(struct xs_job *job)
{
	const char *list = shares(job);

	if (!job->program)
		return "No verdict: no trace could be used; the lines marked ! "
		       "say why, and xferspy report of one tells what to do.";
	if (!list || job->recorded_ns <= 0)
		return gain(job);
	return xs_print(&job->arena,
			"Time goes to %s of the steady part%s of %s.\n%s", list,
			job->traces == 1 ? "" : "s",
			job->traces == 1
			    ? "one process"
			    : xs_print(&job->arena, "all %" PRId64 " processes",
				       job->traces),
			gain(job));
}
