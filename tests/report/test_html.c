/* SPDX-License-Identifier: MIT */
/* HTML: what the page's script reads back, and that no name is markup. */
#include "report/build/read.h"
#include "report/render/html/encode.h"
#include "report/render/html/pack.h"
#include "report/render/renderer.h"
#include "report/timeline/lanes.h"
#include "report/timeline/timeline.h"
#include "tests/report/fixture.h"
#include "tests/unit.h"

#include <stdlib.h>
#include <string.h>

struct bytes {
	unsigned char data[256];
	size_t count;
};

static int collect(void *sink, const void *bytes, size_t count)
{
	struct bytes *to = sink;

	assert_true(to->count + count <= sizeof(to->data));
	memcpy(to->data + to->count, bytes, count);
	to->count += count;
	return 0;
}

static int refuse(void *sink, const void *bytes, size_t count)
{
	(void)sink;
	(void)bytes;
	(void)count;
	return -5;
}

static struct xs_result_slice slices[] = {
    {.start_ns = 3, .end_ns = 300, .bytes = 1 << 14, .name = 1, .site = 2},
    /* it begins before the end of the one before, and ends before it begins */
    {.start_ns = 299, .end_ns = 298, .bytes = 0, .name = 200, .site = 0},
};
static struct xs_result_lane lanes[] = {{.count = 0},
					{.slices = slices, .count = 2}};
static struct xs_result_view views[] = {{.lanes = lanes, .lane_count = 2}};
static const struct xs_result_timeline timeline = {.views = views,
						   .view_count = 1};

TEST(columns_are_varints)
{
	static const unsigned char expected[] = {
	    6,	  1,	      /* starts: +3, -1 */
	    0xa9, 2,	0,    /* times: 297, at least 0 */
	    1,	  0xc8, 1,    /* names */
	    2,	  0,	      /* sites */
	    0x80, 0x80, 1, 0, /* sizes */
	};
	struct bytes got = {.count = 0};

	assert_int_equal(xs_html_pack(&timeline, collect, &got), 0);
	assert_int_equal(got.count, sizeof(expected));
	assert_memory_equal(got.data, expected, sizeof(expected));
	assert_int_equal(xs_html_pack(&timeline, refuse, NULL), -5);
}

static int digit(char c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmno"
				     "pqrstuvwxyz0123456789+/";
	const char *at = strchr(digits, c);

	assert_true(c && at);
	return (int)(at - digits);
}

/* Reads base64 and inflates it. The caller frees the result. */
static char *decode(const char *text, size_t length, uLongf size)
{
	unsigned char *packed = calloc(length + 3, 1);
	char *out = malloc(size + 1);
	uLong count = 0;

	assert_int_equal(length % 4, 0);
	for (size_t i = 0; i < length; i += 4) {
		unsigned group = 0;

		for (size_t k = 0; k < 4; k++)
			group = group << 6 |
				(text[i + k] == '=' ? 0 : digit(text[i + k]));
		packed[count++] = (unsigned char)(group >> 16);
		packed[count++] = (unsigned char)(group >> 8);
		packed[count++] = (unsigned char)group;
	}
	assert_int_equal(uncompress((Bytef *)out, &size, packed, count), Z_OK);
	out[size] = '\0';
	free(packed);
	return out;
}

/* Longer than the encoder's buffer, and hard to compress. */
TEST(encoded_bytes_come_back)
{
	const size_t size = 300000;
	struct xs_html_encoder *encoder = malloc(sizeof(*encoder));
	unsigned char *bytes = malloc(size);
	char *text = NULL, *back;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	uint32_t random = 1;

	for (size_t i = 0; i < size; i++) {
		random = random * 1664525u + 1013904223u;
		bytes[i] = (unsigned char)(random >> 24);
	}
	assert_int_equal(xs_html_encode_begin(encoder, out), 0);
	assert_int_equal(xs_html_encode(encoder, bytes, 1), 0);
	assert_int_equal(xs_html_encode(encoder, bytes + 1, size - 1), 0);
	assert_int_equal(xs_html_encode_end(encoder, 0), 0);
	fclose(out);
	back = decode(text, length, size);
	assert_memory_equal(back, bytes, size);
	free(back);
	free(text);
	free(bytes);
	free(encoder);
}

TEST(lanes_are_in_order)
{
	struct xs_arena arena = {0};
	struct xs_lanes all = {.arena = &arena};
	struct xs_result_view view = {0};
	static const struct {
		enum xs_result_lane_kind kind;
		uint64_t owner;
		int64_t start_ns;
	} added[] = {{XS_LANE_KERNELS, 7, 5}, {XS_LANE_WAITS, 2, 9},
		     {XS_LANE_COPIES, 1, 2},  {XS_LANE_CALLS, 2, 4},
		     {XS_LANE_WAITS, 1, 3},   {XS_LANE_WAITS, 2, 1}};

	for (size_t i = 0; i < sizeof(added) / sizeof(*added); i++)
		xs_lanes_add(
		    &all,
		    xs_lanes_get(&all, added[i].kind,
				 xs_lanes_key(added[i].kind, added[i].owner)),
		    &(struct xs_result_slice){.start_ns = added[i].start_ns});
	xs_lanes_finish(&all, &view);
	assert_int_equal(view.lane_count, 5);
	/* thread 1, thread 2: calls before waits; copies; kernels */
	assert_int_equal(view.lanes[0].slices[0].start_ns, 3);
	assert_int_equal(view.lanes[1].kind, XS_LANE_CALLS);
	assert_int_equal(view.lanes[2].count, 2);
	assert_int_equal(view.lanes[2].slices[0].start_ns, 1);
	assert_int_equal(view.lanes[2].slices[1].start_ns, 9);
	assert_int_equal(view.lanes[3].kind, XS_LANE_COPIES);
	assert_int_equal(view.lanes[4].kind, XS_LANE_KERNELS);
	assert_false(arena.failed);
	xs_arena_free(&arena);
}

/* The latest end of a view's slices. */
static int64_t last_ns(const struct xs_result_view *view)
{
	int64_t last = 0;

	for (size_t i = 0; i < view->lane_count; i++)
		for (size_t k = 0; k < view->lanes[i].count; k++)
			if (view->lanes[i].slices[k].end_ns > last)
				last = view->lanes[i].slices[k].end_ns;
	return last;
}

static struct xs_result *read_trace(const char *path)
{
	const struct xs_result_options options = {.timeline =
						      xs_timeline_of_result};
	const char *error = NULL;
	struct xs_result *result = NULL;

	assert_int_equal(xs_result_read(path, &options, &result, &error), 0);
	assert_non_null(result->timeline);
	return result;
}

/* Ranges of a thread lie above its calls, those inside of others below these;
 * those of the process come first. Threads that take turns share lanes. */
TEST(nvtx_ranges_are_lanes)
{
	static const struct {
		const char *name;
		size_t count;
	} wanted[] = {{"process: NVTX", 1},
		      {"thread 100: NVTX", 1},
		      {"thread 100: NVTX", 15},	 /* steps, and hostile names */
		      {"thread 100: NVTX", 25},	 /* forward, backward */
		      {"thread 100: NVTX", 25}}; /* halo exchange */
	struct xs_result *result =
	    read_trace(XS_SOURCE_DIR "/tests/report/traces/nvtx.txt");
	const struct xs_result_view *run = &result->timeline->views[0];

	assert_true(run->lane_count > 5);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(run->lanes[i].kind, XS_LANE_RANGES);
		assert_string_equal(run->lanes[i].name, wanted[i].name);
		assert_int_equal(run->lanes[i].count, wanted[i].count);
	}
	assert_string_equal(
	    result->timeline->names[run->lanes[4].slices[0].name],
	    "solver: halo exchange");
	assert_int_equal(run->lanes[5].kind, XS_LANE_CALLS);
	xs_result_free(result);
}

/* A round as it would be ends when its row says. */
TEST(replayed_rounds_take_their_rows_time)
{
	static const char *const strategies[] = {"pinned", "streams", "mapped",
						 "hybrid"};
	struct xs_result *result = read_trace(
	    XS_SOURCE_DIR "/examples/traces/stencil-512-pageable.xspy");
	const struct xs_result_timeline *all = result->timeline;
	size_t found = 0;

	for (size_t i = 0; i < all->view_count; i++) {
		const struct xs_result_view *view = &all->views[i];

		for (size_t k = 0; view->estimate && k < 4; k++) {
			if (strcmp(view->estimate->strategy, strategies[k]))
				continue;
			assert_in_range(last_ns(view) + 10,
					view->estimate->round_ns,
					view->estimate->round_ns + 20);
			found++;
		}
	}
	assert_int_equal(found, 4);
	xs_result_free(result);
}

/* PyTorch leaves out its waits after copies in from pinned memory. */
TEST(rounds_of_frameworks_are_theirs)
{
	struct xs_result *result =
	    read_trace(XS_SOURCE_DIR "/examples/frameworks/h100/loader.xspy");
	const struct xs_result_timeline *all = result->timeline;
	size_t found = 0;

	for (size_t i = 0; i < all->view_count; i++) {
		const struct xs_result_view *view = &all->views[i];

		if (!view->estimate || view->phase != &result->phases[1] ||
		    strcmp(view->estimate->strategy, "pinned") != 0)
			continue;
		assert_in_range(last_ns(view),
				view->estimate->round_ns * 9 / 10,
				view->estimate->round_ns * 11 / 10);
		found++;
	}
	assert_int_equal(found, 1);
	xs_result_free(result);
}

/* A round of more than one buffer is shown several times, from where it is
 * timed; recorded steps keep their kernels' names and lines. */
TEST(rounds_as_recorded_keep_their_names)
{
	struct xs_result *result = read_trace(
	    XS_SOURCE_DIR "/examples/traces/stencil-512-pageable.xspy");
	const struct xs_result_timeline *all = result->timeline;
	size_t pinned = 0, rounds = 0;

	for (size_t i = 1; i < all->view_count; i++) {
		const struct xs_result_view *view = &all->views[i];
		const struct xs_result_lane *last =
		    &view->lanes[view->lane_count - 1];
		const char *strategy =
		    view->estimate ? view->estimate->strategy : "";

		if (strcmp(strategy, "double-buffer") == 0) {
			rounds = (size_t)view->rounds;
			assert_in_range(last_ns(view) / view->rounds,
					view->estimate->round_ns,
					view->estimate->round_ns * 6 / 5);
		}
		if (strcmp(strategy, "pinned") != 0)
			continue;
		pinned++;
		assert_string_equal(last->name, "kernels");
		assert_string_equal(
		    all->names[last->slices[0].name],
		    "stencil_kernel(int const*, int*, int, int, int)");
		assert_int_equal(all->sites[last->slices[0].site].line, 57);
	}
	assert_int_equal(pinned, 1);
	assert_true(rounds > 1);
	xs_result_free(result);
}

static char *html_of(struct xs_result *result)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(xs_renderer_find("html", XS_RENDER_REPORT)
			     ->report(&result, 1, NULL, out),
			 0);
	fclose(out);
	return text;
}

/* The page is the same for all traces; after it there is base64 alone. */
TEST(no_name_is_markup)
{
	static const char data[] = "<script type=\"text/plain\" class=\"";
	struct xs_result *result = fixture_result();
	char *plain = html_of(result), *hostile;
	const char *at = strstr(plain, data), *end;
	char *json, *report;

	result->run.app = "</script><script>alert(1)</script>\"'&\u202e\1";
	hostile = html_of(result);
	json = fixture_json(result);
	assert_non_null(at);
	assert_memory_equal(plain, hostile, (size_t)(at - plain));
	at = hostile + (at - plain);
	assert_memory_equal(at + strlen(data), "report\">", 8);
	at += strlen(data) + 8;
	end = strchr(at, '<');
	report = decode(at, (size_t)(end - at), strlen(json));
	assert_string_equal(report, json);
	for (at = end; *at; at = strchr(strchr(at, '>') + 1, '<')) {
		assert_memory_equal(at, "</script>\n", 10);
		at += 10;
		if (!*at)
			break;
		assert_memory_equal(at, data, strlen(data));
	}
	free(report);
	free(json);
	free(plain);
	free(hostile);
	xs_result_free(result);
}
