/* SPDX-License-Identifier: MIT */
/* Merges digests, by the rules of digest.h. */
#include "report/job/digest.h"

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
static void add(json_t *object, const char *key, const json_t *number)
{
	const json_int_t old = json_integer_value(json_object_get(object, key));

	json_object_set_new(
	    object, key, json_integer(sum_of(old, json_integer_value(number))));
}

static void keep(json_t *object, const char *key, const json_t *value)
{
	json_object_set_new(object, key, json_deep_copy(value));
}

static void most(json_t *object, const char *key, const json_t *number)
{
	const json_t *old = json_object_get(object, key);

	if (!old || json_integer_value(old) < json_integer_value(number))
		keep(object, key, number);
}

static void least(json_t *object, const char *key, const json_t *number)
{
	const json_t *old = json_object_get(object, key);

	if (!old || json_integer_value(old) > json_integer_value(number))
		keep(object, key, number);
}

static void text(json_t *object, const char *key, const json_t *value)
{
	const json_t *old = json_object_get(object, key);

	if (!old ||
	    strcmp(json_string_value(old), json_string_value(value)) < 0)
		keep(object, key, value);
}

/* Whether a row comes before another one: the largest first; of equal ones, the
 * first text in order of bytes. */
static bool is_before(const json_t *row, const json_t *other)
{
	const size_t form = JSON_SORT_KEYS | JSON_COMPACT | JSON_ENCODE_ANY;
	const json_int_t by = json_integer_value(json_object_get(row, "by"));
	const json_int_t than =
	    json_integer_value(json_object_get(other, "by"));
	char *left, *right;
	bool is;

	if (by != than)
		return by > than;
	left = json_dumps(row, form);
	right = json_dumps(other, form);
	is = strcmp(left, right) < 0;
	free(left);
	free(right);
	return is;
}

/* Keeps the first rows in the order. */
static void rows(json_t *object, const char *key, const json_t *value)
{
	json_t *all = json_object_get(object, key), *row;
	size_t i;

	if (!all)
		json_object_set_new(object, key, all = json_array());
	json_array_foreach((json_t *)value, i, row) {
		size_t at = json_array_size(all);

		while (at > 0 && is_before(row, json_array_get(all, at - 1)))
			at--;
		json_array_insert_new(all, at, json_deep_copy(row));
		if (json_array_size(all) > XS_DIGEST_ROWS)
			json_array_remove(all, XS_DIGEST_ROWS);
	}
}

static void best(json_t *group, const json_t *value)
{
	const json_t *old = json_object_get(group, "best");

	if (!old || is_before(value, old))
		keep(group, "best", value);
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
	json_malloc_t allocate;
	json_free_t release;
	const char **keys, *key;
	json_t *value;
	size_t count = 0;

	json_get_alloc_funcs(&allocate, &release);
	keys = allocate(json_object_size(object) * sizeof(*keys));
	json_object_foreach(object, key, value)
		keys[count++] = key;
	qsort(keys, count, sizeof(*keys), xs_digest_by_name);
	return keys;
}

/* Deletes what has no room in the object. Returns the sum of what that
 * counts. */
static json_int_t trim(json_t *object, size_t room)
{
	const size_t count = json_object_size(object);
	const char **keys;
	json_int_t sum = 0;

	if (count <= room)
		return 0;
	keys = sorted_keys(object);
	for (size_t i = room; i < count; i++) {
		sum = sum_of(sum, weight(json_object_get(object, keys[i])));
		json_object_del(object, keys[i]);
	}
	free(keys);
	return sum;
}

typedef void merge_key(json_t *to, const char *key, const json_t *from);

static void each(json_t *to, const json_t *from, merge_key *merge)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)from, name, value) {
		merge(to, name, value);
	}
}

/* Merges {name: {key: n}}, or {name: {key: group}}. What has no room moves to
 * beyond[name]. */
static void keyed(json_t *group, const char *rule, const json_t *from,
		  merge_key *merge)
{
	json_t *to = json_object_get(group, rule), *in;
	const char *name;

	json_object_foreach((json_t *)from, name, in) {
		json_t *out = xs_digest_member(to, name), *beyond;
		json_int_t sum;

		each(out, in, merge);
		sum = trim(out, xs_digest_room(name));
		if (!sum)
			continue;
		beyond = json_integer(sum);
		add(xs_digest_member(group, "beyond"), name, beyond);
		json_decref(beyond);
	}
}

/* Merges a row of a table. */
static void row(json_t *table, const char *key, const json_t *from)
{
	xs_digest_merge(xs_digest_member(table, key), from);
}

static const struct {
	const char *name;
	merge_key *merge;
	bool keyed;
} rules[] = {
    {"add", add, false},     {"beyond", add, false}, {"most", most, false},
    {"least", least, false}, {"text", text, false},  {"rows", rows, false},
    {"count", add, true},    {"table", row, true},
};

static void by_rule(json_t *to, const char *name, const json_t *from)
{
	if (strcmp(name, "best") == 0) {
		best(to, from);
		return;
	}
	xs_digest_member(to, name);
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (strcmp(rules[i].name, name) == 0 && rules[i].keyed)
			keyed(to, name, from, rules[i].merge);
		else if (strcmp(rules[i].name, name) == 0)
			each(json_object_get(to, name), from, rules[i].merge);
	trim(json_object_get(to, name), XS_DIGEST_NAMES);
}

void xs_digest_merge(json_t *to, const json_t *from)
{
	each(to, from, by_rule);
}
