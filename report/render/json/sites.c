/* SPDX-License-Identifier: MIT */
/* Call sites as JSON. */
#include "report/render/json/values.h"

static json_t *caller(const struct xs_result_caller *in)
{
	json_t *out = json_object();
	bool failed = !out;

	SET_TEXT(in, function);
	SET_TEXT(in, file);
	SET_NUMBER(in, line);
	SET_NUMBER(in, calls);
	return xs_json_finish(out, failed);
}
ARRAY_OF(caller, struct xs_result_caller)

void xs_json_set_place(json_t *out, const struct xs_result_site *site,
		       bool *failed)
{
	xs_json_set(out, "function", xs_json_text(site->function), failed);
	xs_json_set(out, "file", xs_json_text(site->file), failed);
	xs_json_set(out, "line", xs_json_number(site->line), failed);
	xs_json_set(out, "call", xs_json_text(site->call), failed);
}

void xs_json_set_callers(json_t *out, const struct xs_result_site *site,
			 bool *failed)
{
	if (site->caller_count)
		xs_json_set(out, "callers",
			    callers(site->callers, site->caller_count), failed);
}

static json_t *site(const struct xs_result_site *in)
{
	json_t *out = json_object();
	bool failed = !out;

	SET_TEXT(in, function);
	SET_TEXT(in, file);
	SET_NUMBER(in, line);
	SET_TEXT(in, text);
	SET_TEXT(in, call);
	SET_TEXT(in, module);
	SET_NUMBER(in, offset);
	SET_TEXT(in, step);
	SET_NUMBER(in, calls);
	SET_NUMBER(in, bytes);
	xs_json_set_callers(out, in, &failed);
	return xs_json_finish(out, failed);
}
ARRAY_OF(site, struct xs_result_site)

json_t *xs_json_sites(const struct xs_result_site *items, size_t count)
{
	return sites(items, count);
}

json_t *xs_json_site_list(const struct xs_result_site *const *items,
			  size_t count)
{
	json_t *out = json_array();

	for (size_t i = 0; i < count; i++)
		if (json_array_append_new(out, site(items[i])) < 0)
			return xs_json_finish(out, true);
	return out;
}
