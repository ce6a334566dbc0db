/* SPDX-License-Identifier: MIT */
#include "report/render/json/json.h"

#include "report/diff/gate.h"
#include "report/diff/totals.h"
#include "report/render/json/parts.h"

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

static json_t *unit(const void *of)
{
	return json_string(xs_total_unit(*(const enum xs_diff_unit *)of));
}

#define IN struct xs_diff_total
static const struct xs_json_field total[] = {FIELD(name),
					     MADE_OF("unit", unit, unit),
					     NAMED("before", before.median),
					     NAMED("after", after.median),
					     FIELD(change),
					     NAMED("beyond_spread", apart),
					     {0}};

#undef IN
#define IN struct xs_diff_phase
static const struct xs_json_field predicted[] = {
    MEMBERS(predicted, xs_json_estimate),
    FIELDS(measured_ns, error_percent, within),
    {0}};

static json_t *prediction(const void *in)
{
	const struct xs_diff_phase *phase = in;

	return phase->predicted ? xs_json_object(phase, predicted)
				: json_null();
}

/* One side of a phase. */
#undef IN
#define IN struct xs_result_phase
static const struct xs_json_field phase_side[] = {
    FIELDS(id, signature, rounds, round_ns, total_ns, streams), {0}};

#undef IN
#define IN struct xs_diff_phase
static const struct xs_json_field phase[] = {POINTER(before, phase_side),
					     POINTER(after, phase_side),
					     FIELDS(match, change_ns),
					     TEXTS(changed, changed_count),
					     MADE("prediction", prediction),
					     FIELD(unpredicted),
					     {0}};

static json_t *saving(const struct xs_diff_saving *in)
{
	return in->text
		   ? json_pack("{s:o, s:o, s:o, s:o, s:o, s:b, s:s}",
			       "saves_ns", xs_json_number(in->saves_ns),
			       "saves_low_ns", xs_json_number(in->low_ns),
			       "saves_high_ns", xs_json_number(in->high_ns),
			       "setup_ns", xs_json_number(in->setup_ns),
			       "measured_ns", xs_json_number(in->measured_ns),
			       "within", in->within, "text", in->text)
		   : json_null();
}

static json_t *gate(const struct xs_diff *diff, double percent)
{
	enum xs_gate answer;

	if (isnan(percent))
		return json_null();
	answer = xs_diff_gate(diff, percent);
	return json_pack(
	    "{s:o, s:o, s:o, s:s}", "fail_above_percent",
	    xs_json_ratio(percent), "answer",
	    xs_json_text(xs_gate_name(answer)), "passed",
	    answer == XS_GATE_NOISY || answer == XS_GATE_UNKNOWN
		? json_null()
		: json_boolean(answer == XS_GATE_KEPT),
	    "text", xs_gate_text(answer, percent, xs_gate_is_single(diff)).s);
}

int xs_render_json_diff(struct xs_diff *diff, double gate_percent,
			const struct xs_display *display, FILE *out)
{
	(void)display;
	return xs_json_write(
	    json_pack(
		"{s:i, s:o, s:o, s:b, s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:o}",
		"schema", 1, "before",
		side(&diff->before_side, diff->before, &diff->wall.before),
		"after",
		side(&diff->after_side, diff->after, &diff->wall.after),
		"different", diff->different != NULL, "warnings",
		xs_json_texts(diff->warnings, diff->warning_count), "change_ns",
		xs_json_number(diff->wall.change), "change_percent",
		xs_json_ratio(diff->change_percent), "beyond_spread",
		diff->wall.apart, "totals",
		xs_json_rows(diff->totals, diff->total_count,
			     sizeof(*diff->totals), total),
		"phases",
		xs_json_rows(diff->phases, diff->phase_count,
			     sizeof(*diff->phases), phase),
		"saving", saving(&diff->saving), "gate",
		gate(diff, gate_percent)),
	    out);
}
