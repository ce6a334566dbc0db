/* SPDX-License-Identifier: MIT */
#include "report/result/arena.h"
#include "report/result/units.h"
#include "tests/unit.h"

#include <errno.h>
#include <math.h>

TEST(times_have_three_digits)
{
	assert_string_equal(xs_units_ns(0).s, "0 ns");
	assert_string_equal(xs_units_ns(999).s, "999 ns");
	assert_string_equal(xs_units_ns(1000).s, "1.00 us");
	assert_string_equal(xs_units_ns(3900000).s, "3.90 ms");
	assert_string_equal(xs_units_ns(39000000).s, "39.0 ms");
	assert_string_equal(xs_units_ns(390000000).s, "390 ms");
	assert_string_equal(xs_units_ns(4210000000).s, "4.21 s");
	assert_string_equal(xs_units_ns(3500000000000).s, "3500 s");
	assert_string_equal(xs_units_ns(7200000000000).s, "2.00 h");
	assert_string_equal(xs_units_ns(-1500).s, "-1.50 us");
	assert_string_equal(xs_units_ns(XS_UNKNOWN).s, "-");
}

/* 999.95 us is not printed as "1000 us". */
TEST(rounding_reaches_the_next_unit)
{
	assert_string_equal(xs_units_ns(999949).s, "1.00 ms");
	assert_string_equal(xs_units_ns(999400).s, "999 us");
	assert_string_equal(xs_units_ns(9996).s, "10.0 us");
	assert_string_equal(xs_units_ns(99960).s, "100 us");
}

TEST(ranges_have_one_unit)
{
	assert_string_equal(xs_units_range_ns(900000, 1100000).s,
			    "0.90-1.10 ms");
	assert_string_equal(xs_units_range_ns(11800000, 12200000).s,
			    "11.8-12.2 ms");
	assert_string_equal(xs_units_range_ns(XS_UNKNOWN, 5).s, "-");
}

/* Neither "106-106 ms" nor "106.1-106.3 ms". */
TEST(ranges_have_three_digits)
{
	assert_string_equal(xs_units_range_ns(106100000, 106300000).s,
			    "106 ms");
	assert_string_equal(xs_units_range_ns(999600, 1000000).s, "1.00 ms");
	assert_string_equal(xs_units_range_ns(5, 5).s, "5 ns");
	assert_string_equal(xs_units_range_ns(-2000000, 3000000).s,
			    "-2.00-3.00 ms");
	assert_string_equal(
	    xs_units_in_range_ns(106180000, 105100000, 106300000).s,
	    "106 ms (105-106 ms)");
	assert_string_equal(
	    xs_units_in_range_ns(106180000, 106100000, 106300000).s, "106 ms");
	assert_string_equal(
	    xs_units_in_range_ns(758000000, 750000000, 1110000000).s,
	    "758 ms (0.75-1.11 s)");
	assert_string_equal(xs_units_in_range_ns(5000000, XS_UNKNOWN, 5).s,
			    "5.00 ms");
}

TEST(bare_numbers_take_the_unit_of_another)
{
	const char *unit = NULL;

	assert_string_equal(xs_units_ns_bare(12500000, 990000, &unit).s,
			    "12500");
	assert_string_equal(unit, "us");
	assert_string_equal(xs_units_ns_bare(12500000, 1990000, &unit).s,
			    "12.5");
	assert_string_equal(unit, "ms");
}

TEST(sizes_are_binary)
{
	assert_string_equal(xs_units_bytes(0).s, "0 B");
	assert_string_equal(xs_units_bytes(1023).s, "1023 B");
	assert_string_equal(xs_units_bytes(64 << 20).s, "64 MiB");
	assert_string_equal(xs_units_bytes(1500000).s, "1.43 MiB");
	assert_string_equal(xs_units_bytes(3LL << 40).s, "3 TiB");
	assert_string_equal(xs_units_bytes(XS_UNKNOWN).s, "-");
}

TEST(rates_and_shares)
{
	/* 17 bytes per ns */
	assert_string_equal(xs_units_rate(17000, 1000).s, "17.0 GB/s");
	assert_string_equal(xs_units_rate(4, 1000).s, "4.00 MB/s");
	assert_string_equal(xs_units_rate(17000, 0).s, "-");
	assert_string_equal(xs_units_percent(1, 3).s, "33.3 %");
	assert_string_equal(xs_units_percent(1, 0).s, "-");
	assert_string_equal(xs_units_percent(XS_UNKNOWN, 3).s, "-");
	assert_string_equal(xs_units_share(3, 3).s, "100.0 %");
	assert_string_equal(xs_units_share(4, 3).s, "-");
	assert_string_equal(xs_units_count(XS_UNKNOWN).s, "-");
	assert_string_equal(xs_units_ratio(4.0 / 3).s, "1.33x");
	assert_string_equal(xs_units_ratio(INFINITY).s, "-");
	assert_string_equal(xs_units_per_s(999).s, "999 /s");
	assert_string_equal(xs_units_per_s(999.5).s, "1 k/s");
	assert_string_equal(xs_units_per_s(251493).s, "251 k/s");
	assert_string_equal(xs_units_per_s(112789966).s, "113 M/s");
	assert_string_equal(xs_units_per_s(INFINITY).s, "-");
}

TEST(sizes_are_read)
{
	static const struct {
		const char *text;
		int64_t bytes;
	} good[] = {
	    {"0", 0},
	    {"67108864", 67108864},
	    {"4096B", 4096},
	    {"64MiB", 64 << 20},
	    {"64 MiB", 64 << 20},
	    {"64M", 64 << 20},
	    {"64MB", 64000000},
	    {"1.5G", 3LL << 29},
	    {"2k", 2048},
	    {"1e3", 1000},
	    {"4TiB", 4LL << 40},
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		int64_t bytes = -1;

		assert_int_equal(xs_units_parse_bytes(good[i].text, &bytes), 0);
		assert_int_equal(bytes, good[i].bytes);
	}
}

TEST(nonsense_is_no_size)
{
	static const char *const bad[] = {
	    "",	   "-1",  "64 MiBs", "MiB", "0x10", "nan", "inf", "9999999999T",
	    "1 2", "64Q", "+5",	     " 5",  "0.1"};
	int64_t bytes;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(xs_units_parse_bytes(bad[i], &bytes), -EINVAL);
}

TEST(numbers_and_counts)
{
	double number = -1;
	unsigned count = 0;

	assert_int_equal(xs_units_parse_number("12.5", &number), 0);
	assert_true(number == 12.5);
	assert_int_equal(xs_units_parse_number("12.5ms", &number), -EINVAL);
	assert_int_equal(xs_units_parse_number("-3", &number), -EINVAL);
	assert_int_equal(xs_units_parse_count("8", 64, &count), 0);
	assert_int_equal(count, 8);
	assert_int_equal(xs_units_parse_count("0", 64, &count), -EINVAL);
	assert_int_equal(xs_units_parse_count("65", 64, &count), -EINVAL);
	assert_int_equal(xs_units_parse_count("8x", 64, &count), -EINVAL);
}

TEST(an_item_is_listed_once)
{
	struct xs_arena arena = {0};
	const char *list =
	    xs_arena_join_once(&arena, NULL, "resident-throughout");

	list = xs_arena_join_once(&arena, list, "resident");
	list = xs_arena_join_once(&arena, list, "graph");
	list = xs_arena_join_once(&arena, list, "resident");
	list = xs_arena_join_once(&arena, list, "graph");
	assert_string_equal(list, "resident-throughout, resident, graph");

	list = xs_arena_join_once(&arena, "", "graph"); /* a damaged name */
	list = xs_arena_join_once(&arena, list, "graph");
	assert_string_equal(list, ", graph");
	xs_arena_free(&arena);
}
