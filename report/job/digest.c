/* SPDX-License-Identifier: MIT */
#include "report/job/digest.h"

#include "analyzer/util/escape.h"
#include "report/result/number.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

size_t xs_digest_room(const char *name)
{
	static const struct {
		const char *name;
		size_t room;
	} rooms[] = {{"programs", 256},
		     {"phases", 256},
		     {"steps", 256},
		     {"hosts", 256},
		     {"kinds", 256},
		     {"traces", XS_DIGEST_TRACES},
		     {"exact_wall_ns", XS_DIGEST_TRACES},
		     {"names", 8},
		     {"versions", 8},
		     {"gpus", 2048},
		     {"machines", 8},
		     {"models", 8},
		     {"parts", 16},
		     {"problems", 8},
		     {"warnings", 64}};

	for (size_t i = 0; i < sizeof(rooms) / sizeof(*rooms); i++)
		if (strcmp(rooms[i].name, name) == 0)
			return rooms[i].room;
	/* values; 16 octaves of a histogram at 32 each */
	return strncmp(name, "exact_", 6) == 0 ? 64 : XS_DIGEST_BUCKETS;
}

int xs_digest_by_name(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

json_t *xs_digest_member(json_t *object, const char *key)
{
	if (!json_object_get(object, key))
		json_object_set_new(object, key, json_object());
	return json_object_get(object, key);
}

void xs_digest_set(json_t *group, const char *rule, const char *name,
		   json_t *value)
{
	json_object_set_new(xs_digest_member(group, rule), name, value);
}

void xs_digest_number(json_t *group, const char *rule, const char *name,
		      int64_t number)
{
	if (number != XS_UNKNOWN)
		xs_digest_set(group, rule, name,
			      json_integer(number > 0 ? number : 0));
}

/* A text as digests have it. */
struct clipped {
	char s[XS_DIGEST_TEXT + 1];
};

/* Cuts a text, and replaces what a terminal must not get; keys are one line. */
static struct clipped clip(const char *text, bool lines)
{
	struct clipped out;
	size_t size = strlen(text), used = 0;

	while (size) {
		uint32_t code;
		bool unsafe;
		const size_t length =
		    xs_escape_next(text, size, &code, &unsafe);
		const bool kept = !unsafe || (lines && *text == '\n');

		if (used + length > XS_DIGEST_TEXT)
			break;
		memcpy(out.s + used, kept ? text : "?", kept ? length : 1);
		used += kept ? length : 1;
		text += length;
		size -= length;
	}
	out.s[used] = '\0';
	return out;
}

json_t *xs_digest_row(json_t *group, const char *name, const char *key)
{
	json_t *table =
	    xs_digest_member(xs_digest_member(group, "table"), name);

	return xs_digest_member(table, clip(key, false).s);
}

void xs_digest_count(json_t *group, const char *name, const char *key)
{
	json_t *count =
	    xs_digest_member(xs_digest_member(group, "count"), name);
	const struct clipped safe = clip(key, false);
	const json_int_t old =
	    json_integer_value(json_object_get(count, safe.s));

	json_object_set_new(count, safe.s, json_integer(old + 1));
}

json_t *xs_digest_text(const char *text)
{
	return json_string(clip(text ? text : "", true).s);
}

const json_t *xs_digest_get(const json_t *group, const char *rule,
			    const char *name)
{
	return json_object_get(json_object_get(group, rule), name);
}

int64_t xs_digest_get_number(const json_t *group, const char *rule,
			     const char *name)
{
	const json_t *number = xs_digest_get(group, rule, name);
	const int64_t value = json_integer_value(number);

	if (!number)
		return XS_UNKNOWN;
	return value < 0 ? value : xs_number_bounded((uint64_t)value);
}

/* Adds those of a table's rows. Returns whether there are more. */
static bool add_ids(json_t *ids, const json_t *group, const char *table)
{
	bool more = xs_digest_get(group, "beyond", table);
	const char *key;
	json_t *row;

	json_object_foreach((json_t *)xs_digest_get(group, "table", table), key,
			    row) {
		more |= xs_digest_get(row, "beyond", "traces") != NULL;
		json_object_update(
		    ids, (json_t *)xs_digest_get(row, "count", "traces"));
	}
	return more;
}

json_t *xs_digest_ids(const json_t *group)
{
	json_t *ids = json_object();
	const bool more = add_ids(ids, group, "programs");

	if (add_ids(ids, group, "problems") || more)
		json_object_clear(ids);
	return ids;
}

bool xs_digest_are_known(const json_t *ids, const json_t *known)
{
	const char *id;
	json_t *count;

	json_object_foreach((json_t *)ids, id, count) {
		if (!json_object_get(known, id))
			return false;
	}
	return json_object_size(ids) > 0;
}

char *xs_digest_form(const json_t *group, uint32_t *crc)
{
	char *text = json_dumps(group, JSON_SORT_KEYS | JSON_COMPACT |
					   JSON_ENSURE_ASCII);

	*crc = (uint32_t)crc32_z(0, (const Bytef *)text, strlen(text));
	return text;
}

int xs_digest_write(const json_t *group, FILE *out)
{
	uint32_t crc;
	char *text = xs_digest_form(group, &crc);
	int err = 0;

	if (strlen(text) > XS_DIGEST_BYTES - 64)
		err = -EFBIG;
	if (!err && fprintf(out,
			    "{\"digest\":%d,\"crc32\":\"%08" PRIx32
			    "\",\"group\":%s}\n",
			    XS_DIGEST_VERSION, crc, text) < 0)
		err = -EIO;
	free(text);
	return err;
}
