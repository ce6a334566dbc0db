/* SPDX-License-Identifier: MIT */
/* Reads a digest: anything that is not one is refused. */
#include "report/job/digest.h"

#include "analyzer/util/escape.h"

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

/* Of a member of a group: how deep objects and arrays lie in it, and which
 * values they have. Numbers of no sum are within 2^60, as those of results. */
struct rule {
	const char *name;
	unsigned depth;
	bool texts;
	json_int_t least, most;
};

#define MOST (INT64_C(1) << 60)

static const struct rule rules[] = {
    {"add", 1, false, 0, INT64_MAX},   {"beyond", 1, false, 0, INT64_MAX},
    {"count", 2, false, 1, INT64_MAX}, {"most", 1, false, 0, MOST},
    {"least", 1, false, 0, MOST},      {"text", 1, true, 1, 0},
    {"rows", 4, true, -MOST, MOST},    {"best", 2, true, -MOST, MOST}};

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

/* Whether a value, and all in it, is what the rule allows. */
static bool is_allowed(const json_t *value, const struct rule *rule,
		       unsigned depth)
{
	const char *key;
	json_t *item;
	size_t i;

	if (json_is_string(value))
		return rule->texts && is_safe(json_string_value(value));
	if (json_is_integer(value))
		return json_integer_value(value) >= rule->least &&
		       json_integer_value(value) <= rule->most;
	if (!depth || (!json_is_object(value) && !json_is_array(value)))
		return false;
	json_object_foreach((json_t *)value, key, item) {
		if (!is_key(key) || !is_allowed(item, rule, depth - 1))
			return false;
	}
	json_array_foreach((json_t *)value, i, item) {
		if (!is_allowed(item, rule, depth - 1))
			return false;
	}
	return true;
}

static bool is_group(const json_t *value, int tables);

static bool is_tables(const json_t *value, int tables)
{
	const char *name, *key;
	json_t *table, *row;

	if (!json_is_object(value) || !tables)
		return false;
	json_object_foreach((json_t *)value, name, table) {
		if (!is_key(name) ||
		    json_object_size(table) > xs_digest_room(name))
			return false;
		json_object_foreach(table, key, row) {
			if (!is_key(key) || !is_group(row, tables - 1))
				return false;
		}
	}
	return true;
}

static bool is_member(const char *name, const json_t *value)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (strcmp(name, rules[i].name) == 0)
			return json_is_object(value) &&
			       is_allowed(value, &rules[i], rules[i].depth);
	return false;
}

static bool is_group(const json_t *value, int tables)
{
	const char *name;
	json_t *member;

	if (!json_is_object(value))
		return false;
	json_object_foreach((json_t *)value, name, member) {
		if (strcmp(name, "table") == 0 ? !is_tables(member, tables)
					       : !is_member(name, member))
			return false;
	}
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
	return found && strcmp(found, wanted) == 0;
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

	*group = err ? NULL : json_object();
	if (!err)
		xs_digest_merge(*group, json_object_get(root, "group"));
	json_decref(root);
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
