/* SPDX-License-Identifier: MIT */
/* Digests: merging in any order and grouping gives the same bytes, in bounded
 * room; what is no digest is refused. */
#include "report/job/digest.h"
#include "report/job/sketch.h"
#include "report/job/trace_digest.h"
#include "tests/report/fixture.h"
#include "tests/report/seal.h"
#include "tests/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static uint64_t random_state = 88172645463325252u;

static unsigned below(unsigned limit)
{
	random_state ^= random_state << 13; /* Marsaglia's xorshift64 */
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (unsigned)(random_state >> 11) % limit;
}

/* A number of any size, near the ends of the range, too. */
static int64_t any_number(void)
{
	static const int64_t edges[] = {0, 1, 1LL << 60, INT64_MAX};

	return below(4) ? (int64_t)below(1000) : edges[below(4)];
}

static const char *any_key(void)
{
	static char key[16];

	snprintf(key, sizeof(key), "%u", below(40));
	return key;
}

static json_t *any_rows(void)
{
	json_t *rows = json_array();

	for (unsigned i = below(12); i > 0; i--)
		json_array_append_new(rows, json_pack("{s:I, s:s}", "by",
						      (json_int_t)below(6),
						      "name", any_key()));
	return rows;
}

/* A group with members of every rule, of more keys than have room. */
static json_t *any_group(int depth)
{
	json_t *group = json_object(), *row;

	xs_digest_number(group, "add", "traces", 1);
	xs_digest_number(group, "add", any_key(), any_number());
	xs_digest_number(group, "most", any_key(), -any_number());
	xs_digest_number(group, "least", any_key(), any_number());
	xs_digest_set(group, "text", "name", xs_digest_text(any_key()));
	xs_digest_set(group, "rows", "slowest", any_rows());
	for (unsigned i = below(9); i > 0; i--)
		xs_digest_count(group, "names", any_key());
	if (below(2))
		json_object_set_new(group, "best",
				    json_pack("{s:I, s:s}", "by",
					      (json_int_t)below(4), "text",
					      any_key()));
	for (unsigned i = below(4); depth && i > 0; i--) {
		row = xs_digest_row(group, "parts", any_key());
		json_object_update_new(row, any_group(depth - 1));
	}
	return group;
}

static char *bytes_of(const json_t *group)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(xs_digest_write(group, out), 0);
	fclose(out);
	return text;
}

#define DIGESTS 24u

/* Merges two of the digests, chosen at random, until one is left. */
static char *merge_at_random(json_t *const *digests)
{
	json_t *left[DIGESTS];
	size_t count = DIGESTS;

	for (size_t i = 0; i < DIGESTS; i++) {
		left[i] = json_object();
		xs_digest_merge(left[i], digests[i]);
	}
	while (count > 1) {
		const size_t to = below((unsigned)count);
		const size_t from =
		    (to + 1 + below((unsigned)count - 1)) % count;

		xs_digest_merge(left[to], left[from]);
		json_decref(left[from]);
		left[from] = left[--count];
	}
	char *text = bytes_of(left[0]);
	json_decref(left[0]);
	return text;
}

TEST(any_order_gives_the_same_bytes)
{
	json_t *digests[DIGESTS];

	for (int round = 0; round < 3; round++) {
		char *first;

		for (size_t i = 0; i < DIGESTS; i++)
			digests[i] = any_group(2);
		first = merge_at_random(digests);
		for (int i = 0; i < 5; i++) {
			char *other = merge_at_random(digests);

			assert_string_equal(other, first);
			free(other);
		}
		free(first);
		for (size_t i = 0; i < DIGESTS; i++)
			json_decref(digests[i]);
	}
}

TEST(what_has_no_room_is_counted)
{
	json_t *all = json_object();
	int64_t kept = 0;

	for (int i = 0; i < 300; i++) {
		json_t *one = json_object(), *row;
		char key[16];

		snprintf(key, sizeof(key), "host%03d", i % 290);
		row = xs_digest_row(one, "hosts", key);
		xs_digest_number(row, "add", "traces", 1);
		xs_digest_count(one, "names", key);
		xs_digest_merge(all, one);
		json_decref(one);
	}
	assert_int_equal(json_object_size(xs_digest_get(all, "table", "hosts")),
			 256);
	assert_int_equal(xs_digest_get_number(all, "beyond", "hosts"), 34);
	assert_int_equal(json_object_size(xs_digest_get(all, "count", "names")),
			 8);
	kept = 300 - xs_digest_get_number(all, "beyond", "names");
	assert_int_equal(kept, 16);
	json_decref(all);
}

/* Adds the sketch of a value, as merging does. */
static void merge_value(json_t *all, const char *name, int64_t value)
{
	json_t *one = json_object();

	xs_sketch_add(one, name, value);
	xs_digest_merge(all, one);
	json_decref(one);
}

TEST(medians_are_within_their_error)
{
	json_t *group = json_object();
	struct xs_job_bar bars[8];
	int64_t sum = 0;

	assert_true(xs_sketch_median(group, "x") == XS_UNKNOWN);
	for (int64_t i = 0; i <= 1000; i++) {
		const int64_t is = 1000000 + i / 2 * (i / 2) * 7919;
		int64_t found;

		merge_value(group, "x", 1000000 + i * i * 7919);
		found = xs_sketch_median(group, "x");
		assert_true(llabs(found - is) <= (i < 64 ? 0 : is / 64));
	}
	assert_int_equal(xs_sketch_bars(group, "x", bars, 8), 8);
	assert_in_range(bars[0].from_ns, 1000000 * 63 / 64, 1000000);
	assert_in_range(bars[7].to_ns, 7920000000, 7920000000 * 3 / 2);
	for (size_t i = 0; i < 8; i++) {
		assert_int_equal(bars[i].from_ns,
				 i ? bars[i - 1].to_ns : bars[0].from_ns);
		sum += bars[i].traces;
	}
	assert_int_equal(sum, 1001);
	merge_value(group, "most", INT64_MAX);
	merge_value(group, "most", XS_UNKNOWN);
	assert_true(xs_sketch_median(group, "most") == INT64_MAX);
	assert_int_equal(xs_sketch_bars(group, "most", bars, 8), 1);
	assert_true(bars[0].to_ns == INT64_MAX);
	merge_value(group, "below", -3);
	assert_int_equal(xs_sketch_median(group, "below"), 0);
	json_decref(group);
}

/* Of as many runs as a digest has traces. */
TEST(median_runs_are_exact)
{
	json_t *all = json_object();

	for (int64_t i = 0; i <= XS_DIGEST_TRACES; i++) {
		merge_value(all, "wall_ns", 5000000 + i);
		if (i % 512 >= 2 && i + 1 < XS_DIGEST_TRACES)
			continue;
		assert_true(xs_sketch_median(all, "wall_ns") ==
				5000000 + i / 2 ||
			    i == XS_DIGEST_TRACES);
	}
	json_decref(all);
}

static void expect_error(const char *text, const char *start)
{
	const char *error = NULL;
	json_t *group;

	assert_true(xs_digest_parse(text, strlen(text), &group, &error) < 0);
	assert_null(group);
	assert_memory_equal(error, start, strlen(start));
}

/* With a checksum, if it has a group. */
static void expect_refused(const char *text)
{
	char *sealed = seal(text, strlen(text));

	expect_error(sealed ? sealed : text, "damaged, or no digest; ");
	free(sealed);
}

TEST(what_is_no_digest_is_refused)
{
	static const char *const bad[] = {
	    "",
	    "{}",
	    "[]",
	    "{\"digest\":4}",
	    "{\"digest\":4,\"group\":{\"add\":{\"x\":-1}}}",
	    "{\"digest\":4,\"group\":{\"least\":{\"wall_ns\":-1}}}",
	    "{\"digest\":4,\"group\":{\"most\":{\"after_ns\":-1}}}",
	    "{\"digest\":4,\"group\":{\"most\":{\"x\":1152921504606846977}}}",
	    "{\"digest\":4,\"group\":{\"add\":{\"x\":1.5}}}",
	    "{\"digest\":4,\"group\":{\"add\":{\"x\":\"1\"}}}",
	    "{\"digest\":4,\"group\":{\"sum\":{\"x\":1}}}",
	    "{\"digest\":4,\"group\":{\"best\":1}}",
	    "{\"digest\":4,\"group\":{\"text\":{\"x\":{}}}}",
	    "{\"digest\":4,\"group\":{\"text\":{\"x\":1}}}",
	    "{\"digest\":4,\"group\":{\"rows\":{\"x\":[{\"y\":null}]}}}",
	    "{\"digest\":4,\"group\":{\"count\":{\"x\":{\"y\":-1}}}}",
	    "{\"digest\":4,\"group\":{\"count\":{\"x\":{\"a\\nb\":1}}}}",
	    "{\"digest\":4,\"group\":{\"table\":{\"x\":{\"\\u001b\":{}}}}}",
	    "{\"digest\":4,\"group\":{\"table\":{\"x\":{\"y\":1}}}}",
	    "{\"digest\":4,\"group\":{\"add\":{\"x\":1,\"x\":2}}}",
	    "{\"digest\":4,\"group\":{\"add\":{\"\\u001b[2J\":1}}}",
	    "{\"digest\":4,\"group\":{\"text\":{\"x\":\"\\u202e\"}}}",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		expect_refused(bad[i]);
}

TEST(another_version_is_told)
{
	expect_error("{\"digest\":3}", "made by an earlier xferspy; make it");
	expect_error("{\"digest\":5}", "made by a newer xferspy; merge with");
}

/* What cannot be opened may be anything. */
TEST(no_open_file_is_no_digest)
{
	struct rlimit before, none;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	bool is = xs_digest_is("/proc/self/exe");
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_false(is);
}

/* No checksum, and that of other figures. */
TEST(what_is_damaged_is_refused)
{
	static const char *const bad[] = {
	    "{\"digest\":4,\"group\":{}}",
	    "{\"digest\":4,\"crc32\":\"2b29f2d3\",\"group\":{}}",
	    "{\"digest\":4,\"crc32\":0,\"group\":[]}"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		expect_error(bad[i], "damaged, or no digest; ");
}

/* A table never has more rows than there is room for. */
TEST(what_has_no_room_is_refused)
{
	char text[8192];

	for (int more = 0; more < 2; more++) {
		int used = sprintf(text, "{\"digest\":4,\"group\":{\"table\":{"
					 "\"hosts\":{");
		const char *error;
		json_t *group;
		char *sealed;

		for (int k = 0; k < 256 + more; k++)
			used += sprintf(text + used, "%s\"%d\":{}",
					k ? "," : "", k);
		used += sprintf(text + used, "}}}}");
		sealed = seal(text, (size_t)used);
		assert_int_equal(
		    xs_digest_parse(sealed, strlen(sealed), &group, &error),
		    more ? -EPROTO : 0);
		json_decref(group);
		free(sealed);
	}
}

/* As of a digest that was made by hand. */
TEST(members_of_other_shapes_count_as_nothing)
{
	static const char text[] =
	    "{\"digest\":4,\"group\":{\"count\":{\"traces\":1},\"rows\":{"
	    "\"slowest\":1},\"best\":{\"by\":\"x\"},\"add\":{\"traces\":2}}}";
	char *sealed = seal(text, strlen(text));
	json_t *group, *all = json_object();
	const char *error;

	assert_int_equal(
	    xs_digest_parse(sealed, strlen(sealed), &group, &error), 0);
	xs_digest_merge(all, group);
	xs_digest_merge(all, group);
	assert_int_equal(xs_digest_get_number(all, "add", "traces"), 4);
	assert_int_equal(
	    json_object_size(xs_digest_get(all, "count", "traces")), 0);
	assert_int_equal(json_array_size(xs_digest_get(all, "rows", "slowest")),
			 0);
	json_decref(group);
	json_decref(all);
	free(sealed);
}

/* The first names in order stay, from whichever digests. */
TEST(names_are_bounded)
{
	json_t *all = json_object();

	for (int i = 0; i < 100; i++) {
		json_t *one = json_object();
		char name[16];

		snprintf(name, sizeof(name), "%03d", 99 - i);
		xs_digest_number(one, "most", name, i);
		xs_digest_merge(all, one);
		json_decref(one);
	}
	assert_int_equal(json_object_size(json_object_get(all, "most")), 32);
	assert_int_equal(xs_digest_get_number(all, "most", "000"), 99);
	json_decref(all);
}

/* Hostile tables in tables in tables. */
TEST(deep_tables_are_refused)
{
	char text[8192] = "{\"digest\":4,\"group\":";
	size_t used = strlen(text);

	for (int i = 0; i < 60; i++)
		used +=
		    (size_t)sprintf(text + used, "{\"table\":{\"a\":{\"b\":");
	used += (size_t)sprintf(text + used, "{}");
	for (int i = 0; i < 60; i++)
		used += (size_t)sprintf(text + used, "}}}");
	sprintf(text + used, "}");
	expect_refused(text);
}

TEST(a_read_digest_is_written_as_it_was)
{
	struct xs_result *result = fixture_result();
	json_t *group = xs_digest_of_result(result), *back;
	const char *error;

	assert_non_null(group);
	char *text = bytes_of(group);
	assert_int_equal(xs_digest_parse(text, strlen(text), &back, &error), 0);
	char *again = bytes_of(back);
	assert_string_equal(text, again);
	free(text);
	free(again);
	json_decref(back);
	json_decref(group);
	xs_result_free(result);
}

/* Texts are cut, between characters, and safe. */
TEST(texts_are_short_and_safe)
{
	char text[2000];

	text[0] = 'a';
	for (size_t i = 1; i + 2 < sizeof(text); i += 2)
		memcpy(text + i, "\xc3\xa9", 3); /* e with an accent */
	json_t *out = xs_digest_text(text);
	assert_non_null(out);
	assert_int_equal(json_string_length(out), XS_DIGEST_TEXT - 1);
	json_decref(out);
	out = xs_digest_text("a\x1b[31m\xff\nb");
	assert_string_equal(json_string_value(out), "a?[31m?\nb");
	json_decref(out);
	out = xs_digest_text(NULL);
	assert_string_equal(json_string_value(out), "");
	json_decref(out);
}

#define STEPS 200
#define LONG  2001

/* Steps at a line each, with texts that are longer than digests have. */
static struct xs_result_step *long_plan(struct xs_result *result,
					const char *text)
{
	struct xs_result_step *plan =
	    xs_arena_alloc(&result->arena, STEPS, sizeof(*plan));

	for (int64_t i = 0; i < STEPS; i++) {
		struct xs_result_site *site =
		    xs_arena_alloc(&result->arena, 1, sizeof(*site));

		plan[i] = result->plan[0];
		site->file = text;
		site->line = i;
		plan[i].sites =
		    xs_arena_alloc(&result->arena, 1, sizeof(*plan[i].sites));
		plan[i].sites[0] = site;
		plan[i].site_count = 1;
		plan[i].text = plan[i].code = plan[i].condition = text;
	}
	return plan;
}

/* The largest digest of a trace: all rows, all texts of full length. */
TEST(a_trace_takes_at_most_100_kb)
{
	struct xs_result *result = fixture_result();
	struct xs_result_phase phases[20];
	char names[20][LONG], *bytes;

	for (size_t i = 0; i < 20; i++) {
		memset(names[i], 'x', LONG - 1);
		names[i][0] = (char)('a' + i);
		names[i][LONG - 1] = '\0';
		phases[i] = result->phases[0];
		phases[i].kernel_label = names[i];
		phases[i].kernel_names = &phases[i].kernel_label;
		phases[i].kernel_name_count = 1;
	}
	result->plan = long_plan(result, names[0]);
	result->plan_count = STEPS;
	result->phases = phases;
	result->phase_count = 20;
	json_t *group = xs_digest_of_result(result);
	assert_non_null(group);
	bytes = bytes_of(group);
	assert_true(strlen(bytes) > 40000);
	assert_true(strlen(bytes) <= 100000);
	free(bytes);
	json_decref(group);
	xs_result_free(result);
}
