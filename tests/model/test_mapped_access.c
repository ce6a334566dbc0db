/* SPDX-License-Identifier: MIT */
/* model/replay/mapped_access.c: the time of a kernel's accesses over the link.
 */
#include "tests/model/model_test.h"

#include "model/replay/mapped_access.h"
#include "model/replay/mapped_writes.h"

static struct xs_machine machine;
static struct xs_round_work work;

FIXTURE(set_up)
{
	xs_machine_init(&machine);
	set_param(&machine.mapped_read, 1);
	set_param(&machine.mapped_write, 2);
	set_param(&machine.kernel_gap_ns, 1540);
	work = (struct xs_round_work){.in_bytes = 6400,
				      .out_bytes = 3200,
				      .read_sectors = NAN,
				      .read_requests = NAN,
				      .l1_fills = NAN,
				      .write_sectors = NAN,
				      .write_requests = NAN,
				      .other_bytes = NAN};
	return 0;
}

/* A kernel's start and end take 540 of the gap. */
static struct xs_mapped_times without_edges(enum xs_mapped_case which)
{
	struct xs_mapped_times times =
	    xs_mapped_access_times(&machine, &work, which);

	times.both_ns -= 540;
	return times;
}

static struct xs_mapped_times mapped(void)
{
	return without_edges(XS_MAPPED_USUAL);
}

static struct xs_mapped_times at_most(void)
{
	return without_edges(XS_MAPPED_MOST);
}

static struct xs_mapped_times at_least(void)
{
	return without_edges(XS_MAPPED_LEAST);
}

TEST(test_each_byte_once)
{
	assert_near(mapped().read_ns, 6400);
	assert_near(mapped().write_ns, 6400);
	/* Rates for both at once are unknown: they do not slow each other. */
	assert_near(mapped().both_ns, 6400);
	assert_true(isnan(xs_mapped_access_reads_per_byte(&work)));
}

TEST(test_counted_sectors)
{
	work.read_sectors = 1000;
	assert_near(mapped().read_ns, 32000);
	assert_near(xs_mapped_access_reads_per_byte(&work), 5);
	work.write_sectors = 150;
	assert_near(mapped().write_ns, 9600);
	assert_near(xs_mapped_access_writes_per_byte(&work), 1.5);
}

/* Of 1050 requests, 50 read the data in lines, the others a sector of a table
 * each. Any other count leaves it open which of them read the data. */
TEST(test_lines_beside_requests_of_one_sector)
{
	set_param(&machine.mapped_read_32, 3);
	set_param(&machine.mapped_read_64, 2);
	work.other_bytes = 64000;
	work.read_requests = 1050;
	work.read_sectors = 1200;
	assert_near(mapped().read_ns, 6400);
	/* lines of the table, and a sector of the data each? */
	work.other_bytes = 6400;
	assert_true(mapped().read_ns > 600 * 32 * 2);
	work.other_bytes = 64000;
	work.read_sectors = 1210;
	assert_true(mapped().read_ns > 6400);
}

/* The L2 saw 600 of 1000 sectors: the other reads were merged with them. */
TEST(test_fills_cross_the_bus)
{
	set_param(&machine.mapped_read_32, 3);
	set_param(&machine.mapped_read_64, 2);
	work.read_sectors = 600;
	work.read_requests = 300;
	work.l1_fills = 1000;
	assert_near(mapped().read_ns, 500 * 128.0);
	assert_near(xs_mapped_access_reads_per_byte(&work), 5);
	assert_near(at_most().read_ns, 500 * 128.0);
	assert_near(at_least().read_ns, 300 * 128.0);
}

/* Of 1500 sectors, 200 fill the data. The kernel is given four times as much
 * memory that stays on the device: a fifth of the reads are of the data, or all
 * are, or each byte is read once. */
TEST(test_memory_that_stays_on_the_device)
{
	work.read_sectors = 1500;
	assert_near(mapped().read_ns, 1500 * 32.0);
	work.other_bytes = 4 * work.in_bytes;
	assert_near(mapped().read_ns, 300 * 32.0);
	assert_near(at_most().read_ns, 1500 * 32.0);
	assert_near(at_least().read_ns, 200 * 32.0);
	/* less than once: each byte is taken to be read */
	work.read_sectors = 500;
	assert_near(mapped().read_ns, 200 * 32.0);
	work.other_bytes = 0;
	assert_near(mapped().read_ns, 500 * 32.0);
}

/* In 100 ns at 100 bytes a ns a kernel reads and writes at most 10000 bytes. */
TEST(test_reads_that_were_not_counted)
{
	work.kernel_ns = 100;
	assert_near(at_most().read_ns, 6400); /* bandwidth is not known */
	machine.memory_bandwidth = 100e9;
	assert_near(at_most().read_ns, 10000 - 3200);
	assert_near(mapped().read_ns, 6400);
	work.read_sectors = 1000;
	assert_near(at_most().read_ns, 32000);
}

/* 100 requests of 128 bytes, 12800 ns over the link. Each waits 1024 ns, and
 * 400 ns on the device. */
static void set_few_warps(uint32_t threads)
{
	set_param(&machine.mapped_read_latency_ns, 1024);
	set_param(&machine.device_read_latency_ns, 400);
	machine.l2_bytes = 1;
	machine.sm_count = 10;
	machine.max_threads_per_sm = 2048;
	work.in_bytes = 12800;
	work.out_bytes = 0;
	work.blocks = 1;
	work.block_threads = threads;
}

/* A result alone is mapped: what the kernel reads stays on the device. */
TEST(test_nothing_is_copied_in)
{
	set_few_warps(32);
	work.in_bytes = 0;
	work.out_bytes = 640;
	work.read_sectors = work.l1_fills = 400;
	assert_near(mapped().read_ns, 0);
	assert_true(mapped().write_ns > 0);
}

TEST(test_few_reads_in_flight)
{
	set_few_warps(32);
	assert_near(mapped().read_ns, 102400);
	/* 8 warps have as much in flight as the link needs */
	set_few_warps(256);
	assert_near(mapped().read_ns, 12800);
	set_few_warps(1024);
	work.blocks = 100;
	assert_near(mapped().read_ns, 12800);
	/* without the parameters */
	set_few_warps(32);
	set_param(&machine.mapped_read_latency_ns, NAN);
	assert_near(mapped().read_ns, 12800);
}

/* On the device the warp waits for 40000 ns: the rest of the kernel is its own
 * work. A kernel of 20000 ns has two requests in flight. */
TEST(test_few_warps_do_not_hide_waits)
{
	set_few_warps(32);
	work.kernel_ns = 50540;
	assert_near(mapped().both_ns, 10000 + 102400);
	work.kernel_ns = 20000;
	assert_near(mapped().both_ns, 51200);
	assert_near(at_most().both_ns, 102400);
	set_few_warps(1024);
	assert_near(mapped().both_ns, 12800);
}

/* A warp waits for 60 of 100 cycles: 60000 ns of the kernel, whatever it reads.
 * The L2 has the data, with 100 ns where the memory has 400, as the first read
 * has. Requests of one sector: 200, the mean of both.
 */
TEST(test_counted_waits)
{
	set_few_warps(256);
	work.kernel_ns = 100540;
	work.waiting_cycles = 60;
	work.warp_cycles = 100;
	work.in_bytes = 8 * 800 * 32;
	set_param(&machine.mapped_read, 0.1);
	machine.l2_bytes = 8 * 900 * 32;
	assert_near(mapped().both_ns, 40000 + 60000 * 2.56);
	assert_near(at_most().both_ns, 40000 + 1024 + 59600 * 2.56 / 0.33);
	set_param(&machine.l2_read_latency_ns, 100);
	assert_near(mapped().both_ns, 40000 + 1024 + 59600 * 10.24);
	assert_near(at_most().both_ns, 40000 + 1024 + 59600 * 10.24);
	assert_near(at_least().both_ns, 40000 + 60000 * 2.56);
	work.read_sectors = work.read_requests = 8 * 800;
	assert_near(mapped().both_ns, 40000 + 1024 + 59600 * 5.12);
	machine.l2_bytes = 8 * 800 * 32 - 1;
	assert_near(mapped().both_ns, 40000 + 60000 * 2.56);
}

/* A warp that waits for 60000 ns with 50 sectors to read, of 400 ns each, waits
 * for what its kernel does beside them. At most, the 8 warps read the same. */
TEST(test_waits_behind_other_accesses)
{
	set_few_warps(256);
	work.in_bytes = 8 * 50 * 32;
	work.kernel_ns = 100540;
	work.waiting_cycles = 60;
	work.warp_cycles = 100;
	assert_near(mapped().both_ns, 80000 + 20000 * 2.56);
	assert_near(at_most().both_ns, 40000 + 60000 * 2.56);
}

/*
 * Ten blocks on ten SMs, of which each reads all data: 1000 requests, 128000 ns
 * over the link. A warp waits for three of them on the device. The SMs compute
 * together, while nothing is read.
 */
TEST(test_sms_in_step)
{
	set_few_warps(1024);
	work.blocks = 10;
	work.read_sectors = 4000;
	work.read_requests = 1000;
	work.kernel_ns = 50540;
	assert_near(mapped().both_ns, 50000 - 1250 + 128000);
	assert_near(at_least().both_ns, 128000);
	/* each SM reads a fifth of the data */
	work.in_bytes *= 5;
	assert_near(mapped().both_ns, 128000);
}

/* A kernel with memory of its own, to which it writes, reads this, too: the
 * data once, for which it waits half of its time. */
TEST(test_reads_elsewhere)
{
	set_few_warps(32);
	work.out_bytes = 32;
	work.read_sectors = 800;
	work.read_requests = 200;
	work.write_sectors = 1000;
	work.kernel_ns = 40000;
	assert_near(mapped().read_ns, 20000 * 2.56);
	assert_near(at_most().read_ns, 200 * 1024);
	set_few_warps(1024);
	work.blocks = 100;
	work.out_bytes = 32;
	assert_near(mapped().read_ns, 12800);
	assert_near(at_most().read_ns, 25600);
}

/* At most, the 8 warps of an SM wait for the same 100 requests, but no longer
 * than the kernel took. */
TEST(test_warps_that_read_the_same)
{
	set_few_warps(256);
	work.kernel_ns = 50540;
	assert_near(at_most().both_ns, 10000 + 102400);
	work.kernel_ns = 20000;
	assert_near(at_most().both_ns, 51200);
}

/* Requests of 32, 64 and 128 bytes take 96, 128 and 192 ns. A mean of 48 bytes
 * is that of lines and single sectors: a sixth of the way, 112; 96 bytes, 160.
 */
TEST(test_small_requests_cost_more)
{
	set_param(&machine.mapped_read_32, 3);
	set_param(&machine.mapped_read_64, 2);
	set_param(&machine.mapped_read, 1.5);
	work.read_sectors = 1200;
	work.read_requests = 1200;
	assert_near(mapped().read_ns, 1200 * 96.0);
	work.read_requests = 600;
	assert_near(mapped().read_ns, 600 * 128.0);
	work.read_requests = 300;
	assert_near(mapped().read_ns, 300 * 192.0);
	work.read_requests = 800;
	assert_near(mapped().read_ns, 800 * 112.0);
	work.read_requests = 400;
	assert_near(mapped().read_ns, 400 * 160.0);
}

/* Equal bytes in both directions take 2.5 per byte instead of 2: each read
 * request costs the writes 64 ns. Twice the reads cost twice that. */
TEST(test_reads_slow_writes)
{
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

/* 300 reads and 200 stores of 50 ns each, in turn; stores that fill the results
 * side by side would be lines of 6400 ns in all. */
TEST(test_requests_in_turn)
{
	set_param(&machine.mapped_write_apart_ns, 50);
	work.read_sectors = work.read_requests = 300;
	work.write_sectors = 100;
	work.write_requests = 200;
	assert_near(mapped().both_ns, 500 * 50.0);
	assert_near(at_least().both_ns, 300 * 32.0);
	/* Too few reads to keep the warps apart. */
	work.read_sectors = work.read_requests = 19;
	assert_near(mapped().both_ns, 6400);
	/* Most of what is stored stays on the device. */
	work.read_sectors = work.read_requests = 300;
	work.write_sectors = 300;
	assert_near(mapped().both_ns, 200 * 32);
	work.out_bytes = 0;
	assert_near(mapped().both_ns, 200 * 32);
}

/* 6400 of reads and of writes. A tenth of the blocks runs first, and each
 * thread reads 4 numbers. */
TEST(test_first_blocks_only_read)
{
	machine.sm_count = 10;
	machine.max_threads_per_sm = 32;
	work.blocks = 100;
	work.block_threads = 32;
	work.read_sectors = 200;
	work.read_requests = 400;
	assert_near(mapped().both_ns, 6400 * (1 + 0.65 / 10));
	assert_near(at_least().both_ns, 6400 * (1 + 0.65 / 10));
	work.registers = 1; /* holds one of the four */
	assert_near(mapped().both_ns, 6400 * (1 + 0.65 / 40));
	/* All run at once, and loop or do not. */
	work.registers = 4;
	work.blocks = 10;
	work.read_requests = 40;
	assert_near(mapped().both_ns, 6400 * (1 + 0.65 / 2));
	assert_near(at_least().both_ns, 6400);
	assert_near(at_most().both_ns, 6400 * 1.65);
	/* 16 numbers, and 8 registers for others. */
	work.read_requests = 160;
	work.registers = 24;
	work.in_place = true;
	assert_near(mapped().both_ns, 6400 * (1 + 0.65 / 2));
	work.registers = 23; /* a loop, with 4 at a time */
	assert_near(mapped().both_ns, 6400 * (1 + 0.65 / 4));
	assert_near(at_most().both_ns, 6400 * 1.65);
	work.in_place = false; /* may read ahead */
	assert_near(mapped().both_ns, 6400 * (1 + 0.65 / 2));
	work.read_requests = 40;
	/* Two kernels of that size, side by side. */
	work.kernels = 2;
	work.blocks = 20;
	assert_near(mapped().both_ns, 6400);
}

/* Results of 100 full sectors, 110 counted: ten sectors are shared by two
 * warps.
 */
TEST(test_rows_off_sectors)
{
	set_param(&machine.mapped_write_partial_ns, 100);
	work.write_sectors = 110;
	work.write_requests = 50;
	assert_near(mapped().write_ns, 6400 + 10 * 100);
	assert_near(at_most().write_ns, 6400 + 20 * 100);
	assert_near(at_least().write_ns, 6400);
	/* The other half is written to the device, or all of it crosses. */
	work.write_sectors = 200;
	assert_near(mapped().write_ns, 6400);
	assert_near(at_most().write_ns, 12800);
	/* A kernel that is given the copied data alone writes it again: each
	 * sector as one of 64, or as parts of 3. */
	work.other_bytes = 0;
	assert_near(mapped().write_ns, 12800);
	assert_near(at_least().write_ns, 6400);
	set_param(&machine.mapped_write_partial_ns, 3);
	assert_near(mapped().write_ns, 6400 + 100 * 3);
}

/* 100 sectors in 100 requests that fill the results: neighbours make up lines,
 * at most none. */
TEST(test_requests_side_by_side)
{
	set_param(&machine.mapped_write_32, 5);
	set_param(&machine.mapped_write_64, 3);
	work.write_sectors = work.write_requests = 100;
	assert_near(mapped().write_ns, 6400);
	assert_near(at_most().write_ns, 100 * 160);
	/* half of the results are not written by this kernel */
	work.write_sectors = work.write_requests = 50;
	assert_near(mapped().write_ns, 50 * 160);
}

/* The time of stores of parts, of which this share is not joined. */
static double not_joined(double share)
{
	return 6400 + share * (80000 - 6400);
}

/* Two instructions of a warp store 4 bytes to each 8: 8 sectors each, 4 lanes a
 * sector. 8 writes of 100 ns for each sector if the L1 joins none. */
TEST(test_stores_that_are_not_joined)
{
	set_param(&machine.mapped_write_partial_ns, 100);
	work.write_sectors = 100;
	work.write_requests = 25;
	work.stores = 25;
	work.store_sectors = 200;
	assert_near(at_least().write_ns, 6400);
	assert_near(at_most().write_ns, 80000);
	assert_near(mapped().write_ns, not_joined(8.0 / 158));
	/* 2 sectors; 16 lanes need 4 writes, too */
	work.stores = 100;
	assert_near(mapped().write_ns, not_joined(2.0 / 152));
	/* a lane for each sector: one write */
	work.stores = 6.25;
	assert_near(at_most().write_ns, 20000);
	/* what the L2 counts may be less than the results */
	work.store_sectors = 100;
	work.write_sectors = 60;
	assert_near(mapped().write_ns, 6400);
	/* one lane stores, or all of them a whole sector */
	work.store_sectors = 200;
	work.stores = 200;
	assert_near(at_most().write_ns, 20000);
}

/* The same stores of a kernel that reads as many sectors as it writes. */
static void set_stores(void)
{
	set_param(&machine.mapped_write_partial_ns, 100);
	machine.max_threads_per_sm = 512;
	machine.sm_count = 2;
	work.blocks = 6;
	work.kernels = 1;
	work.block_threads = 128;
	work.read_sectors = 100;
	work.write_sectors = 100;
	work.stores = 25;
	work.store_sectors = 200;
}

TEST(test_warps_that_store_together)
{
	set_stores();
	assert_near(mapped().write_ns, not_joined(8.0 / 158));
	/* those of a block have a barrier */
	work.shared_bytes = 4;
	assert_near(mapped().write_ns, not_joined(32.0 / 182));
	/* none reads: all 12 of an SM; half of the reads: the mean of both */
	work.read_sectors = 0;
	assert_near(mapped().write_ns, not_joined(96.0 / 246));
	work.shared_bytes = 0;
	work.read_sectors = 50;
	assert_near(mapped().write_ns,
		    not_joined((8.0 / 158 + 96.0 / 246) / 2));
	/* no more than fit */
	work.read_sectors = 0;
	work.blocks = 16;
	assert_near(mapped().write_ns, not_joined(128.0 / 278));
	/* the path has room for a quarter of all, half of those on the SMs */
	set_param(&machine.mapped_write_early_ns, 1600);
	assert_near(mapped().write_ns, not_joined(0.75 * 128 / 278));
	work.read_sectors = 50;
	assert_near(mapped().write_ns,
		    not_joined((8.0 / 158 + 0.5 * 128 / 278) / 2));
	set_param(&machine.mapped_write_early_ns, 3200);
	assert_near(mapped().write_ns, not_joined(8.0 / 158 / 2));
}

/* Seven lanes store 4 bytes each to a sector: what lies side by side crosses at
 * once, in two parts at most. So do words that are stored again and again. Of
 * 16 words of 2 bytes, each quarter may cross. */
TEST(test_stores_side_by_side)
{
	set_stores();
	work.stores = 35;
	work.store_sectors = 160;
	work.out_bytes = 4 * 35 * 32;
	assert_near(at_most().write_ns, 2 * 160 * 100);
	work.out_bytes = 35 * 32 / 2.0;
	assert_near(at_most().write_ns, 2 * 160 * 100);
	work.out_bytes = 2 * 35 * 32;
	assert_near(at_most().write_ns, 4 * 160 * 100);
}

/* To memory of the kernel's own no store crosses, joined or not. */
TEST(test_stores_elsewhere)
{
	set_stores();
	work.write_sectors = 200;
	work.store_sectors = 400;
	assert_near(mapped().write_ns, 6400);
	work.other_bytes = 0;
	assert_true(mapped().write_ns > 2 * 6400);
}

/* Without its memory being busy, the device joins 20 of 100 stores. At half of
 * its bandwidth, half of the others are separated in the kernel. */
TEST(test_stores_that_the_device_does_not_join)
{
	set_stores();
	work.other_bytes = 0;
	work.write_sectors = 180;
	work.kernel_ns = 1000;
	machine.memory_bandwidth = 1e18;
	assert_near(mapped().write_ns, 180 * 64 + 0.8 * (80000 - 180 * 64));
	work.read_sectors = 90;
	machine.memory_bandwidth = 270 * 32 / 500e-9;
	assert_near(mapped().write_ns, 180 * 64 + 0.4 * (80000 - 180 * 64));
}

/* Columns: each request has one part of a sector, in a line of its own. */
TEST(test_parts_in_lines_of_their_own)
{
	set_param(&machine.mapped_write_partial_ns, 3);
	set_param(&machine.mapped_write_apart_ns, 2);
	work.other_bytes = 0;
	work.write_sectors = work.write_requests = 800;
	assert_near(mapped().write_ns, 6400 + 700 * 2);
	work.write_requests = 400;
	assert_near(mapped().write_ns, 6400 + 700 * 3);
}

/* A piece of 800 bytes does not begin at a line; its stores touch two lines. */
TEST(test_pieces_off_lines)
{
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

RUN_TESTS(set_up, NULL)
