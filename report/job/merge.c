/* SPDX-License-Identifier: MIT */
/* Merges digests, by the rules of digest.h. */
#include "report/job/digest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Adds numbers that are not negative, up to INT64_MAX: the same in any order.
 */
static json_int_t sum_of(json_int_t a, json_int_t b)
{
	json_int_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* Adds to object[key]. */
static bool add(json_t *object, const char *key, const json_t *number)
{
	const json_int_t old = json_integer_value(json_object_get(object, key));

	return json_object_set_new(
		   object, key,
		   json_integer(sum_of(old, json_integer_value(number)))) == 0;
}

static bool keep(json_t *object, const char *key, const json_t *value)
{
	return json_object_set_new(object, key, json_deep_copy(value)) == 0;
}

static bool most(json_t *object, const char *key, const json_t *number)
{
	const json_t *old = json_object_get(object, key);

	return (old && json_integer_value(old) >= json_integer_value(number)) ||
	       keep(object, key, number);
}

static bool least(json_t *object, const char *key, const json_t *number)
{
	const json_t *old = json_object_get(object, key);

	return (old && json_integer_value(old) <= json_integer_value(number)) ||
	       keep(object, key, number);
}

static bool text(json_t *object, const char *key, const json_t *value)
{
	const json_t *old = json_object_get(object, key);

	return (old && strcmp(json_string_value(old),
			      json_string_value(value)) >= 0) ||
	       keep(object, key, value);
}

/* A row with its place in the order. */
struct ranked {
	json_int_t by;
	char *text;
	json_t *row; /* borrowed */
};

/* The largest first; of equal ones, the first text in order of bytes. */
static int compare(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	if (a->by != b->by)
		return a->by < b->by ? 1 : -1;
	return strcmp(a->text, b->text);
}

static bool rank(json_t *row, struct ranked *out)
{
	*out = (struct ranked){
	    .by = json_integer_value(json_object_get(row, "by")),
	    .text = json_dumps(row, JSON_SORT_KEYS | JSON_COMPACT),
	    .row = row};
	return out->text != NULL;
}

/* Returns the first rows of an array in the order; NULL without memory. */
static json_t *first_rows(const json_t *rows)
{
	const size_t count = json_array_size(rows);
	struct ranked *ranked = calloc(count + 1, sizeof(*ranked));
	json_t *out = json_array();
	bool failed = !ranked || !out;

	for (size_t i = 0; !failed && i < count; i++)
		failed = !rank(json_array_get(rows, i), &ranked[i]);
	if (!failed)
		qsort(ranked, count, sizeof(*ranked), compare);
	for (size_t i = 0; !failed && i < count && i < XS_DIGEST_ROWS; i++)
		failed = json_array_append_new(
			     out, json_deep_copy(ranked[i].row)) < 0;
	for (size_t i = 0; ranked && i < count; i++)
		free(ranked[i].text);
	free(ranked);
	if (!failed)
		return out;
	json_decref(out);
	return NULL;
}

static bool rows(json_t *object, const char *key, const json_t *value)
{
	const json_t *old = json_object_get(object, key);
	json_t *all = json_copy((json_t *)value), *first;

	if (all && old && json_array_extend(all, (json_t *)old) < 0) {
		json_decref(all);
		return false;
	}
	first = all ? first_rows(all) : NULL;
	json_decref(all);
	return json_object_set_new(object, key, first) == 0;
}

static bool best(json_t *group, const json_t *value)
{
	json_t *old = json_object_get(group, "best");
	struct ranked a, b;
	bool done = true;

	if (!old)
		return keep(group, "best", value);
	if (!rank(old, &a))
		return false;
	if (!rank((json_t *)value, &b)) {
		free(a.text);
		return false;
	}
	if (compare(&b, &a) < 0)
		done = keep(group, "best", value);
	free(a.text);
	free(b.text);
	return done;
}

/* What a key without room counts: the traces of a row, or itself. */
static json_int_t weight(const json_t *value)
{
	return json_is_integer(value)
		   ? json_integer_value(value)
		   : json_integer_value(xs_digest_get(value, "add", "traces"));
}

/* Returns the keys of an object in order; the caller frees the array. */
static const char **sorted_keys(json_t *object)
{
	const char **keys = calloc(json_object_size(object) + 1, sizeof(*keys));
	const char *key;
	json_t *value;
	size_t count = 0;

	if (!keys)
		return NULL;
	json_object_foreach(object, key, value)
		keys[count++] = key;
	qsort(keys, count, sizeof(*keys), xs_digest_by_name);
	return keys;
}

/* Deletes what has no room in the object. Adds to *sum what that counts. */
static bool trim(json_t *object, size_t room, json_int_t *sum)
{
	const size_t count = json_object_size(object);
	const char **keys;

	if (count <= room)
		return true;
	keys = sorted_keys(object);
	for (size_t i = room; keys && i < count; i++) {
		*sum = sum_of(*sum, weight(json_object_get(object, keys[i])));
		json_object_del(object, keys[i]);
	}
	free(keys);
	return keys != NULL;
}

/* Moves what has no room in the table or count to beyond[name]. */
static bool trim_keys(json_t *group, const char *name, json_t *object)
{
	json_t *beyond = json_object_get(group, "beyond");
	json_int_t sum = 0;

	if (!trim(object, xs_digest_room(name), &sum))
		return false;
	if (!sum)
		return true;
	if (!beyond) {
		json_object_set_new(group, "beyond", json_object());
		beyond = json_object_get(group, "beyond");
	}
	sum = sum_of(sum, json_integer_value(json_object_get(beyond, name)));
	return json_object_set_new(beyond, name, json_integer(sum)) == 0;
}

/* Merges {name: {key: n}}, or {name: {key: group}}. */
static bool keyed(json_t *group, const char *rule, const json_t *from,
		  bool (*merge)(json_t *, const char *, const json_t *))
{
	json_t *to = json_object_get(group, rule), *in, *item;
	const char *name, *key;

	json_object_foreach((json_t *)from, name, in) {
		json_t *out = json_object_get(to, name);

		if (!out && json_object_set_new(to, name, json_object()) < 0)
			return false;
		out = json_object_get(to, name);
		json_object_foreach(in, key, item)
			if (!merge(out, key, item))
				return false;
		if (!trim_keys(group, name, out))
			return false;
	}
	return true;
}

/* Merges a row of a table. */
static bool row(json_t *table, const char *key, const json_t *from)
{
	json_t *to = json_object_get(table, key);

	if (!to && json_object_set_new(table, key, json_object()) < 0)
		return false;
	to = json_object_get(table, key);
	return xs_digest_merge(to, from) == 0;
}

static bool plain(json_t *to, const json_t *from,
		  bool (*merge)(json_t *, const char *, const json_t *))
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)from, name, value)
		if (!merge(to, name, value))
			return false;
	return true;
}

static const struct {
	const char *name;
	bool (*merge)(json_t *to, const char *key, const json_t *from);
	bool keyed;
} rules[] = {
    {"add", add, false},     {"beyond", add, false}, {"most", most, false},
    {"least", least, false}, {"text", text, false},  {"rows", rows, false},
    {"count", add, true},    {"table", row, true},
};

static bool by_rule(json_t *to, const char *name, const json_t *from)
{
	json_t *object;
	json_int_t sum = 0;
	bool done = true;

	if (strcmp(name, "best") == 0)
		return best(to, from);
	if (!json_object_get(to, name) &&
	    json_object_set_new(to, name, json_object()) < 0)
		return false;
	object = json_object_get(to, name);
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (strcmp(rules[i].name, name) == 0)
			done = rules[i].keyed
				   ? keyed(to, name, from, rules[i].merge)
				   : plain(object, from, rules[i].merge);
	return done && trim(object, XS_DIGEST_NAMES, &sum);
}

int xs_digest_merge(json_t *to, const json_t *from)
{
	return plain(to, from, by_rule) ? 0 : -ENOMEM;
}
