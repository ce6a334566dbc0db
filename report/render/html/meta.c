/* SPDX-License-Identifier: MIT */
#include "report/render/html/meta.h"

#include "report/render/json/fields.h"
#include "report/render/json/values.h"
#include "report/result/best.h"
#include "report/result/site.h"

#include <string.h>

#undef IN
#define IN struct xs_result_site
static const struct xs_json_field site_fields[] = {
    FIELDS(call, function, file, line, text), {0}};

static json_t *site(struct xs_arena *arena, const struct xs_result_site *in)
{
	json_t *out = json_object();
	bool failed = !out;

	xs_json_set(out, "label", xs_json_text(xs_result_site_label(arena, in)),
		    &failed);
	xs_json_add(out, in, site_fields, &failed);
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

static json_t *kind(const void *of)
{
	static const char *const kinds[XS_LANE_KINDS] = {
	    "range", "call", "wait", "allocation", "copy", "kernel"};

	return json_string(kinds[*(const enum xs_result_lane_kind *)of]);
}

#undef IN
#define IN struct xs_result_lane
static const struct xs_json_field lane[] = {
    MADE_OF("kind", kind, kind), FIELDS(name, count), {0}};

#undef IN
#define IN struct xs_result_view
static const struct xs_json_field view_fields[] = {
    FIELD(rounds), ROWS(lanes, lane_count, lane), {0}};

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
	xs_json_add(out, in, view_fields, &failed);
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
			failed =
			    json_array_append_new(
				out,
				json_pack(
				    "{s:I, s:o, s:o}", "index", (json_int_t)i,
				    "low", xs_json_number(row->saves_low_ns),
				    "high",
				    xs_json_number(row->saves_high_ns))) < 0;
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
