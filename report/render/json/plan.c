/* SPDX-License-Identifier: MIT */
/* The verdict and the plan as JSON. */
#include "report/render/json/values.h"

/* A part with its share of all that was recorded. */
static json_t *part(const struct xs_result_part *in, int64_t all_ns)
{
	json_t *out = json_object();
	bool failed = !out;

	SET_TEXT(in, what);
	SET_NUMBER(in, ns);
	xs_json_set(out, "share_percent",
		    xs_json_ratio(100.0 * (double)in->ns / (double)all_ns),
		    &failed);
	return xs_json_finish(out, failed);
}

static json_t *bounds(const struct xs_result_verdict *in)
{
	json_t *out = json_array();

	for (size_t i = 0; i < in->part_count; i++)
		if (json_array_append_new(
			out, part(&in->parts[i], in->recorded_ns)) < 0)
			return xs_json_finish(out, true);
	return out;
}

static json_t *pinning(const struct xs_result_pinning *in)
{
	json_t *out = json_object();
	bool failed = !out;

	SET_NUMBER(in, ns);
	SET_NUMBER(in, bytes);
	SET_TEXT(in, calls);
	SET_TEXT(in, places);
	SET_NUMBER(in, registering_ns);
	SET_NUMBER(in, registering_low_ns);
	SET_NUMBER(in, registering_high_ns);
	SET_NUMBER(in, touching_ns);
	SET_NUMBER(in, step);
	SET_NUMBER(in, saves_ns);
	SET_NUMBER(in, saves_low_ns);
	SET_NUMBER(in, saves_high_ns);
	SET_TEXT(in, title);
	SET_TEXT(in, saving);
	SET_TEXT(in, advice);
	SET_TEXT(in, condition);
	SET_TEXT(in, code);
	return xs_json_finish(out, failed);
}

json_t *xs_json_verdict(const struct xs_result_verdict *in)
{
	json_t *out = json_object();
	bool failed = !out;

	xs_json_set(out, "known", json_boolean(!in->missing), &failed);
	xs_json_set(out, "repeats", json_boolean(in->repeats), &failed);
	SET_NUMBER(in, startup_ns);
	SET_NUMBER(in, steady_ns);
	SET_NUMBER(in, tracer_ns);
	SET_NUMBER(in, recorded_ns);
	SET_NUMBER(in, gpu_ns);
	xs_json_set(out, "bounds", bounds(in), &failed);
	SET_NUMBER(in, at_most_saves_ns);
	SET_NUMBER(in, at_most_steady_ns);
	SET_NUMBER(in, run_low_ns);
	SET_NUMBER(in, run_high_ns);
	SET_TEXT(in, host_place);
	xs_json_set(out, "pinning", pinning(&in->pinning), &failed);
	SET_TEXT(in, text);
	return xs_json_finish(out, failed);
}

static json_t *step(const struct xs_result_step *in)
{
	json_t *out = json_object();
	bool failed = !out;

	SET_NUMBER(in, step);
	xs_json_set(out, "phase", xs_json_number(in->phase->id), &failed);
	SET_TEXT(in->estimate, strategy);
	SET_NUMBER(in->estimate, n_streams);
	SET_TEXT(in->estimate, order);
	xs_json_set(out, "apart", json_boolean(in->phase->apart), &failed);
	SET_NUMBER(in, adds_saves_ns);
	SET_NUMBER(in, saves_low_ns);
	SET_NUMBER(in, saves_high_ns);
	xs_json_set(
	    out, "adds_steady_ns",
	    xs_json_number(in->phase->apart ? XS_UNKNOWN : in->adds_steady_ns),
	    &failed);
	SET_NUMBER(in, side_by_side);
	SET_NUMBER(in, pays_rounds);
	SET_NUMBER(in, round_before_ns);
	SET_NUMBER(in, round_ns);
	SET_NUMBER(in, app_wall_ns);
	SET_NUMBER(in, low_ns);
	SET_NUMBER(in, high_ns);
	xs_json_set(out, "may_be_slower", json_boolean(in->may_be_slower),
		    &failed);
	SET_TEXT(in->estimate, effort);
	SET_NUMBER(in->estimate, effort_level);
	SET_TEXT(in, condition);
	xs_json_set(
	    out, "assumes",
	    xs_json_texts(in->estimate->assumes, in->estimate->assume_count),
	    &failed);
	xs_json_set(out, "as_step",
		    xs_json_number(in->same ? in->same->step : XS_UNKNOWN),
		    &failed);
	SET_TEXT(in, text);
	SET_TEXT(in, code);
	xs_json_set(out, "sites", xs_json_site_list(in->sites, in->site_count),
		    &failed);
	return xs_json_finish(out, failed);
}
ARRAY_OF(step, struct xs_result_step)

json_t *xs_json_plan(const struct xs_result *result)
{
	return steps(result->plan, result->plan_count);
}
