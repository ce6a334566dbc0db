/* SPDX-License-Identifier: MIT */
/* The JSON report on a job. */
#include "report/render/json/json.h"

#include "report/render/json/values.h"

static json_t *spread(const struct xs_job_spread *in)
{
	json_t *out = json_object();
	bool failed = !out;

	SET_NUMBER(in, least);
	SET_NUMBER(in, median);
	SET_NUMBER(in, most);
	return xs_json_finish(out, failed);
}

static json_t *part(const struct xs_job_part *in)
{
	json_t *out = json_object();
	bool failed = !out;

	SET_TEXT(in, what);
	SET_NUMBER(in, ns);
	SET_NUMBER(in, median_ns);
	SET_NUMBER(in, traces);
	return xs_json_finish(out, failed);
}
ARRAY_OF(part, struct xs_job_part)

static json_t *step(const struct xs_job_step *in)
{
	json_t *out = json_object();
	bool failed = !out;

	SET_TEXT(in, strategy);
	SET_TEXT(in, places);
	SET_NUMBER(in, traces);
	xs_json_set(out, "saves_ns", spread(&in->saves), &failed);
	SET_NUMBER(in, sum_ns);
	SET_NUMBER(in, low_ns);
	SET_NUMBER(in, high_ns);
	SET_NUMBER(in, job_ns);
	xs_json_set(out, "at_least", json_boolean(in->at_least), &failed);
	SET_TEXT(in, effort);
	SET_TEXT(in, condition);
	SET_TEXT(in, text);
	SET_TEXT(in, code);
	return xs_json_finish(out, failed);
}
ARRAY_OF(step, struct xs_job_step)

static json_t *process(const struct xs_job_process *in)
{
	json_t *out = json_object();
	bool failed = !out;

	SET_TEXT(in, name);
	SET_TEXT(in, host);
	SET_TEXT(in, kind);
	SET_NUMBER(in, wall_ns);
	SET_TEXT(in, why);
	return xs_json_finish(out, failed);
}
ARRAY_OF(process, struct xs_job_process)

static json_t *group(const struct xs_job_group *in)
{
	json_t *out = json_object();
	bool failed = !out;

	SET_TEXT(in, name);
	SET_NUMBER(in, traces);
	SET_NUMBER(in, mean_ns);
	SET_NUMBER(in, slowest_ns);
	SET_NUMBER(in, h2d_bytes);
	SET_NUMBER(in, h2d_ns);
	SET_NUMBER(in, d2h_bytes);
	SET_NUMBER(in, d2h_ns);
	SET_NUMBER(in, kernel_ns);
	return xs_json_finish(out, failed);
}
ARRAY_OF(group, struct xs_job_group)

static json_t *phase(const struct xs_job_phase *in)
{
	json_t *out = json_object();
	bool failed = !out;

	SET_TEXT(in, kernel);
	SET_TEXT(in, places);
	SET_NUMBER(in, traces);
	SET_NUMBER(in, rounds);
	SET_NUMBER(in, total_ns);
	xs_json_set(out, "round_ns", spread(&in->round), &failed);
	return xs_json_finish(out, failed);
}
ARRAY_OF(phase, struct xs_job_phase)

static json_t *problem(const struct xs_job_problem *in)
{
	json_t *out = json_object();
	bool failed = !out;

	SET_TEXT(in, what);
	SET_NUMBER(in, traces);
	SET_TEXT(in, names);
	SET_TEXT(in, text);
	return xs_json_finish(out, failed);
}
ARRAY_OF(problem, struct xs_job_problem)

/* The times of the job, and its verdict. */
static void set_times(json_t *out, const struct xs_job *in, bool *fails)
{
	bool failed = *fails;

	xs_json_set(out, "wall_ns", spread(&in->wall), &failed);
	SET_NUMBER(in, after_ns);
	SET_NUMBER(in, low_ns);
	SET_NUMBER(in, high_ns);
	SET_NUMBER(in, saves_ns);
	SET_NUMBER(in, saves_most_ns);
	SET_NUMBER(in, at_most_saves_ns);
	SET_NUMBER(in, recorded_ns);
	SET_TEXT(in, verdict);
	*fails = failed;
}

static json_t *job(const struct xs_job *in)
{
	json_t *out = json_object();
	bool failed = !out;

	SET_TEXT(in, program);
	SET_NUMBER(in, traces);
	SET_NUMBER(in, ranks);
	xs_json_set(
	    out, "ranks_seen",
	    xs_json_number(in->ranks == XS_UNKNOWN ? XS_UNKNOWN : in->seen),
	    &failed);
	SET_TEXT(in, missing);
	set_times(out, in, &failed);
	xs_json_set(out, "bounds", parts(in->parts, in->part_count), &failed);
	xs_json_set(out, "plan", steps(in->steps, in->step_count), &failed);
	SET_TEXT(in, no_step);
	SET_TEXT(in, question);
	SET_TEXT(in, question_code);
	xs_json_set(out, "slowest", processs(in->slowest, in->slowest_count),
		    &failed);
	xs_json_set(out, "kinds", groups(in->kinds, in->kind_count), &failed);
	xs_json_set(out, "hosts", groups(in->hosts, in->host_count), &failed);
	xs_json_set(out, "phases", phases(in->phases, in->phase_count),
		    &failed);
	xs_json_set(out, "problems", problems(in->problems, in->problem_count),
		    &failed);
	return xs_json_finish(out, failed);
}

int xs_render_json_job(const struct xs_job *in, FILE *out)
{
	json_t *root = json_object();
	bool failed = !root;

	xs_json_set(root, "schema", json_integer(1), &failed);
	xs_json_set(root, "job", job(in), &failed);
	return xs_json_write(xs_json_finish(root, failed), out);
}
