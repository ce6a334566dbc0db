/* SPDX-License-Identifier: MIT */
/* The timeline of the page: lanes, and how their slices are packed. */
#include "report/render/html/pack.h"
#include "report/timeline/lanes.h"
#include "tests/unit.h"

#include <stdlib.h>

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
	char *got = NULL;
	size_t count;
	FILE *out = open_memstream(&got, &count);

	assert_non_null(out);
	xs_html_pack(&timeline, out);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(count, sizeof(expected));
	assert_memory_equal(got, expected, sizeof(expected));
	free(got);
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
	xs_arena_free(&arena);
}
