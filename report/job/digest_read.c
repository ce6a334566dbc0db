/* SPDX-License-Identifier: MIT */
/* Reads a digest: anything that is not one is refused. */
#include "report/job/digest.h"

#include "analyzer/util/escape.h"
#include "report/job/sketch.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

/* How deep tables lie in tables. */
#define TABLES_MAX 4

#define START "{\"digest\":"

/* Whether a text is short, and a terminal may get it. */
static bool is_safe(const char *text)
{
	const size_t size = strlen(text);

	return size <= XS_DIGEST_TEXT &&
	       xs_escape_safe(text, size, "\n") == size;
}

static bool is_key(const char *key)
{
	return is_safe(key) && !strchr(key, '\n');
}

static bool is_text(const json_t *value)
{
	return json_is_string(value) && is_safe(json_string_value(value));
}

/* Results have no others. */
static bool is_number(const json_t *value)
{
	const json_int_t most = INT64_C(1) << 60;

	return json_is_integer(value) && json_integer_value(value) <= most &&
	       json_integer_value(value) >= -most;
}

static bool is_length(const json_t *value)
{
	return is_number(value) && json_integer_value(value) >= 0;
}

static bool is_sum(const json_t *value)
{
	return json_is_integer(value) && json_integer_value(value) >= 0;
}

/* Whether all members of an object are such values, and not too many. */
static bool all(const json_t *object, size_t room,
		bool (*is)(const json_t *value))
{
	const char *key;
	json_t *value;

	if (!json_is_object(object) || json_object_size(object) > room)
		return false;
	json_object_foreach((json_t *)object, key,
			    value) if (!is(value) || !is_key(key)) return false;
	return true;
}

static bool is_numbers(const json_t *value)
{
	return all(value, XS_DIGEST_NAMES, is_number);
}

static bool is_positive(const json_t *value)
{
	return is_sum(value) && json_integer_value(value) > 0;
}

/* Whether the keys are buckets of a histogram, or, of its exact values,
 * numbers. */
static bool are_keys(const char *name, const json_t *count)
{
	const bool exact = strncmp(name, "exact_", 6) == 0;
	const bool buckets = xs_digest_room(name) == XS_DIGEST_BUCKETS;
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)count, key, value)
	{
		if (exact ? strspn(key, "0123456789") != strlen(key)
			  : buckets && !xs_sketch_is_bucket(key))
			return false;
	}
	return true;
}

/* {name: {key: n}} */
static bool is_counts(const json_t *value)
{
	const char *name;
	json_t *count;

	json_object_foreach((json_t *)value, name, count)
	{
		if (!all(count, xs_digest_room(name), is_positive) ||
		    !are_keys(name, count))
			return false;
	}
	return true;
}

static bool is_object(const json_t *value)
{
	return json_is_object(value);
}

/* A figure of a row: a number, a text, or numbers by name. */
static bool is_figure(const json_t *value)
{
	return is_number(value) || is_text(value) || is_numbers(value);
}

static bool is_row(const json_t *value)
{
	return all(value, XS_DIGEST_NAMES, is_figure) &&
	       is_number(json_object_get(value, "by"));
}

static bool is_rows(const json_t *value)
{
	const json_t *row;
	size_t i;

	if (!json_is_array(value) || json_array_size(value) > XS_DIGEST_ROWS)
		return false;
	json_array_foreach((json_t *)value, i,
			   row) if (!is_row(row)) return false;
	return true;
}

static bool is_group(const json_t *value, int tables);

static bool is_tables(const json_t *value, int tables)
{
	const char *name, *key;
	json_t *table, *row;

	if (!all(value, XS_DIGEST_NAMES, is_object) || !tables)
		return false;
	json_object_foreach((json_t *)value, name, table)
	{
		if (json_object_size(table) > xs_digest_room(name))
			return false;
		json_object_foreach(table, key,
				    row) if (!is_group(row, tables - 1) ||
					     !is_key(key)) return false;
	}
	return true;
}

static bool is_member(const char *rule, const json_t *value)
{
	static const struct {
		const char *rule;
		bool (*is)(const json_t *value);
	} rules[] = {{"add", is_sum},	  {"beyond", is_sum},
		     {"most", is_length}, {"least", is_length},
		     {"text", is_text},	  {"count", is_object},
		     {"rows", is_rows}};

	if (strcmp(rule, "best") == 0)
		return is_row(value);
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (strcmp(rule, rules[i].rule) == 0)
			return all(value, XS_DIGEST_NAMES, rules[i].is) &&
			       (rules[i].is != is_object || is_counts(value));
	return false;
}

static bool is_group(const json_t *value, int tables)
{
	const char *rule;
	json_t *member;

	if (!json_is_object(value))
		return false;
	json_object_foreach(
	    (json_t *)value, rule,
	    member) if (strcmp(rule, "table") == 0
			    ? !is_tables(member, tables)
			    : !is_member(rule, member)) return false;
	return true;
}

bool xs_digest_is_named(const char *path)
{
	return fnmatch("?*.digest", path, 0) == 0 ||
	       fnmatch("?*.digest.gz", path, 0) == 0;
}

/* So that a digest is one whatever its name. */
static bool starts(const char *text, size_t size)
{
	return size >= strlen(START) && memcmp(text, START, strlen(START)) == 0;
}

/* A pipe can be read only once. */
bool xs_digest_is(const char *path)
{
	char text[sizeof(START) - 1];
	struct stat file;
	gzFile in;
	bool is;

	if (stat(path, &file) != 0 || !S_ISREG(file.st_mode))
		return false;
	if (xs_digest_is_named(path))
		return true;
	in = gzopen(path, "rb");
	is = in && gzread(in, text, sizeof(text)) == sizeof(text) &&
	     starts(text, sizeof(text));
	gzclose(in);
	return is;
}

/* Whether the document has the checksum of its group. */
static bool is_whole(const json_t *root)
{
	const char *found = json_string_value(json_object_get(root, "crc32"));
	uint32_t crc = 0;
	char *text = xs_digest_form(json_object_get(root, "group"), &crc);
	char wanted[9];

	free(text);
	snprintf(wanted, sizeof(wanted), "%08" PRIx32, crc);
	return text && found && strcmp(found, wanted) == 0;
}

/* Checks a document. Returns 0, or -errno with its *error. */
static int check(const json_t *root, const char **error)
{
	const json_t *version = json_object_get(root, "digest");
	const json_int_t number = json_integer_value(version);

	if (json_is_integer(version) && number != XS_DIGEST_VERSION) {
		*error = number > XS_DIGEST_VERSION
			     ? "made by a newer xferspy; merge with that one"
			     : "made by an earlier xferspy; make it again";
		return -EPROTONOSUPPORT;
	}
	if (json_is_integer(version) &&
	    is_group(json_object_get(root, "group"), TABLES_MAX) &&
	    is_whole(root))
		return 0;
	*error = "damaged, or no digest; xferspy digest TRACE makes one";
	return -EPROTO;
}

/* Merging into an empty digest gives it its one form. */
int xs_digest_parse(const char *text, size_t size, json_t **group,
		    const char **error)
{
	json_t *root =
	    starts(text, size)
		? json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL)
		: NULL;
	int err = check(root, error);

	*group = err ? NULL : xs_digest_new();
	if (!err && !*group)
		err = -ENOMEM;
	if (!err)
		err = xs_digest_merge(*group, json_object_get(root, "group"));
	if (err == -ENOMEM)
		*error = NULL;
	json_decref(root);
	if (err) {
		json_decref(*group);
		*group = NULL;
	}
	return err;
}

int xs_digest_read(const char *path, json_t **group, const char **error)
{
	gzFile in = strcmp(path, "-") == 0 ? gzdopen(STDIN_FILENO, "rb")
					   : gzopen(path, "rb");
	char *text = malloc(XS_DIGEST_BYTES);
	int size = in && text ? gzread(in, text, XS_DIGEST_BYTES) : -1;
	int err = 0, state = Z_OK;

	*error = NULL;
	*group = NULL;
	/* damage is no digest */
	if (in && size < 0)
		gzerror(in, &state);
	if (!in || !text || state == Z_ERRNO)
		err = errno ? -errno : -EIO;
	if (!err && size == XS_DIGEST_BYTES) {
		*error = "too large for a digest";
		err = -EFBIG;
	}
	if (!err)
		err = xs_digest_parse(text, size > 0 ? (size_t)size : 0, group,
				      error);
	if (!err && !xs_digest_get(*group, "add", "traces") &&
	    !xs_digest_get(*group, "table", "problems")) {
		*error = "it is of no trace";
		err = -EPROTO;
		json_decref(*group);
		*group = NULL;
	}
	gzclose(in);
	free(text);
	return err;
}
