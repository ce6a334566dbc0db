/* SPDX-License-Identifier: MIT */
#include "report/render/json/json.h"

#include "report/diff/gate.h"
#include "report/diff/totals.h"
#include "report/render/json/values.h"

#include <errno.h>
#include <math.h>

static json_t *side(const struct xs_diff_side *runs,
		    const struct xs_result *median,
		    const struct xs_run_spread *wall)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:I, s:o, s:o}", "path",
			 xs_json_text(median->run.path), "app",
			 xs_json_text(median->run.app), "started_utc",
			 xs_json_text(median->run.started_utc), "wall_ns",
			 xs_json_number(wall->median), "runs",
			 (json_int_t)runs->count, "wall_low_ns",
			 xs_json_number(wall->low), "wall_high_ns",
			 xs_json_number(wall->high));
}

static json_t *total(const struct xs_diff_total *in)
{
	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:b}", "name", in->name,
			 "unit", xs_total_unit(in->unit), "before",
			 xs_json_number(in->before.median), "after",
			 xs_json_number(in->after.median), "change",
			 xs_json_number(in->change), "beyond_spread",
			 in->apart);
}

static json_t *prediction(const struct xs_diff_phase *in)
{
	json_t *out;

	if (!in->predicted)
		return json_null();
	out = xs_json_estimate(in->predicted);
	if (out && (json_object_set_new(
			out, "measured_ns",
			xs_json_number(xs_result_untraced_ns(in->after))) < 0 ||
		    json_object_set_new(out, "error_percent",
					xs_json_ratio(in->error_percent)) < 0 ||
		    json_object_set_new(out, "within",
					json_boolean(in->within)) < 0)) {
		json_decref(out);
		return NULL;
	}
	return out;
}

/* One side of a phase. */
static json_t *phase_side(const struct xs_result_phase *in)
{
	if (!in)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "id",
			 xs_json_number(in->id), "signature",
			 xs_json_text(in->signature), "rounds",
			 xs_json_number(in->rounds), "round_ns",
			 xs_json_number(in->round_ns), "total_ns",
			 xs_json_number(in->total_ns), "streams",
			 xs_json_number(in->streams));
}

static json_t *phase(const struct xs_diff_phase *in)
{
	json_t *changed = json_array();

	for (size_t i = 0; i < in->changed_count; i++)
		if (json_array_append_new(changed,
					  xs_json_text(in->changed[i])) < 0) {
			json_decref(changed);
			return NULL;
		}
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "before",
			 phase_side(in->before), "after", phase_side(in->after),
			 "match", xs_json_text(in->match), "change_ns",
			 xs_json_number(in->change_ns), "changed", changed,
			 "prediction", prediction(in), "unpredicted",
			 xs_json_text(in->unpredicted));
}

static json_t *gate(const struct xs_diff *diff, double percent)
{
	enum xs_gate answer;

	if (isnan(percent))
		return json_null();
	answer = xs_diff_gate(diff, percent);
	return json_pack("{s:o, s:o, s:o, s:s}", "fail_above_percent",
			 xs_json_ratio(percent), "answer",
			 xs_json_text(xs_gate_name(answer)), "passed",
			 answer == XS_GATE_NOISY || answer == XS_GATE_UNKNOWN
			     ? json_null()
			     : json_boolean(answer == XS_GATE_KEPT),
			 "text", xs_gate_text(answer, percent).s);
}

int xs_render_json_diff(const struct xs_diff *diff, double gate_percent,
			FILE *out)
{
	json_t *totals = json_array(), *phases = json_array();
	bool failed = !totals || !phases;

	for (size_t i = 0; !failed && i < diff->total_count; i++)
		failed =
		    json_array_append_new(totals, total(&diff->totals[i])) < 0;
	for (size_t i = 0; !failed && i < diff->phase_count; i++)
		failed =
		    json_array_append_new(phases, phase(&diff->phases[i])) < 0;
	if (failed) {
		json_decref(totals);
		json_decref(phases);
		return -ENOMEM;
	}
	return xs_json_write(
	    json_pack(
		"{s:i, s:o, s:o, s:b, s:o, s:o, s:o, s:b, s:o, s:o, s:o}",
		"schema", 1, "before",
		side(&diff->before_side, diff->before, &diff->wall.before),
		"after",
		side(&diff->after_side, diff->after, &diff->wall.after),
		"different", diff->different != NULL, "warnings",
		xs_json_texts(diff->warnings, diff->warning_count), "change_ns",
		xs_json_number(diff->change_ns), "change_percent",
		xs_json_ratio(diff->change_percent), "beyond_spread",
		diff->wall.apart, "totals", totals, "phases", phases, "gate",
		gate(diff, gate_percent)),
	    out);
}
