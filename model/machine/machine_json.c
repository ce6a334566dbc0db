/* SPDX-License-Identifier: MIT */
#include "model/machine/machine_json.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

/* The input file, and where to store an error. */
struct reader {
	const char *path;
	char *error;
	size_t error_size;
};

static int bad(const struct reader *reader, const char *key, const char *why)
{
	snprintf(reader->error, reader->error_size,
		 "machine profile %s: \"%s\" %s; correct the file or write a "
		 "new one with `xferspy calibrate`",
		 reader->path, key, why);
	return -EINVAL;
}

static bool known(const json_t *value)
{
	return value && !json_is_null(value);
}

static int read_text(const struct reader *reader, const json_t *root,
		     const char *key, char *out, size_t size)
{
	const json_t *value = json_object_get(root, key);

	if (!known(value))
		return 0;
	if (!json_is_string(value))
		return bad(reader, key, "is not text");
	snprintf(out, size, "%s", json_string_value(value));
	return 0;
}

static int read_int(const struct reader *reader, const json_t *root,
		    const char *key, int *out)
{
	const json_t *value = json_object_get(root, key);
	json_int_t number;

	if (!known(value))
		return 0;
	number = json_integer_value(value);
	if (!json_is_integer(value) || number < 0 || number > INT32_MAX)
		return bad(reader, key, "is not a count");
	*out = (int)number;
	return 0;
}

/* Returns whether the value is a number from 0 to 1e17: as ns three years, and
 * sums of some are an int64_t. */
static bool is_measure(const json_t *value)
{
	return json_is_number(value) && json_number_value(value) >= 0 &&
	       json_number_value(value) <= 1e17;
}

static int read_real(const struct reader *reader, const json_t *root,
		     const char *key, double *out)
{
	const json_t *value = json_object_get(root, key);

	if (!known(value))
		return 0;
	if (!is_measure(value))
		return bad(reader, key, "is not a number from 0 to 1e17");
	*out = json_number_value(value);
	return 0;
}

/* Reads {"value", "low", "high"}, or a bare number for all three. */
static int read_param(const struct reader *reader, const json_t *params,
		      const char *key, struct xs_param *out)
{
	const json_t *entry = json_object_get(params, key);
	const json_t *value;
	double number = NAN;
	int rc;

	if (!known(entry))
		return 0;
	value = json_is_object(entry) ? json_object_get(entry, "value") : entry;
	if (!known(value))
		return 0;
	if (!is_measure(value))
		return bad(reader, key, "has no value from 0 to 1e17");
	number = json_number_value(value);
	*out = (struct xs_param){number, number, number};
	if (!json_is_object(entry))
		return 0;
	rc = read_real(reader, entry, "low", &out->low);
	if (!rc)
		rc = read_real(reader, entry, "high", &out->high);
	if (!rc && (out->low > number || out->high < number))
		rc = bad(reader, key, "has a value outside its low and high");
	return rc;
}

/* Reads the range of a point: both ends, around its ns, or none. */
static int read_point_range(const struct reader *reader, const char *key,
			    const json_t *point, size_t i, struct xs_curve *out)
{
	int rc = read_real(reader, point, "low_ns", &out->low_ns[i]);

	if (!rc)
		rc = read_real(reader, point, "high_ns", &out->high_ns[i]);
	if (rc || (!known(json_object_get(point, "low_ns")) &&
		   !known(json_object_get(point, "high_ns"))))
		return rc;
	if (out->low_ns[i] > out->ns[i] || out->high_ns[i] < out->ns[i])
		return bad(reader, key,
			   "has a point whose ns is outside its low_ns and "
			   "high_ns");
	return 0;
}

static int read_curve(const struct reader *reader, const json_t *root,
		      const char *key, struct xs_curve *out)
{
	const json_t *list = json_object_get(root, key);
	const json_t *point;
	size_t i;
	int rc;

	if (!known(list))
		return 0;
	if (!json_is_array(list) || json_array_size(list) > XS_CURVE_POINTS)
		return bad(reader, key, "is not a list of at most 32 points");
	json_array_foreach(list, i, point) {
		const json_t *bytes = json_object_get(point, "bytes");
		const json_t *ns = json_object_get(point, "ns");

		if (!is_measure(bytes) || !is_measure(ns))
			return bad(reader, key,
				   "has a point without bytes and ns");
		out->bytes[i] = json_number_value(bytes);
		out->ns[i] = json_number_value(ns);
		if (i && out->bytes[i] <= out->bytes[i - 1])
			return bad(reader, key, "is not in rising size");
		rc = read_point_range(reader, key, point, i, out);
		if (rc)
			return rc;
	}
	out->count = json_array_size(list);
	return 0;
}

/* Reads {"value", "low", "high", "cases"}. The values may be negative. */
static int read_check(const struct reader *reader, const json_t *checks,
		      const char *family, struct xs_check *out)
{
	const json_t *entry = json_object_get(checks, family);
	struct xs_check check;
	int cases = 0, rc;

	if (!known(entry))
		return 0;
	check.value = json_number_value(json_object_get(entry, "value"));
	check.low = json_number_value(json_object_get(entry, "low"));
	check.high = json_number_value(json_object_get(entry, "high"));
	rc = read_int(reader, entry, "cases", &cases);
	if (rc)
		return rc;
	if (!cases || !(check.low > -1 && check.low <= check.value &&
			check.value <= check.high))
		return bad(reader, family,
			   "is no check of cases, with a value between its low "
			   "and high, all above -1");
	check.cases = cases;
	*out = check;
	return 0;
}

static int read_checks(const struct reader *reader, const json_t *root,
		       struct xs_machine *machine)
{
	const json_t *checks = json_object_get(root, "self_check");
	int rc = 0;

	if (!known(checks))
		return 0;
	if (!json_is_object(checks))
		return bad(reader, "self_check", "is not a set of families");
#define XS_READ_CHECK(family)                                                  \
	if (!rc)                                                               \
		rc = read_check(reader, checks, #family,                       \
				&machine->self_check.family);
	XS_MACHINE_FAMILIES(XS_READ_CHECK)
#undef XS_READ_CHECK
	return rc;
}

static int read_schema(const struct reader *reader, const json_t *root)
{
	const json_t *schema = json_object_get(root, "schema");

	if (!json_is_integer(schema))
		return bad(reader, "schema",
			   "is missing: this is no machine profile");
	if (json_integer_value(schema) > XS_PROFILE_SCHEMA)
		return bad(reader, "schema",
			   "is newer than this xferspy understands");
	return 0;
}

static int read_members(const struct reader *reader, const json_t *root,
			struct xs_machine *machine)
{
	const json_t *sync = json_object_get(root, "implicit_sync");
	int rc = 0;

#define XS_READ_TEXT(member)                                                   \
	if (!rc)                                                               \
		rc = read_text(reader, root, #member, machine->member,         \
			       sizeof(machine->member));
#define XS_READ_INT(member)                                                    \
	if (!rc)                                                               \
		rc = read_int(reader, root, #member, &machine->member);
#define XS_READ_REAL(member)                                                   \
	if (!rc)                                                               \
		rc = read_real(reader, root, #member, &machine->member);
	XS_MACHINE_TEXTS(XS_READ_TEXT)
	XS_MACHINE_INTS(XS_READ_INT)
	XS_MACHINE_REALS(XS_READ_REAL)
#undef XS_READ_TEXT
#undef XS_READ_INT
#undef XS_READ_REAL
	if (rc || !known(sync))
		return rc;
	if (!json_is_boolean(sync))
		return bad(reader, "implicit_sync", "is not true or false");
	machine->implicit_sync = json_is_true(sync);
	return 0;
}

static int read_root(const struct reader *reader, const json_t *root,
		     struct xs_machine *machine)
{
	const json_t *params = json_object_get(root, "parameters");
	int rc = read_schema(reader, root);

	if (!rc)
		rc = read_members(reader, root, machine);
	if (!rc && known(params) && !json_is_object(params))
		rc = bad(reader, "parameters", "is not a set of parameters");
#define XS_READ_PARAM(member, unit, what)                                      \
	if (!rc)                                                               \
		rc = read_param(reader, params, #member, &machine->member);
	XS_MACHINE_PARAMS(XS_READ_PARAM)
#undef XS_READ_PARAM
	if (!rc)
		rc = read_curve(reader, root, "pageable_h2d",
				&machine->pageable_h2d);
	if (!rc)
		rc = read_curve(reader, root, "pageable_d2h",
				&machine->pageable_d2h);
	if (!rc)
		rc = read_checks(reader, root, machine);
	return rc;
}

int xs_machine_read_json(const char *path, struct xs_machine *machine,
			 char *error, size_t error_size)
{
	const struct reader reader = {path, error, error_size};
	json_error_t why;
	FILE *file = fopen(path, "re");
	json_t *root;
	int rc;

	if (!file) {
		rc = -errno;
		snprintf(error, error_size,
			 "machine profile %s: %s; name a readable file or a "
			 "shipped profile such as gtx-titan",
			 path, strerror(-rc));
		return rc;
	}
	root = json_loadf(file, 0, &why);
	fclose(file);
	if (!root) {
		snprintf(error, error_size,
			 "machine profile %s: line %d: %s; correct the file or "
			 "write a new one with `xferspy calibrate`",
			 path, why.line, why.text);
		return -EINVAL;
	}
	rc = read_root(&reader, root, machine);
	json_decref(root);
	if (!machine->name[0])
		snprintf(machine->name, sizeof(machine->name), "%s", path);
	return rc;
}
