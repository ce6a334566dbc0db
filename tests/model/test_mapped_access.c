/* SPDX-License-Identifier: MIT */
/* model/replay/mapped_access.c: the time of a kernel's accesses over the link.
 */
#include "tests/model/model_test.h"

#include "model/replay/mapped_access.h"

static struct xs_machine machine;
static struct xs_round_work work;

static int set_up(void **unused)
{
	(void)unused;
	xs_machine_init(&machine);
	set_param(&machine.mapped_read, 1);
	set_param(&machine.mapped_write, 2);
	work = (struct xs_round_work){.in_bytes = 6400,
				      .out_bytes = 3200,
				      .read_sectors = NAN,
				      .read_requests = NAN,
				      .write_sectors = NAN,
				      .write_requests = NAN};
	return 0;
}

static struct xs_mapped_times mapped(void)
{
	return xs_mapped_access_times(&machine, &work);
}

static void test_each_byte_once(void **unused)
{
	(void)unused;
	assert_near(mapped().read_ns, 6400);
	assert_near(mapped().write_ns, 6400);
	/* Rates for both at once are unknown: they do not slow each other. */
	assert_near(mapped().both_ns, 6400);
	assert_true(isnan(xs_mapped_access_reads_per_byte(&work)));
}

static void test_counted_sectors(void **unused)
{
	(void)unused;
	work.read_sectors = 1000;
	assert_near(mapped().read_ns, 32000);
	assert_near(xs_mapped_access_reads_per_byte(&work), 5);
	work.write_sectors = 150;
	assert_near(mapped().write_ns, 9600);
	assert_near(xs_mapped_access_writes_per_byte(&work), 1.5);
}

/* Requests of 32, 64 and 128 bytes take 96, 128 and 128 ns; 96 bytes, between
 * the last two, take 128 and 48 bytes take 112. */
static void test_small_requests_cost_more(void **unused)
{
	(void)unused;
	set_param(&machine.mapped_read_32, 3);
	set_param(&machine.mapped_read_64, 2);
	work.read_sectors = 1200;
	work.read_requests = 1200;
	assert_near(mapped().read_ns, 1200 * 96.0);
	work.read_requests = 600;
	assert_near(mapped().read_ns, 600 * 128.0);
	work.read_requests = 300;
	assert_near(mapped().read_ns, 300 * 128.0);
	work.read_requests = 800;
	assert_near(mapped().read_ns, 800 * 112.0);
	work.read_requests = 400;
	assert_near(mapped().read_ns, 400 * 128.0);
}

/* Equal bytes in both directions take 2.5 per byte instead of 2: each read
 * request costs the writes 64 ns. Twice the reads cost twice that. */
static void test_reads_slow_writes(void **unused)
{
	(void)unused;
	set_param(&machine.mapped_both_write, 2.5);
	work.in_bytes = 1000;
	work.out_bytes = 1000;
	assert_near(mapped().both_ns, 2500);
	work.in_bytes = 2000;
	assert_near(mapped().both_ns, 3000);
	work.in_bytes = 10000;
	assert_near(mapped().both_ns, 10000);
	work.out_bytes = 0;
	work.in_bytes = 1000;
	assert_near(mapped().both_ns, 1000);
}

/* Results of 100 full sectors, 110 counted: ten rows begin within a sector,
 * which makes 20 partial ones. Blocks with two warps per row merge half of
 * them. */
static void test_rows_off_sectors(void **unused)
{
	(void)unused;
	set_param(&machine.mapped_write_partial_ns, 100);
	work.write_sectors = 110;
	work.write_requests = 50;
	work.block_x = 64;
	assert_near(mapped().write_ns, 6400 + 10 * 100);
	work.block_x = 1;
	assert_near(mapped().write_ns, 6400 + 20 * 100);
	/* The other half is written to the device. */
	work.write_sectors = 200;
	assert_near(mapped().write_ns, 6400);
}

/* A piece of 800 bytes does not begin at a line; its stores touch two lines. */
static void test_pieces_off_lines(void **unused)
{
	(void)unused;
	set_param(&machine.mapped_write_32, 3);
	set_param(&machine.mapped_write_64, 3);
	assert_near(xs_mapped_access_piece_ns(&machine, &work, 1), 6400);
	assert_near(xs_mapped_access_piece_ns(&machine, &work, 4),
		    100 * 96 / 4.0);
	work.write_sectors = 100;
	work.write_requests = 25;
	assert_near(xs_mapped_access_piece_ns(&machine, &work, 1), 6400);
	assert_near(xs_mapped_access_piece_ns(&machine, &work, 4),
		    100 * 96 / 4.0);
}

#define TEST(f) cmocka_unit_test_setup(f, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(test_each_byte_once),		 TEST(test_counted_sectors),
	    TEST(test_small_requests_cost_more), TEST(test_reads_slow_writes),
	    TEST(test_rows_off_sectors),	 TEST(test_pieces_off_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
