/* SPDX-License-Identifier: MIT */
#include "report/render/html/meta.h"

#include "report/render/json/values.h"
#include "report/result/best.h"
#include "report/result/site.h"

#include <string.h>

static json_t *site(struct xs_arena *arena, const struct xs_result_site *in)
{
	json_t *out = json_object();
	bool failed = !out;

	xs_json_set(out, "label", xs_json_text(xs_result_site_label(arena, in)),
		    &failed);
	SET_TEXT(in, call);
	SET_TEXT(in, function);
	SET_TEXT(in, file);
	SET_NUMBER(in, line);
	SET_TEXT(in, text);
	return xs_json_finish(out, failed);
}

static json_t *sites(struct xs_arena *arena,
		     const struct xs_result_timeline *in)
{
	json_t *out = json_array();
	bool failed = !out;

	for (size_t i = 0; i < in->site_count && !failed; i++)
		failed =
		    json_array_append_new(out, site(arena, &in->sites[i])) < 0;
	return xs_json_finish(out, failed);
}

static json_t *lane(const struct xs_result_lane *in)
{
	static const char *const kinds[XS_LANE_KINDS] = {
	    "range", "call", "wait", "allocation", "copy", "kernel"};
	json_t *out = json_object();
	bool failed = !out;

	xs_json_set(out, "kind", json_string(kinds[in->kind]), &failed);
	SET_TEXT(in, name);
	xs_json_set(out, "count", json_integer((json_int_t)in->count), &failed);
	return xs_json_finish(out, failed);
}
ARRAY_OF(lane, struct xs_result_lane)

static json_t *view(const struct xs_result *result,
		    const struct xs_result_view *in)
{
	json_t *out = json_object();
	bool failed = !out;

	xs_json_set(out, "phase",
		    in->phase ? json_integer(in->phase - result->phases)
			      : json_null(),
		    &failed);
	xs_json_set(out, "estimate",
		    in->estimate
			? json_integer(in->estimate - in->phase->estimates)
			: json_null(),
		    &failed);
	SET_NUMBER(in, rounds);
	xs_json_set(out, "lanes", lanes(in->lanes, in->lane_count), &failed);
	return xs_json_finish(out, failed);
}

static json_t *views(const struct xs_result *result,
		     const struct xs_result_timeline *in)
{
	json_t *out = json_array();
	bool failed = !out;

	for (size_t i = 0; i < in->view_count && !failed; i++)
		failed =
		    json_array_append_new(out, view(result, &in->views[i])) < 0;
	return xs_json_finish(out, failed);
}

static json_t *shown(const struct xs_result *result,
		     const struct xs_result_phase *phase)
{
	json_t *out = json_array();
	bool failed = !out;

	for (size_t i = 0; i < phase->estimate_count && !failed; i++) {
		const struct xs_result_estimate *row = &phase->estimates[i];

		if (xs_result_is_listed(result, phase, row))
			failed = json_array_append_new(
				     out, json_integer((json_int_t)i)) < 0;
	}
	return xs_json_finish(out, failed);
}

static json_t *all_shown(const struct xs_result *result)
{
	json_t *out = json_array();
	bool failed = !out;

	for (size_t i = 0; i < result->phase_count && !failed; i++)
		failed = json_array_append_new(
			     out, shown(result, &result->phases[i])) < 0;
	return xs_json_finish(out, failed);
}

json_t *xs_html_meta(struct xs_result *result,
		     const struct xs_result_timeline *timeline)
{
	json_t *out = json_object();
	bool failed = !out;

	xs_json_set(out, "names",
		    xs_json_texts(timeline->names, timeline->name_count),
		    &failed);
	xs_json_set(out, "sites", sites(&result->arena, timeline), &failed);
	xs_json_set(out, "views", views(result, timeline), &failed);
	xs_json_set(out, "shown", all_shown(result), &failed);
	return xs_json_finish(out, failed);
}
