/* SPDX-License-Identifier: MIT */
#include "report/render/json/json.h"

#include "model/machine/machine_json.h"
#include "report/render/json/parts.h"

#define IN struct xs_formulas_bounds
static const struct xs_json_field bounds[] = {
    FIELDS(data_intensity, operational_intensity),
    NAMED("zero_overlap_flops", zero_overlap),
    NAMED("full_overlap_flops", full_overlap),
    NAMED("mapped_flops", mapped),
    {0}};

#undef IN
#define IN struct xs_klenk_term
static const struct xs_json_field term[] = {
    FIELDS(name, what, ns, low_ns, high_ns), {0}};

static json_t *terms(const void *in)
{
	const struct xs_control_estimate *row = in;

	return xs_json_rows(row->terms, row->term_count, sizeof(*row->terms),
			    term);
}

static json_t *direction(const void *to_host)
{
	return json_string(*(const bool *)to_host ? "d2h" : "h2d");
}

#undef IN
#define IN struct xs_control_estimate
static const struct xs_json_field control[] = {
    NAMED("control", name),
    FIELD(model),
    MADE_OF("direction", to_host, direction),
    FIELDS(polled, blocks),
    NAMED("time_ns", ns),
    FIELDS(low_ns, high_ns, rate_blocks),
    NAMED("messages_per_s", rate),
    MADE("terms", terms),
    FIELD(unknown),
    {0}};

int xs_render_json_model(const struct xs_formulas_result *model,
			 const struct xs_display *display, FILE *out)
{
	(void)display;
	return xs_json_write(
	    json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "schema", 1,
		      "machine", xs_machine_json(&model->machine), "kernel_ns",
		      xs_json_number(model->kernel_ns), "estimates",
		      xs_json_rows(model->estimates, model->estimate_count,
				   sizeof(*model->estimates), xs_json_estimate),
		      "bounds",
		      model->has_bounds ? xs_json_object(&model->bounds, bounds)
					: json_null(),
		      "control",
		      xs_json_rows(model->control, model->control_count,
				   sizeof(*model->control), control),
		      "answers",
		      xs_json_texts(model->answers, model->answer_count)),
	    out);
}
