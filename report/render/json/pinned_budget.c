/* SPDX-License-Identifier: MIT */
#include "report/render/json/values.h"

static json_t *place(const struct xs_result_pinned_place *in)
{
	json_t *out = json_object();
	bool failed = !out || !in->site;

	if (failed)
		return xs_json_finish(out, failed);
	xs_json_set_place(out, in->site, &failed);
	SET_TEXT(in, step);
	SET_NUMBER(in, phase);
	SET_NUMBER(in, buffers);
	SET_NUMBER(in, bytes);
	SET_NUMBER(in, taken);
	SET_NUMBER(in, taken_bytes);
	SET_NUMBER(in, saves_ns);
	return xs_json_finish(out, failed);
}
ARRAY_OF(place, struct xs_result_pinned_place)

json_t *xs_json_pinned_budget(const struct xs_result_pinned_budget *in)
{
	json_t *out;
	bool failed;

	if (!in)
		return json_null();
	out = json_object();
	failed = !out;
	SET_NUMBER(in, budget_bytes);
	SET_NUMBER(in, used_bytes);
	SET_NUMBER(in, saves_ns);
	xs_json_set(out, "places", places(in->places, in->count), &failed);
	return xs_json_finish(out, failed);
}
