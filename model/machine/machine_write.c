/* SPDX-License-Identifier: MIT */
#include "model/machine/machine_json.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>

/* Largest range in which a double represents every integer. */
#define WHOLE_MAX 9007199254740992.0

/* Bytes and whole ns are written as integers, rates as they are. Unknown
 * numbers become null: NAN, and 0 where 0 means unknown. */
static json_t *number_or_null(double value)
{
	if (!isfinite(value))
		return json_null();
	if (value == floor(value) && fabs(value) <= WHOLE_MAX)
		return json_integer((json_int_t)value);
	return json_real(value);
}

static json_t *param_json(const struct xs_param *param)
{
	if (!isfinite(param->value))
		return json_null();
	return json_pack(
	    "{s:o, s:o, s:o}", "value", number_or_null(param->value), "low",
	    number_or_null(param->low), "high", number_or_null(param->high));
}

static json_t *point_json(const struct xs_curve *curve, size_t i)
{
	json_t *point =
	    json_pack("{s:o, s:o}", "bytes", number_or_null(curve->bytes[i]),
		      "ns", number_or_null(curve->ns[i]));

	if (curve->high_ns[i] > 0) {
		json_object_set_new(point, "low_ns",
				    number_or_null(curve->low_ns[i]));
		json_object_set_new(point, "high_ns",
				    number_or_null(curve->high_ns[i]));
	}
	return point;
}

static json_t *curve_json(const struct xs_curve *curve)
{
	json_t *list = json_array();

	for (size_t i = 0; i < curve->count; i++)
		json_array_append_new(list, point_json(curve, i));
	return list;
}

static json_t *check_json(const struct xs_check *check)
{
	if (!check->cases)
		return json_null();
	return json_pack("{s:f, s:f, s:f, s:i}", "value", check->value, "low",
			 check->low, "high", check->high, "cases",
			 check->cases);
}

static json_t *checks_json(const struct xs_machine *machine)
{
	json_t *checks = json_object();

#define XS_WRITE_CHECK(family)                                                 \
	json_object_set_new(checks, #family,                                   \
			    check_json(&machine->self_check.family));
	XS_MACHINE_FAMILIES(XS_WRITE_CHECK)
#undef XS_WRITE_CHECK
	return checks;
}

json_t *xs_machine_json(const struct xs_machine *machine)
{
	json_t *root = json_object(), *params = json_object();

	json_object_set_new(root, "schema", json_integer(XS_PROFILE_SCHEMA));
#define XS_WRITE_TEXT(member)                                                  \
	json_object_set_new(root, #member, json_string(machine->member));
#define XS_WRITE_INT(member)                                                   \
	json_object_set_new(root, #member,                                     \
			    machine->member ? json_integer(machine->member)    \
					    : json_null());
#define XS_WRITE_REAL(member)                                                  \
	json_object_set_new(root, #member,                                     \
			    machine->member > 0                                \
				? number_or_null(machine->member)              \
				: json_null());
#define XS_WRITE_PARAM(member, unit, what)                                     \
	json_object_set_new(params, #member, param_json(&machine->member));
	XS_MACHINE_TEXTS(XS_WRITE_TEXT)
	XS_MACHINE_INTS(XS_WRITE_INT)
	json_object_set_new(root, "implicit_sync",
			    machine->implicit_sync < 0
				? json_null()
				: json_boolean(machine->implicit_sync));
	XS_MACHINE_REALS(XS_WRITE_REAL)
	XS_MACHINE_PARAMS(XS_WRITE_PARAM)
#undef XS_WRITE_TEXT
#undef XS_WRITE_INT
#undef XS_WRITE_REAL
#undef XS_WRITE_PARAM
	json_object_set_new(root, "parameters", params);
	json_object_set_new(root, "pageable_h2d",
			    curve_json(&machine->pageable_h2d));
	json_object_set_new(root, "pageable_d2h",
			    curve_json(&machine->pageable_d2h));
	json_object_set_new(root, "self_check", checks_json(machine));
	return root;
}

int xs_machine_write(const struct xs_machine *machine, FILE *out)
{
	json_t *root = xs_machine_json(machine);
	int rc = 0;

	if (json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) ||
	    fputc('\n', out) == EOF)
		rc = -EIO;
	json_decref(root);
	return rc;
}
