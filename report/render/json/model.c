/* SPDX-License-Identifier: MIT */
#include "report/render/json/json.h"

#include "report/render/json/values.h"

static json_t *rows(const struct xs_result_estimate *estimates, size_t count)
{
	json_t *out = json_array();

	for (size_t i = 0; i < count; i++)
		if (json_array_append_new(
			out, xs_json_estimate(&estimates[i])) < 0) {
			json_decref(out);
			return NULL;
		}
	return out;
}

static json_t *bounds(const struct xs_formulas_result *model)
{
	const struct xs_formulas_bounds *b = &model->bounds;

	if (!model->has_bounds)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "data_intensity",
			 xs_json_ratio(b->data_intensity),
			 "operational_intensity",
			 xs_json_ratio(b->operational_intensity),
			 "zero_overlap_flops", xs_json_ratio(b->zero_overlap),
			 "full_overlap_flops", xs_json_ratio(b->full_overlap),
			 "mapped_flops", xs_json_ratio(b->mapped));
}

static json_t *compared(const struct xs_formulas_result *model)
{
	json_t *out = json_array();

	for (size_t i = 0; i < model->compared_count; i++) {
		const struct xs_formulas_comparison *in = &model->compared[i];
		json_t *there = json_pack(
		    "{s:o, s:o, s:o}", "machine", xs_json_text(in->name),
		    "kernel_ns", xs_json_number(in->kernel_ns), "estimates",
		    rows(in->estimates, in->estimate_count));

		if (json_array_append_new(out, there) < 0) {
			json_decref(out);
			return NULL;
		}
	}
	return out;
}

static json_t *answers(const struct xs_formulas_result *model)
{
	json_t *out = json_array();

	for (size_t i = 0; i < model->answer_count; i++)
		if (json_array_append_new(
			out, xs_json_text(model->answers[i])) < 0) {
			json_decref(out);
			return NULL;
		}
	return out;
}

static json_t *terms(const struct xs_control_estimate *row)
{
	json_t *out = json_array();

	for (size_t i = 0; i < row->term_count; i++) {
		const struct xs_klenk_term *term = &row->terms[i];

		if (json_array_append_new(
			out, json_pack("{s:s, s:s, s:o}", "name", term->name,
				       "what", term->what, "ns",
				       xs_json_ratio(term->ns))) < 0)
			return xs_json_finish(out, true);
	}
	return out;
}

static json_t *control(const struct xs_control_estimate *row)
{
	return json_pack(
	    "{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "control",
	    row->name, "model", row->model, "direction",
	    row->to_host ? "d2h" : "h2d", "polled", xs_json_text(row->polled),
	    "time_ns", xs_json_ratio(row->ns), "low_ns",
	    xs_json_ratio(row->low_ns), "high_ns", xs_json_ratio(row->high_ns),
	    "messages_per_s", xs_json_ratio(row->rate), "terms", terms(row),
	    "unknown", xs_json_text(row->unknown));
}

ARRAY_OF(control, struct xs_control_estimate)

int xs_render_json_model(const struct xs_formulas_result *model, FILE *out)
{
	return xs_json_write(
	    json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "schema", 1,
		      "machine", xs_json_machine(&model->machine), "kernel_ns",
		      xs_json_number(model->kernel_ns), "estimates",
		      rows(model->estimates, model->estimate_count), "bounds",
		      bounds(model), "compared", compared(model), "control",
		      controls(model->control, model->control_count), "answers",
		      answers(model)),
	    out);
}
