/* SPDX-License-Identifier: MIT */
#include "report/render/json/json.h"

#include "report/render/json/values.h"

static json_t *spread(const struct xs_run_spread *in)
{
	return json_pack(
	    "{s:o, s:o, s:o, s:o, s:o}", "median", xs_json_number(in->median),
	    "low", xs_json_number(in->low), "high", xs_json_number(in->high),
	    "least", xs_json_number(in->least), "most",
	    xs_json_number(in->most));
}

/* Of bytes and numbers too. */
static json_t *totals(const struct xs_result_runs *in)
{
	json_t *out = json_array();
	bool failed = !out;

	for (size_t i = 0; !failed && i < in->total_count; i++)
		failed = json_array_append_new(
			     out, json_pack("{s:s, s:s, s:o}", "name",
					    in->totals[i].name, "unit",
					    in->totals[i].unit, "value",
					    spread(&in->totals[i].spread))) < 0;
	return xs_json_finish(out, failed);
}

static json_t *phases(const struct xs_result_runs *in)
{
	json_t *out = json_array();
	bool failed = !out;

	for (size_t i = 0; !failed && i < in->phase_count; i++)
		failed =
		    json_array_append_new(
			out,
			json_pack("{s:o, s:I, s:o}", "id",
				  xs_json_number(in->phases[i].id), "runs",
				  (json_int_t)in->phases[i].runs, "round_ns",
				  spread(&in->phases[i].round_ns))) < 0;
	return xs_json_finish(out, failed);
}

json_t *xs_json_runs(const struct xs_result_runs *in)
{
	if (!in)
		return json_null();
	return json_pack("{s:I, s:I, s:o, s:o, s:o, s:o}", "count",
			 (json_int_t)in->count, "reported",
			 (json_int_t)in->middle, "paths",
			 xs_json_texts(in->paths, in->count), "warnings",
			 xs_json_texts(in->warnings, in->warning_count),
			 "totals", totals(in), "phases", phases(in));
}
