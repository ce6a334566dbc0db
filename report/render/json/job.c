/* SPDX-License-Identifier: MIT */
/* The JSON report on a job. */
#include "report/render/json/json.h"

#include "report/render/json/fields.h"
#include "report/render/json/values.h"

#define IN struct xs_job_spread
static const struct xs_json_field spread[] = {FIELDS(least, median, most), {0}};

#undef IN
#define IN struct xs_job_part
static const struct xs_json_field part[] = {FIELDS(what, ns, median_ns, traces),
					    {0}};

#undef IN
#define IN struct xs_job_step
static const struct xs_json_field step[] = {
    FIELDS(strategy, places, traces),
    NAMED_OBJECT("saves_ns", saves, spread),
    FIELDS(sum_ns, low_ns, high_ns, job_ns, at_least, effort, condition),
    FIELDS(assumes, at_most, text, code),
    NAMED("question", is_question),
    {0}};

#undef IN
#define IN struct xs_job_process
static const struct xs_json_field slow[] = {
    FIELDS(name, host, kind), NAMED("wall_ns", by_ns), FIELD(why), {0}};
static const struct xs_json_field busy[] = {
    FIELDS(name, host, kind), NAMED("busy_ns", by_ns), FIELD(why), {0}};

#undef IN
#define IN struct xs_job_group
static const struct xs_json_field group[] = {
    FIELDS(name, traces, mean_ns, slowest_ns, h2d_bytes, h2d_ns, d2h_bytes),
    FIELDS(d2h_ns, kernel_ns),
    {0}};

#undef IN
#define IN struct xs_job_phase
static const struct xs_json_field phase[] = {
    FIELDS(kernel, places, traces, rounds, total_ns),
    NAMED_OBJECT("round_ns", round, spread),
    {0}};

#undef IN
#define IN struct xs_job_bar
static const struct xs_json_field bar[] = {FIELDS(from_ns, to_ns, traces), {0}};

#undef IN
#define IN struct xs_job_problem
static const struct xs_json_field problem[] = {
    FIELDS(what, traces, names, text), {0}};

#undef IN
#define IN struct xs_job
static const struct xs_json_field job[] = {
    FIELDS(program, traces, ranks),
    NAMED("ranks_seen", seen),
    FIELDS(missing, machines),
    NAMED_OBJECT("wall_ns", wall, spread),
    FIELDS(after_ns, low_ns, high_ns, saves_ns, saves_most_ns),
    FIELDS(at_most_saves_ns, recorded_ns, verdict, no_step, question),
    FIELD(question_code),
    NAMED_ROWS("bounds", parts, part_count, part),
    NAMED_ROWS("plan", steps, step_count, step),
    ROWS(slowest, slowest_count, slow),
    ROWS(busiest, busiest_count, busy),
    FIELD(busy_mean_ns),
    NAMED_ROWS("histogram", bars, bar_count, bar),
    ROWS(kinds, kind_count, group),
    ROWS(hosts, host_count, group),
    ROWS(phases, phase_count, phase),
    ROWS(problems, problem_count, problem),
    {0}};

#undef IN
#define IN struct xs_job_diff_time
static const struct xs_json_field diff_time[] = {
    FIELDS(name, part, before_ns, after_ns), {0}};

#undef IN
#define IN struct xs_job_diff_step
static const struct xs_json_field diff_step[] = {
    FIELDS(strategy, places, before_ns, after_ns, before_traces),
    FIELDS(after_traces, before_at_most, after_at_most),
    {0}};

#undef IN
#define IN struct xs_job_diff
static const struct xs_json_field job_diff[] = {
    FIELD(verdict),
    TEXTS(warnings, warning_count),
    ROWS(times, time_count, diff_time),
    NAMED_ROWS("plan", steps, step_count, diff_step),
    POINTER(before, job),
    POINTER(after, job),
    {0}};

/* Writes {schema: 1, name: object}. */
static int write_document(const char *name, const void *in,
			  const struct xs_json_field *fields, FILE *out)
{
	return xs_json_write(json_pack("{s:i, s:o}", "schema", 1, name,
				       xs_json_object(in, fields)),
			     out);
}

int xs_render_json_job(struct xs_job *in, bool all,
		       const struct xs_display *display, FILE *out)
{
	(void)all;
	(void)display;
	return write_document("job", in, job, out);
}

int xs_render_json_job_diff(struct xs_job_diff *in,
			    const struct xs_display *display, FILE *out)
{
	(void)display;
	return write_document("job_diff", in, job_diff, out);
}
