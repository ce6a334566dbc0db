/* SPDX-License-Identifier: MIT */
/* Which launches are known to be given no addresses of other memory, after
 * copies of real host memory to device memory that is only in the list. */
#include "tests/unit.h"

#include "preload/record/address_tables.h"
#include "preload/record/live_memory.h"
#include "preload/record/mapped_handles.h"
#include "preload/record/table_search.h"

#define POOL	   UINT64_C(0x700000000000)
#define POOL_BYTES (UINT64_C(1) << 20)
#define ARRAY	   UINT64_C(0x710000000000)
#define VARIABLE   UINT64_C(0x720000000000)

static uint64_t words[1 << 14];

static void set_up(void)
{
	static uint64_t times;

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		words[i] = 0x3ff0000000000000;
	xs_live_memory_remove_all(UINT64_MAX);
	xs_address_tables_cut(0, UINT64_MAX);
	xs_table_search_outdate(POOL, ++times);
	xs_live_memory_add(POOL, POOL_BYTES, 1, XS_LIVE_DEVICE);
	xs_live_memory_add(ARRAY, 256, 1, XS_LIVE_DEVICE);
}

static enum xs_pointers_known known(uint64_t word)
{
	uint64_t address;
	struct xs_live_addresses found = {
	    .addresses = &address, .room = 1, .known = XS_POINTERS_ALL};

	xs_live_memory_collect(&word, 1, &found);
	return found.known;
}

static void copy(uint64_t dst, const void *src, uint64_t bytes, bool always)
{
	const struct xs_event event = {.dst = dst,
				       .src = (uintptr_t)src,
				       .bytes = bytes,
				       .rows = 1,
				       .direction = cudaMemcpyHostToDevice};

	xs_table_search_copy(&event, always);
}

static bool pinned(uint64_t address)
{
	bool leads = false;

	return xs_table_search_pinned(address, &leads) && leads;
}

static void copy_on_device(uint64_t dst, uint64_t src, uint64_t bytes,
			   uint16_t direction)
{
	const struct xs_event event = {.dst = dst,
				       .src = src,
				       .bytes = bytes,
				       .rows = 1,
				       .direction = direction};

	xs_table_search_copy(&event, false);
}

/* The mark is that of the range: other data that takes its place ends it. */
TEST(a_table_ends_when_it_is_overwritten)
{
	set_up();
	words[1] = ARRAY + 8;
	copy(POOL + 4096, words, 16, false);
	assert_int_equal(known(POOL), XS_POINTERS_TABLE);
	assert_int_equal(known(ARRAY), XS_POINTERS_ALL);
	copy(POOL, words + 2, 4096, false);
	assert_int_equal(known(POOL), XS_POINTERS_TABLE);
	copy(POOL + 4096, words + 2, 8, false);
	assert_int_equal(known(POOL), XS_POINTERS_TABLE);
	copy(POOL, words + 2, 8192, false);
	assert_int_equal(known(POOL), XS_POINTERS_ALL);
	/* nor does new memory have what the old one had */
	copy(POOL, words, 16, false);
	xs_live_memory_remove(POOL, 2);
	xs_live_memory_add(POOL, 256, 3, XS_LIVE_DEVICE);
	assert_int_equal(known(POOL), XS_POINTERS_ALL);
}

/* However many copies there were before, and wherever it lies in 4 KiB; of
 * more, tables of one kind of element are found. */
TEST(tables_are_found)
{
	set_up();
	for (int i = 0; i < 5000; i++)
		copy(POOL, words, 4096, false);
	words[511] = ARRAY;
	copy(POOL + 65536, words, 4096, false);
	assert_int_equal(known(POOL), XS_POINTERS_TABLE);
	copy(POOL + 65536, words + 512, 4096, false);
	assert_int_equal(known(POOL), XS_POINTERS_ALL);
	for (int i = 0; i < 16384; i += 100)
		words[i] = ARRAY;
	copy(POOL, words, sizeof(words), false);
	assert_int_equal(known(POOL), XS_POINTERS_TABLE);
	set_up();
	words[16383] = ARRAY;
	copy(POOL, words, sizeof(words), false);
	assert_int_equal(known(POOL), XS_POINTERS_TABLE);
}

/* Copies data, then a table, to one destination. Returns whether the table is
 * seen. Memory of so many bytes was allocated between them. */
static bool is_seen(int copies, uint64_t allocated, bool always)
{
	for (int i = 0; i < copies; i++)
		copy(POOL, words, 64, false);
	words[0] = ARRAY;
	if (allocated)
		xs_table_search_outdate(ARRAY, allocated);
	copy(POOL, words, 64, always);
	words[0] = 0;
	return known(POOL) == XS_POINTERS_TABLE;
}

/* The 17th copy to one destination is looked at if each one is, if new memory
 * was allocated since, or later. Memory that comes again is new 16 times. */
TEST(copies_that_repeat)
{
	set_up();
	assert_true(is_seen(15, 0, false));
	set_up();
	assert_false(is_seen(16, 0, false));
	assert_true(is_seen(0, 0, true));
	for (int i = 0; i < 16; i++) {
		set_up();
		assert_true(is_seen(16, 1000, false));
	}
	set_up();
	assert_false(is_seen(16, 1000, false));
	assert_true(is_seen(0, 1001, false));
	set_up();
	for (int i = 0; i < 2000; i++)
		copy(POOL, words, 64, false);
	words[0] = ARRAY;
	for (int i = 0; i < 64; i++)
		copy(POOL, words, 64, false);
	assert_int_equal(known(POOL), XS_POINTERS_TABLE);
	words[0] = 0; /* one that was a table is looked at each time */
	copy(POOL, words, 64, false);
	assert_int_equal(known(POOL), XS_POINTERS_ALL);
}

/* What cannot be read may be addresses. */
TEST(unreadable)
{
	set_up();
	copy(POOL, (void *)16, 64, false);
	assert_int_equal(known(POOL), XS_POINTERS_TABLE);
	copy(POOL, (void *)16, 1 << 16, false);
	copy(POOL, words, 64, false);
	assert_int_equal(known(POOL), XS_POINTERS_TABLE);
	copy(POOL, words, 1 << 16, false);
	assert_int_equal(known(POOL), XS_POINTERS_ALL);
	xs_live_memory_add(16 << 12, 64, 1, XS_LIVE_HOST);
	copy(POOL, (void *)(16 << 12), 64, false);
	assert_int_equal(known(POOL), XS_POINTERS_TABLE);
	assert_true(pinned(16 << 12));
	assert_false(pinned(ARRAY));
}

/* Any kernel may read a variable of the device. */
TEST(addresses_in_a_variable)
{
	set_up();
	words[0] = ARRAY;
	copy(VARIABLE, words, 64, false);
	assert_int_equal(known(ARRAY), XS_POINTERS_VARIABLE);
	assert_int_equal(known(0), XS_POINTERS_VARIABLE);
	copy(VARIABLE, words + 1, 64, false);
	assert_int_equal(known(ARRAY), XS_POINTERS_ALL);
}

/* A copy of a table is one, also of one in pinned memory; a copy of data ends
 * one. */
TEST(copies_on_the_device)
{
	set_up();
	words[0] = ARRAY;
	copy(POOL, words, 64, false);
	copy_on_device(ARRAY, POOL, 64, cudaMemcpyDeviceToDevice);
	assert_int_equal(known(ARRAY), XS_POINTERS_TABLE);
	copy_on_device(ARRAY, POOL + 128, 64, cudaMemcpyDeviceToDevice);
	assert_int_equal(known(ARRAY), XS_POINTERS_ALL);
	copy_on_device(ARRAY, POOL, 64, cudaMemcpyDefault);
	assert_int_equal(known(ARRAY), XS_POINTERS_TABLE);
	set_up();
	words[0] = ARRAY;
	xs_live_memory_add((uintptr_t)words, sizeof(words), 1, XS_LIVE_HOST);
	assert_true(pinned((uintptr_t)words));
	copy_on_device(POOL, (uintptr_t)words, 64, cudaMemcpyDeviceToDevice);
	assert_int_equal(known(POOL), XS_POINTERS_TABLE);
	words[0] = 0;
	assert_false(pinned((uintptr_t)words));
	copy_on_device(POOL, (uintptr_t)words, 64, cudaMemcpyDefault);
	assert_int_equal(known(POOL), XS_POINTERS_ALL);
	/* a copy to the host is one to no variable */
	copy_on_device((uintptr_t)words + sizeof(words), 16, 64,
		       cudaMemcpyDefault);
	assert_int_equal(known(ARRAY), XS_POINTERS_ALL);
	/* what comes from the host may be one */
	words[0] = ARRAY;
	for (int i = 0; i < 2; i++) {
		copy_on_device(VARIABLE, (uintptr_t)words, 64,
			       cudaMemcpyDefault);
		assert_int_equal(known(0), XS_POINTERS_VARIABLE);
		copy_on_device(VARIABLE, (uintptr_t)words + 8, 64,
			       cudaMemcpyDefault);
		assert_int_equal(known(0), XS_POINTERS_ALL);
		xs_live_memory_remove((uintptr_t)words, 2);
	}
}

/* A small array of a pool is looked at as a whole, however large the pool is.
 */
TEST(an_array_of_a_pool)
{
	set_up();
	xs_live_memory_add((uintptr_t)words, sizeof(words), 1, XS_LIVE_HOST);
	words[1023] = ARRAY;
	assert_false(pinned((uintptr_t)words));
	assert_true(pinned((uintptr_t)(words + 512)));
	copy(POOL, words, sizeof(words), false);
	assert_int_equal(known(POOL), XS_POINTERS_ALL);
	copy(POOL, words + 512, sizeof(words) / 2, false);
	assert_int_equal(known(POOL), XS_POINTERS_TABLE);
}

/* Pinned memory has what copies may still write to it, until others do, and of
 * a structure the words beside the one that a kernel is given. */
TEST(pinned_memory)
{
	set_up();
	xs_live_memory_add((uintptr_t)words, sizeof(words), 1, XS_LIVE_HOST);
	words[64] = ARRAY;
	copy(POOL, words + 64, 64, false);
	words[64] = 0;
	copy_on_device((uintptr_t)words, POOL, 64, cudaMemcpyDeviceToHost);
	copy(ARRAY, words, 64, false);
	assert_int_equal(known(ARRAY), XS_POINTERS_TABLE);
	copy(ARRAY, words + 8, 64, false);
	assert_int_equal(known(ARRAY), XS_POINTERS_ALL);
	copy_on_device((uintptr_t)words, POOL + 64, 64, cudaMemcpyDeviceToHost);
	copy(ARRAY, words, 64, false);
	assert_int_equal(known(ARRAY), XS_POINTERS_ALL);
	words[1] = ARRAY;
	assert_true(pinned((uintptr_t)words + 4));
	assert_false(pinned((uintptr_t)words + 16));
}

/* height: rows of 128 bytes in a slice, of which each is followed by three
 * other rows; 0: one slice. */
static enum xs_pointers_known known_of_slices(uint64_t row, uint32_t rows,
					      uint32_t height)
{
	const struct xs_event event = {.dst = POOL,
				       .src = (uintptr_t)words,
				       .bytes = row * rows,
				       .pitch = 128,
				       .slice = 128 * (height + 3),
				       .rows = rows,
				       .height = height,
				       .direction = cudaMemcpyHostToDevice};

	xs_address_tables_cut(0, UINT64_MAX);
	xs_table_search_copy(&event, true);
	return known(POOL);
}

static enum xs_pointers_known known_of_rows(uint64_t row, uint32_t rows)
{
	return known_of_slices(row, rows, 0);
}

/* Of a copy by rows some are looked at, but nothing between them; on the device
 * any byte of the source may be copied. */
TEST(rows)
{
	struct xs_event event = {.rows = 64};

	set_up();
	assert_int_equal(known_of_rows(64, 1024), XS_POINTERS_ALL);
	assert_int_equal(known_of_rows(8, 64), XS_POINTERS_ALL);
	/* the second one of two slices of two rows, and between them */
	words[5 * 16] = ARRAY;
	assert_int_equal(known_of_slices(8, 4, 2), XS_POINTERS_TABLE);
	assert_int_equal(known_of_slices(4, 4, 2), XS_POINTERS_ALL);
	assert_int_equal(known_of_slices(8, 4, 1), XS_POINTERS_ALL);
	words[5 * 16] = 0;
	words[8] = words[16 + 1] = ARRAY;
	assert_int_equal(known_of_rows(64, 1024), XS_POINTERS_ALL);
	assert_int_equal(known_of_rows(8, 16), XS_POINTERS_ALL);
	assert_int_equal(known_of_rows(16, 8), XS_POINTERS_TABLE);
	assert_int_equal(known_of_rows(72, 2), XS_POINTERS_TABLE);
	set_up();
	words[1023 * 16] = ARRAY;
	assert_int_equal(known_of_rows(8, 1024), XS_POINTERS_TABLE);
	assert_int_equal(known_of_rows(8, 1023), XS_POINTERS_ALL);
	set_up();
	words[0] = ARRAY;
	copy(POOL + 65536, words, 8, false);
	event.src = POOL;
	event.dst = ARRAY;
	event.bytes = 256;
	event.direction = cudaMemcpyDeviceToDevice;
	xs_table_search_copy(&event, false);
	assert_int_equal(known(ARRAY), XS_POINTERS_TABLE);
}

/* A captured copy ends no table, and what it will bring is not known. */
TEST(captured_copies)
{
	set_up();
	words[0] = ARRAY;
	copy(POOL, words, 64, false);
	xs_table_search_capture(true);
	copy(POOL, words + 1, 4096, false);
	copy(ARRAY, words + 1, 64, false);
	xs_table_search_capture(false);
	assert_int_equal(known(POOL), XS_POINTERS_TABLE);
	assert_int_equal(known(ARRAY), XS_POINTERS_TABLE);
	copy(ARRAY, words + 1, 64, false);
	assert_int_equal(known(ARRAY), XS_POINTERS_ALL);
}

/* Managed memory is not looked at, pinned memory is; the number of a texture
 * may be one in a table. */
TEST(other_sources)
{
	for (int i = 0; i < 2; i++) {
		set_up();
		xs_live_memory_add((uintptr_t)words, sizeof(words), 1,
				   i ? XS_LIVE_MANAGED : XS_LIVE_HOST);
		copy_on_device(POOL, (uintptr_t)words, 64,
			       cudaMemcpyDeviceToDevice);
		assert_int_equal(known(POOL),
				 i ? XS_POINTERS_TABLE : XS_POINTERS_ALL);
	}
	set_up();
	words[0] = 7;
	copy(POOL, words, 64, false);
	assert_int_equal(known(POOL), XS_POINTERS_ALL);
	xs_live_memory_add(7, 1, 1, XS_LIVE_OBJECT);
	copy(POOL, words, 64, false);
	assert_int_equal(known(POOL), XS_POINTERS_TABLE);
}

/* Data in the middle of a table divides it. */
TEST(a_table_is_divided)
{
	set_up();
	xs_address_tables_add(POOL + 64, POOL + 128, false);
	xs_address_tables_add(POOL + 8, POOL + 16, false);
	xs_address_tables_add(POOL + 16, POOL + 64, false);
	assert_int_equal(xs_address_tables_count, 1);
	xs_address_tables_cut(POOL + 32, POOL + 40);
	assert_int_equal(xs_address_tables_count, 2);
	assert_false(xs_address_tables_overlap(POOL + 32, POOL + 40));
	assert_true(xs_address_tables_overlap(POOL + 31, POOL + 32));
	assert_true(xs_address_tables_overlap(POOL + 40, POOL + 41));
	xs_address_tables_cut(POOL + 120, POOL + 256);
	xs_address_tables_cut(POOL, POOL + 24);
	assert_false(xs_address_tables_overlap(POOL, POOL + 24));
	assert_true(xs_address_tables_overlap(POOL + 24, POOL + 32));
	assert_true(xs_address_tables_overlap(POOL + 119, POOL + 120));
	assert_false(xs_address_tables_overlap(POOL + 120, POOL + 128));
}

/* Without room for more, one also stands for what lies behind it, until all are
 * gone. */
TEST(many_tables)
{
	const uint64_t most = 4096, step = 64, last = POOL + most * step;

	set_up();
	for (uint64_t at = POOL; at < last; at += 2 * step)
		xs_address_tables_add(at, at + 8, false);
	for (uint64_t at = POOL + step; at < last; at += 2 * step)
		xs_address_tables_add(at, at + 8, true);
	assert_int_equal(xs_address_tables_count, most);
	for (uint64_t at = POOL; at < last; at += step) {
		assert_true(xs_address_tables_overlap(at, at + 8));
		assert_false(xs_address_tables_overlap(at + 8, at + step));
	}
	xs_address_tables_cut(POOL + 2, POOL + 4);
	assert_true(xs_address_tables_overlap(POOL + 2, POOL + 4));
	xs_address_tables_add(last, last + 8, false);
	xs_address_tables_add(8, 16, false);
	assert_int_equal(xs_address_tables_count, most);
	assert_true(xs_address_tables_overlap(last - 8, last));
	assert_true(xs_address_tables_overlap(16, 24));
	for (uint64_t at = POOL + step; at <= last; at += 2 * step)
		xs_address_tables_cut(at, at + step);
	xs_address_tables_cut(last, last + step);
	assert_false(xs_address_tables_are_outside());
	assert_int_equal(xs_address_tables_count, most / 2);
	xs_address_tables_cut(0, last + step);
	assert_false(xs_address_tables_are_any());
}

/* A handle leads to where it was mapped before, until it is released as often
 * as it was given; one that was imported may be mapped elsewhere. */
TEST(handles)
{
	for (uint64_t handle = 1; handle < 5000; handle++)
		assert_int_equal(
		    xs_mapped_handles_put(handle, handle << 12, false), 0);
	for (uint64_t handle = 1; handle < 5000; handle++) {
		assert_int_equal(xs_mapped_handles_put(handle, 2 << 12, true),
				 handle << 12);
		xs_mapped_handles_drop(handle);
		assert_int_equal(xs_mapped_handles_put(handle, 3 << 12, false),
				 2 << 12);
		xs_mapped_handles_drop(handle);
		assert_int_equal(xs_mapped_handles_put(handle, 4 << 12, false),
				 0);
	}
	assert_int_equal(xs_mapped_handles_put(9000, XS_MAPPED_ELSEWHERE, true),
			 0);
	assert_int_equal(xs_mapped_handles_put(9000, 4 << 12, false),
			 XS_MAPPED_ELSEWHERE);
	for (uint64_t handle = 10000; handle < 300000; handle++)
		xs_mapped_handles_put(handle, handle << 12, false);
	assert_int_equal(xs_mapped_handles_put(300000, 5 << 12, false),
			 XS_MAPPED_ELSEWHERE);
}

RUN_TESTS(NULL, NULL)
