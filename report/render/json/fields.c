/* SPDX-License-Identifier: MIT */
#include "report/render/json/fields.h"

#include "report/render/json/values.h"

#include <string.h>

static const void *pointer_at(const char *at)
{
	const void *pointer;

	memcpy(&pointer, at, sizeof(pointer));
	return pointer;
}

static json_t *value(const char *in, const struct xs_json_field *field)
{
	const void *at = in + field->offset;
	const void *count_at = in + field->count_at;

	switch (field->kind) {
	case XS_JSON_NUMBER:
		return xs_json_number(*(const int64_t *)at);
	case XS_JSON_COUNT:
		return json_integer((json_int_t) * (const size_t *)at);
	case XS_JSON_TEXT:
		return xs_json_text(pointer_at(at));
	case XS_JSON_RATIO:
		return xs_json_ratio(*(const double *)at);
	case XS_JSON_FLAG:
		return json_boolean(*(const bool *)at);
	case XS_JSON_TEXTS:
		return xs_json_texts(pointer_at(at), *(const size_t *)count_at);
	case XS_JSON_OBJECT:
		return xs_json_object(at, field->fields);
	case XS_JSON_POINTER:
		return pointer_at(at)
			   ? xs_json_object(pointer_at(at), field->fields)
			   : json_null();
	case XS_JSON_ROWS:
	case XS_JSON_ROWS_IF_ANY:
		return xs_json_rows(pointer_at(at), *(const size_t *)count_at,
				    field->size, field->fields);
	default:
		return field->make(at);
	}
}

static bool is_empty(const char *in, const struct xs_json_field *field)
{
	const void *count_at = in + field->count_at;

	return field->kind == XS_JSON_ROWS_IF_ANY && !*(const size_t *)count_at;
}

void xs_json_add(json_t *out, const void *in, const struct xs_json_field *field)
{
	for (; in && field->kind != XS_JSON_END; field++)
		if (field->kind == XS_JSON_MEMBERS)
			xs_json_add(
			    out, pointer_at((const char *)in + field->offset),
			    field->fields);
		else if (!is_empty(in, field))
			json_object_set_new(out, field->key, value(in, field));
}

json_t *xs_json_object(const void *in, const struct xs_json_field *fields)
{
	json_t *out = json_object();

	xs_json_add(out, in, fields);
	return out;
}

json_t *xs_json_rows(const void *items, size_t count, size_t size,
		     const struct xs_json_field *fields)
{
	json_t *out = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(
		    out,
		    xs_json_object((const char *)items + i * size, fields));
	return out;
}
