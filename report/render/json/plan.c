/* SPDX-License-Identifier: MIT */
/* The verdict and the plan as JSON. */
#include "report/render/json/parts.h"

#include "report/result/best.h"

/* The parts with their shares of all that was recorded. */
static json_t *bounds(const void *in)
{
	const struct xs_result_verdict *verdict = in;
	json_t *out = json_array();

	for (size_t i = 0; i < verdict->part_count; i++) {
		const struct xs_result_part *part = &verdict->parts[i];
		const double share =
		    (double)part->ns / (double)verdict->recorded_ns;

		json_array_append_new(
		    out, json_pack("{s:o, s:o, s:o}", "what",
				   xs_json_text(part->what), "ns",
				   xs_json_number(part->ns), "share_percent",
				   xs_json_ratio(100 * share)));
	}
	return out;
}

#define IN struct xs_result_pinning
static const struct xs_json_field pinning[] = {
    FIELDS(ns, bytes, calls, places, registering_ns, registering_low_ns),
    FIELDS(registering_high_ns, touching_ns, step, saves_ns, saves_low_ns),
    FIELDS(saves_high_ns, title, saving, advice, condition),
    NAMED("question", is_question),
    FIELD(code),
    {0}};

static json_t *known(const void *in)
{
	const struct xs_result_verdict *verdict = in;

	return json_boolean(!verdict->missing);
}

#undef IN
#define IN struct xs_result_verdict
const struct xs_json_field xs_json_verdict[] = {
    MADE("known", known),
    FIELDS(repeats, startup_ns, steady_ns, tracer_ns, recorded_ns, gpu_ns),
    MADE("bounds", bounds),
    FIELDS(at_most_saves_ns, at_most_steady_ns, order_saves_ns),
    FIELDS(run_low_ns, run_high_ns),
    FIELD(host_place),
    OBJECT(pinning, pinning),
    FIELD(text),
    {0}};

static json_t *adds_steady(const void *in)
{
	const struct xs_result_step *step = in;

	return xs_json_number(step->phase->apart ? XS_UNKNOWN
						 : step->adds_steady_ns);
}

static json_t *as_step(const void *in)
{
	const struct xs_result_step *step = in;

	return xs_json_number(step->same ? step->same->step : XS_UNKNOWN);
}

static json_t *between(const void *in)
{
	const struct xs_result_step *step = in;

	return xs_json_number(xs_result_used_between_ns(step->phase));
}

static json_t *sites(const void *in)
{
	const struct xs_result_step *step = in;
	json_t *out = json_array();

	for (size_t i = 0; i < step->site_count; i++)
		json_array_append_new(
		    out, xs_json_object(step->sites[i], xs_json_site));
	return out;
}

#undef IN
#define IN struct xs_result_phase
static const struct xs_json_field of_phase[] = {NAMED("phase", id), {0}};
static const struct xs_json_field apart[] = {FIELD(apart), {0}};

#undef IN
#define IN struct xs_result_more
static const struct xs_json_field more[] = {
    MEMBERS(phase, of_phase), FIELD(adds_saves_ns), {0}};

#undef IN
#define IN struct xs_result_estimate
static const struct xs_json_field changes[] = {
    FIELDS(strategy, n_streams, order), {0}};
static const struct xs_json_field effort[] = {FIELDS(effort, effort_level),
					      {0}};
static const struct xs_json_field assumed[] = {TEXTS(assumes, assume_count),
					       {0}};

#undef IN
#define IN struct xs_result_step
const struct xs_json_field xs_json_step[] = {
    FIELD(step),
    MEMBERS(phase, of_phase),
    ROWS(more_phases, more_count, more),
    MEMBERS(estimate, changes),
    MEMBERS(phase, apart),
    FIELDS(adds_saves_ns, saves_low_ns, saves_high_ns),
    MADE("adds_steady_ns", adds_steady),
    FIELDS(side_by_side, pays_rounds, round_before_ns),
    FIELDS(round_ns, round_low_ns, round_high_ns),
    MADE("between_ns", between),
    FIELD(app_wall_ns),
    FIELDS(low_ns, high_ns, may_be_slower),
    NAMED("question", is_question),
    MEMBERS(estimate, effort),
    FIELDS(condition, if_not_ns),
    MEMBERS(estimate, assumed),
    MADE("as_step", as_step),
    FIELDS(text, code),
    MADE("sites", sites),
    {0}};
