/* SPDX-License-Identifier: MIT */
/* The JSON report on a job. */
#include "report/render/json/json.h"

#include "report/render/json/values.h"

/* A member of an object, and where it is in a struct. */
struct field {
	const char *name;
	size_t offset;
	enum kind { END, NUMBER, TEXT, FLAG, SPREAD } kind;
};

#define FIELD(kind, type, name)                                                \
	{                                                                      \
#name, offsetof(struct type, name), kind                       \
	}

static const struct field spread[] = {FIELD(NUMBER, xs_job_spread, least),
				      FIELD(NUMBER, xs_job_spread, median),
				      FIELD(NUMBER, xs_job_spread, most),
				      {0}};

static const struct field part[] = {FIELD(TEXT, xs_job_part, what),
				    FIELD(NUMBER, xs_job_part, ns),
				    FIELD(NUMBER, xs_job_part, median_ns),
				    FIELD(NUMBER, xs_job_part, traces),
				    {0}};

static const struct field step[] = {
    FIELD(TEXT, xs_job_step, strategy),
    FIELD(TEXT, xs_job_step, places),
    FIELD(NUMBER, xs_job_step, traces),
    {"saves_ns", offsetof(struct xs_job_step, saves), SPREAD},
    FIELD(NUMBER, xs_job_step, sum_ns),
    FIELD(NUMBER, xs_job_step, low_ns),
    FIELD(NUMBER, xs_job_step, high_ns),
    FIELD(NUMBER, xs_job_step, job_ns),
    FIELD(FLAG, xs_job_step, at_least),
    FIELD(TEXT, xs_job_step, effort),
    FIELD(TEXT, xs_job_step, condition),
    FIELD(TEXT, xs_job_step, text),
    FIELD(TEXT, xs_job_step, code),
    {0}};

static const struct field process[] = {
    FIELD(TEXT, xs_job_process, name), FIELD(TEXT, xs_job_process, host),
    FIELD(TEXT, xs_job_process, kind), FIELD(NUMBER, xs_job_process, wall_ns),
    FIELD(TEXT, xs_job_process, why),  {0}};

static const struct field group[] = {FIELD(TEXT, xs_job_group, name),
				     FIELD(NUMBER, xs_job_group, traces),
				     FIELD(NUMBER, xs_job_group, mean_ns),
				     FIELD(NUMBER, xs_job_group, slowest_ns),
				     FIELD(NUMBER, xs_job_group, h2d_bytes),
				     FIELD(NUMBER, xs_job_group, h2d_ns),
				     FIELD(NUMBER, xs_job_group, d2h_bytes),
				     FIELD(NUMBER, xs_job_group, d2h_ns),
				     FIELD(NUMBER, xs_job_group, kernel_ns),
				     {0}};

static const struct field phase[] = {
    FIELD(TEXT, xs_job_phase, kernel),
    FIELD(TEXT, xs_job_phase, places),
    FIELD(NUMBER, xs_job_phase, traces),
    FIELD(NUMBER, xs_job_phase, rounds),
    FIELD(NUMBER, xs_job_phase, total_ns),
    {"round_ns", offsetof(struct xs_job_phase, round), SPREAD},
    {0}};

static const struct field bar[] = {FIELD(NUMBER, xs_job_bar, from_ns),
				   FIELD(NUMBER, xs_job_bar, to_ns),
				   FIELD(NUMBER, xs_job_bar, traces),
				   {0}};

static const struct field problem[] = {FIELD(TEXT, xs_job_problem, what),
				       FIELD(NUMBER, xs_job_problem, traces),
				       FIELD(TEXT, xs_job_problem, names),
				       FIELD(TEXT, xs_job_problem, text),
				       {0}};

static const struct field job[] = {
    FIELD(TEXT, xs_job, program),
    FIELD(NUMBER, xs_job, traces),
    FIELD(NUMBER, xs_job, ranks),
    {"ranks_seen", offsetof(struct xs_job, seen), NUMBER},
    FIELD(TEXT, xs_job, missing),
    {"wall_ns", offsetof(struct xs_job, wall), SPREAD},
    FIELD(NUMBER, xs_job, after_ns),
    FIELD(NUMBER, xs_job, low_ns),
    FIELD(NUMBER, xs_job, high_ns),
    FIELD(NUMBER, xs_job, saves_ns),
    FIELD(NUMBER, xs_job, saves_most_ns),
    FIELD(NUMBER, xs_job, at_most_saves_ns),
    FIELD(NUMBER, xs_job, recorded_ns),
    FIELD(TEXT, xs_job, verdict),
    FIELD(TEXT, xs_job, no_step),
    FIELD(TEXT, xs_job, question),
    FIELD(TEXT, xs_job, question_code),
    {0}};

static const struct field diff_time[] = {
    FIELD(TEXT, xs_job_diff_time, name),
    FIELD(FLAG, xs_job_diff_time, part),
    FIELD(NUMBER, xs_job_diff_time, before_ns),
    FIELD(NUMBER, xs_job_diff_time, after_ns),
    {0}};

static const struct field diff_step[] = {
    FIELD(TEXT, xs_job_diff_step, strategy),
    FIELD(TEXT, xs_job_diff_step, places),
    FIELD(NUMBER, xs_job_diff_step, before_ns),
    FIELD(NUMBER, xs_job_diff_step, after_ns),
    FIELD(NUMBER, xs_job_diff_step, before_traces),
    FIELD(NUMBER, xs_job_diff_step, after_traces),
    {0}};

static json_t *object(const void *in, const struct field *fields);

static json_t *value(const char *at, enum kind kind)
{
	switch (kind) {
	case NUMBER:
		return xs_json_number(*(const int64_t *)(const void *)at);
	case TEXT:
		return xs_json_text(*(const char *const *)(const void *)at);
	case FLAG:
		return json_boolean(*(const bool *)at);
	default:
		return object(at, spread);
	}
}

static json_t *object(const void *in, const struct field *fields)
{
	json_t *out = json_object();
	bool failed = !out;

	for (; fields->kind != END; fields++)
		xs_json_set(
		    out, fields->name,
		    value((const char *)in + fields->offset, fields->kind),
		    &failed);
	return xs_json_finish(out, failed);
}

/* Sets out[name] to an array of items of a size. */
static void set_rows(json_t *out, const char *name, const void *items,
		     size_t count, size_t size, const struct field *fields,
		     bool *failed)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < count; i++)
		if (json_array_append_new(
			rows, object((const char *)items + i * size, fields)))
			*failed = true;
	xs_json_set(out, name, rows, failed);
}

/* Sets out[name]; needs the variables out, in and failed. */
#define SET_ROWS(name, items, count, fields)                                   \
	set_rows(out, name, in->items, in->count, sizeof(*in->items), fields,  \
		 &failed)

static json_t *job_of(const struct xs_job *in)
{
	json_t *out = object(in, job);
	bool failed = !out;

	SET_ROWS("bounds", parts, part_count, part);
	SET_ROWS("plan", steps, step_count, step);
	SET_ROWS("slowest", slowest, slowest_count, process);
	SET_ROWS("histogram", bars, bar_count, bar);
	SET_ROWS("kinds", kinds, kind_count, group);
	SET_ROWS("hosts", hosts, host_count, group);
	SET_ROWS("phases", phases, phase_count, phase);
	SET_ROWS("problems", problems, problem_count, problem);
	return xs_json_finish(out, failed);
}

/* Writes {schema: 1, name: value}. */
static int write_document(const char *name, json_t *value, FILE *out)
{
	json_t *root = json_object();
	bool failed = !root;

	xs_json_set(root, "schema", json_integer(1), &failed);
	xs_json_set(root, name, value, &failed);
	return xs_json_write(xs_json_finish(root, failed), out);
}

int xs_render_json_job(const struct xs_job *in, FILE *out)
{
	return write_document("job", job_of(in), out);
}

int xs_render_json_job_diff(const struct xs_job_diff *in, FILE *file)
{
	json_t *out = json_object();
	bool failed = !out;

	SET_TEXT(in, verdict);
	xs_json_set(out, "warnings",
		    xs_json_texts(in->warnings, in->warning_count), &failed);
	SET_ROWS("times", times, time_count, diff_time);
	SET_ROWS("plan", steps, step_count, diff_step);
	xs_json_set(out, "before", job_of(in->before), &failed);
	xs_json_set(out, "after", job_of(in->after), &failed);
	return write_document("job_diff", xs_json_finish(out, failed), file);
}
