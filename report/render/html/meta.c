/* SPDX-License-Identifier: MIT */
#include "report/render/html/meta.h"

#include "report/render/json/fields.h"
#include "report/render/json/values.h"
#include "report/result/best.h"
#include "report/result/shown_row.h"
#include "report/result/shown_text.h"
#include "report/result/site.h"
#include "report/result/step_text.h"
#include "report/result/table_rows.h"

#undef IN
#define IN struct xs_result_site
static const struct xs_json_field site_fields[] = {
    FIELDS(call, function, file, line, text), {0}};

static json_t *site(struct xs_arena *arena, const struct xs_result_site *in)
{
	json_t *out = json_object();

	json_object_set_new(out, "label",
			    xs_json_text(xs_result_site_label(arena, in)));
	xs_json_add(out, in, site_fields);
	return out;
}

static json_t *sites(struct xs_arena *arena,
		     const struct xs_result_timeline *in)
{
	json_t *out = json_array();

	for (size_t i = 0; i < in->site_count; i++)
		json_array_append_new(out, site(arena, &in->sites[i]));
	return out;
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

	json_object_set_new(out, "phase",
			    in->phase ? json_integer(in->phase - result->phases)
				      : json_null());
	json_object_set_new(
	    out, "estimate",
	    in->estimate ? json_integer(in->estimate - in->phase->estimates)
			 : json_null());
	xs_json_add(out, in, view_fields);
	return out;
}

static json_t *views(const struct xs_result *result,
		     const struct xs_result_timeline *in)
{
	json_t *out = json_array();

	for (size_t i = 0; i < in->view_count; i++)
		json_array_append_new(out, view(result, &in->views[i]));
	return out;
}

#undef IN
#define IN struct xs_result_estimate
static const struct xs_json_field row_fields[] = {
    FIELDS(round_ns, low_ns, high_ns, speedup, saves_ns, saves_low_ns),
    FIELDS(saves_high_ns),
    {0}};

/* The rows as they are shown, and which of them are listed. */
static json_t *rows(const struct xs_result *result,
		    const struct xs_result_phase *phase)
{
	json_t *out = json_array();

	for (size_t i = 0; i < phase->estimate_count; i++) {
		const struct xs_result_estimate *row = &phase->estimates[i],
						shown = xs_result_shown_row(
						    result, phase, row);
		json_t *item = xs_json_object(&shown, row_fields);

		json_object_set_new(
		    item, "listed",
		    json_boolean(xs_result_is_listed(result, phase, row)));
		json_array_append_new(out, item);
	}
	return out;
}

static json_t *phases(struct xs_result *result)
{
	json_t *out = json_array();
	const struct xs_result_phase *before = NULL;

	for (size_t i = 0; i < result->phase_count; i++) {
		const struct xs_result_phase *phase = &result->phases[i];

		json_array_append_new(
		    out,
		    json_pack("{s:I, s:I, s:I, s:o, s:o}", "used_between_ns",
			      (json_int_t)xs_result_used_between_ns(phase),
			      "in_run_ns",
			      (json_int_t)xs_result_in_run_ns(result, phase),
			      "kernels_ns",
			      (json_int_t)xs_result_kernels_ns(phase), "text",
			      xs_json_text(
				  xs_result_phase_text(result, phase, &before)),
			      "rows", rows(result, phase)));
	}
	return out;
}

/* The steps as they are shown. */
static json_t *steps(struct xs_result *result)
{
	struct xs_arena *arena = &result->arena;
	json_t *out = json_array();

	for (size_t i = 0; i < result->plan_count; i++) {
		const struct xs_result_step *step = &result->plan[i];

		json_array_append_new(
		    out,
		    json_pack(
			"{s:o, s:o, s:o}", "title",
			xs_json_text(xs_print(
			    arena, "%s%s", xs_result_step_before(result, step),
			    xs_result_step_round(result, step))),
			"saving",
			xs_json_text(xs_result_step_saving(result, step)),
			"conditions",
			xs_json_text(xs_result_step_conditions(result, step))));
	}
	return out;
}

/* What rows save more than the steps. */
static const char *beyond(struct xs_result *result)
{
	const char *list = NULL;

	XS_EACH(phase, result->phases, result->phase_count) {
		for (size_t k = 0; k < phase->estimate_count; k++)
			if (xs_result_row_is_shown(result, phase,
						   &phase->estimates[k]))
				xs_result_row_add_beyond(
				    result, result->plan_count,
				    result->plan_count, &list, phase,
				    &phase->estimates[k]);
	}
	return list;
}

json_t *xs_html_meta(struct xs_result *result,
		     const struct xs_result_timeline *timeline)
{
	json_t *out = json_object();

	json_object_set_new(
	    out, "names", xs_json_texts(timeline->names, timeline->name_count));
	json_object_set_new(out, "sites", sites(&result->arena, timeline));
	json_object_set_new(out, "views", views(result, timeline));
	json_object_set_new(out, "phases", phases(result));
	json_object_set_new(out, "steps", steps(result));
	json_object_set_new(out, "no_phases",
			    xs_json_text(xs_result_no_phases(result)));
	json_object_set_new(out, "no_overlap",
			    xs_json_text(xs_result_no_overlap(
				xs_result_steady_totals(result))));
	json_object_set_new(out, "beyond", xs_json_text(beyond(result)));
	json_object_set_new(out, "pinning_outside",
			    xs_json_text(xs_result_pinning_outside(result)));
	return out;
}
