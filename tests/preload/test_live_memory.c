/* SPDX-License-Identifier: MIT */
/* Live allocations: against a plain list, with reuse, overlaps and as many as
 * there may be. */
#include "tests/unit.h"

#include "preload/record/live_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define FOUND 8u

static size_t look(const uint64_t *words, size_t count, uint64_t *addresses)
{
	struct xs_live_addresses found = {.addresses = addresses,
					  .room = FOUND};

	xs_live_memory_collect(words, count, &found);
	return found.count;
}

static bool is_live(uint64_t address)
{
	uint64_t addresses[FOUND];

	return look(&address, 1, addresses) == 1 && addresses[0] == address;
}

/* Returns what is known of a launch that is given the word. */
static enum xs_pointers_known known(uint64_t word)
{
	uint64_t address;
	struct xs_live_addresses found = {
	    .addresses = &address, .room = 1, .known = XS_POINTERS_ALL};

	xs_live_memory_collect(&word, 1, &found);
	return found.known;
}

/* Returns the bytes of address space that the process has. */
static rlim_t address_space(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%lu", &pages), 1);
	fclose(file);
	return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

TEST(ranges_end)
{
	xs_live_memory_add(0x1000, 0x100, 10, XS_LIVE_DEVICE);
	assert_false(is_live(0xfff));
	assert_true(is_live(0x1000));
	assert_true(is_live(0x10ff));
	assert_false(is_live(0x1100));
	xs_live_memory_add(0, 16, 10, XS_LIVE_DEVICE);
	xs_live_memory_add(UINT64_MAX - 4, 16, 10, XS_LIVE_DEVICE);
	assert_false(is_live(0));
	xs_live_memory_remove(0x1008, 20); /* no allocation begins there */
	assert_true(is_live(0x1000));
	xs_live_memory_remove(0x1000, 20);
	assert_false(is_live(0x1000));
}

/* Another thread gets the memory before the free that returned it is noted. */
TEST(newer_memory_stays)
{
	xs_live_memory_add(0x1000, 0x100, 10, XS_LIVE_DEVICE);
	xs_live_memory_add(0x1000, 0x80, 30, XS_LIVE_DEVICE);
	xs_live_memory_remove(0x1000, 20);
	assert_true(is_live(0x107f));
	assert_false(is_live(0x1080));
	/* a free that was not seen: the new allocation overlaps the old one */
	xs_live_memory_add(0x0f00, 0x180, 40, XS_LIVE_DEVICE);
	assert_true(is_live(0x107f));
	xs_live_memory_remove(0x1000, 50);
	assert_true(is_live(0x107f));
	xs_live_memory_remove(0x0f00, 50);
	assert_false(is_live(0x107f));
}

TEST(all_end)
{
	for (uint64_t i = 0; i < 1000; i++)
		xs_live_memory_add(0x10000 + i * 0x100, 0x80, i,
				   XS_LIVE_DEVICE);
	xs_live_memory_remove_all(499);
	for (uint64_t i = 0; i < 1000; i++)
		assert_int_equal(is_live(0x10000 + i * 0x100), i > 499);
	xs_live_memory_remove_all(999);
	assert_false(is_live(0x10000 + 999 * 0x100));
	xs_live_memory_add(0x10000, 0x80, 1000, XS_LIVE_DEVICE);
	assert_true(is_live(0x10000));
	xs_live_memory_remove_all(1000);
}

TEST(addresses_are_distinct)
{
	const uint64_t words[] = {0x1008, 1ull << 40, 0x1010,
				  0x1008, 0x2000,     0x1010};
	uint64_t many[2 * FOUND], addresses[FOUND];
	struct xs_live_addresses found = {.addresses = addresses,
					  .room = FOUND};

	xs_live_memory_add(0x1000, 0x100, 10, XS_LIVE_DEVICE);
	assert_int_equal(look(words, 6, addresses), 2);
	assert_true(addresses[0] == 0x1008 && addresses[1] == 0x1010);
	for (size_t i = 0; i < 2 * FOUND; i++)
		many[i] = 0x1000 + i;
	xs_live_memory_collect(many, 2 * FOUND, &found);
	assert_int_equal(found.count, FOUND);
	assert_int_equal(found.known, XS_POINTERS_TOO_MANY);
	xs_live_memory_remove(0x1000, 20);
}

#define PLACES	    4000u
#define STEPS	    200000u
#define PLACE_BYTES 64u

static void are_live(const unsigned *owner)
{
	for (unsigned i = 0; i < PLACES + 3; i++)
		assert_int_equal(is_live(0x100000 + i * PLACE_BYTES),
				 owner[i] != 0);
}

/* An allocation has at most three places. */
static void end_allocation(unsigned *owner, unsigned old)
{
	for (unsigned k = old ? old - 1 : PLACES + 3;
	     k < PLACES + 3 && k < old + 2; k++)
		owner[k] = owner[k] == old ? 0 : owner[k];
}

/* Places of equal size, each with an allocation of one to three of them. */
TEST(like_a_list)
{
	static unsigned owner[PLACES + 3]; /* first place of its allocation + 1
					    */
	static uint64_t since[PLACES];

	srand(1);
	for (uint64_t step = 1; step < STEPS; step++) {
		const unsigned at = (unsigned)rand() % PLACES;
		const unsigned count = 1 + (unsigned)rand() % 3;
		const uint64_t address = 0x100000 + at * PLACE_BYTES;

		if (rand() % 5 < (step / 20000 % 2 ? 3 : 1)) {
			const uint64_t at_ns = step - (unsigned)rand() % 3;

			xs_live_memory_remove(address, at_ns);
			if (owner[at] == at + 1 && since[at] <= at_ns)
				for (unsigned i = at; owner[i] == at + 1; i++)
					owner[i] = 0;
		} else {
			for (unsigned i = at; i < at + count; i++)
				end_allocation(owner, owner[i]);
			for (unsigned i = at; i < at + count; i++)
				owner[i] = at + 1;
			since[at] = step;
			xs_live_memory_add(address, count * PLACE_BYTES, step,
					   XS_LIVE_DEVICE);
		}
		assert_int_equal(is_live(address + 63), owner[at] != 0);
	}
	are_live(owner);
	for (unsigned i = 0; i < PLACES + 3; i++)
		xs_live_memory_remove(0x100000 + i * PLACE_BYTES, UINT64_MAX);
	memset(owner, 0, sizeof(owner));
	are_live(owner);
}

/* Where nothing is overcommitted, or with a limit on address space, what we
 * take is missing to the program. */
TEST(few_ranges_take_little)
{
	struct rlimit limit, kept;

	assert_int_equal(getrlimit(RLIMIT_AS, &kept), 0);
	limit = (struct rlimit){address_space() + (1 << 20), kept.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
	for (uint64_t i = 1; i <= 1000; i++)
		xs_live_memory_add(i << 12, 4096, 1, XS_LIVE_DEVICE);
	assert_int_equal(setrlimit(RLIMIT_AS, &kept), 0);
	assert_int_equal(known(0), XS_POINTERS_ALL);
	assert_true(is_live(1000 << 12));
	xs_live_memory_remove_all(1);
}

/* While it lives, any address may be in it. */
TEST(of_unknown_size)
{
	for (int i = 0; i < 2; i++) {
		xs_live_memory_add(0x5000, 0, 10, XS_LIVE_DEVICE);
		assert_int_equal(known(0), XS_POINTERS_TOO_MANY);
		if (i)
			xs_live_memory_remove_all(20);
		else
			xs_live_memory_remove(0x5000, 20);
		assert_int_equal(known(0), XS_POINTERS_ALL);
	}
}

/* An array whose first index is 1, or that has a halo, or is read from its end.
 */
TEST(words_beside_memory)
{
	const uint64_t words[] = {0xfff8,  0x10100, 0x10108, 0x1fff8,
				  0x30000, 0x10000, 0x40000};
	uint64_t addresses[FOUND];

	xs_live_memory_add(0x10000, 0x100, 10, XS_LIVE_DEVICE);
	xs_live_memory_add(0x20000, 0x10000, 10, XS_LIVE_DEVICE);
	xs_live_memory_add(0x50000, 0x100, 10, XS_LIVE_DEVICE);
	assert_int_equal(look(words, 1, addresses), 1);
	assert_int_equal(addresses[0], 0x10000);
	assert_int_equal(look(words + 1, 1, addresses), 1); /* an end */
	assert_int_equal(addresses[0], 0x100ff);
	assert_int_equal(look(words + 2, 2, addresses), 1);
	assert_int_equal(addresses[0], 0x20000);
	assert_int_equal(look(words + 4, 1, addresses), 1); /* an end */
	assert_int_equal(addresses[0], 0x2ffff);
	assert_int_equal(look(words + 6, 1, addresses), 0); /* too far */
	xs_live_memory_remove_all(20);
}

TEST(memory_with_two_addresses)
{
	xs_live_memory_add(0x1000, 0x100, 10, XS_LIVE_DEVICE);
	xs_live_memory_add(0x2000, 0x100, 10, XS_LIVE_DEVICE);
	assert_true(xs_live_memory_set_alias(0x1010));
	assert_false(xs_live_memory_set_alias(0x3000));
	assert_int_equal(known(0x1080), XS_POINTERS_ALIAS);
	assert_int_equal(known(0x2000), XS_POINTERS_ALL);
	xs_live_memory_remove_all(20);
	xs_live_memory_add(0x1000, 0x100, 10, XS_LIVE_DEVICE);
	assert_int_equal(known(0x1000), XS_POINTERS_ALL);
	xs_live_memory_remove_all(20);
}

/* In data, the first address is enough. */
TEST(addresses_in_data)
{
	const uint64_t words[] = {0x100000, 0x1010, 0x1020};
	uint64_t addresses[FOUND];
	enum xs_live_kind kind;
	struct xs_live_addresses found = {
	    .addresses = addresses, .room = FOUND, .first = true};

	xs_live_memory_add(0x1000, 0x100, 10, XS_LIVE_HOST);
	xs_live_memory_collect(words, 3, &found);
	assert_int_equal(found.count, 1);
	assert_int_equal(addresses[0], 0x1010);
	assert_int_equal(xs_live_memory_find(0x1010, &kind), 0xf0);
	assert_int_equal(kind, XS_LIVE_HOST);
	assert_int_equal(xs_live_memory_find(0x1100, &kind), 0);
	xs_live_memory_remove_all(20);
}

/* Numbers of objects are small: one before is no address of it. */
TEST(objects)
{
	xs_live_memory_add(7, 1, 10, XS_LIVE_OBJECT);
	assert_int_equal(known(7), XS_POINTERS_OBJECT);
	assert_int_equal(known(6), XS_POINTERS_ALL);
	assert_int_equal(known(8), XS_POINTERS_ALL);
	xs_live_memory_remove(7, 20);
	assert_int_equal(known(7), XS_POINTERS_ALL);
}

/* In managed memory the host may have written addresses; of the others there
 * are tables. */
TEST(kinds_of_memory)
{
	xs_live_memory_add(0x1000, 0x100, 10, XS_LIVE_MANAGED);
	xs_live_memory_add(0x2000, 0x100, 10, XS_LIVE_HOST);
	xs_live_memory_add(0x3000, 0x100, 10, XS_LIVE_MAPPED);
	assert_int_equal(known(0x1000), XS_POINTERS_MANAGED);
	assert_int_equal(known(0x2000), XS_POINTERS_ALL);
	assert_int_equal(known(0x3000), XS_POINTERS_ALL);
	xs_live_memory_remove_all(20);
}

/* The list is incomplete from then on, as long as anything lives. */
TEST(too_many)
{
	for (uint64_t i = 0; i < XS_LIVE_MEMORY_MOST; i++)
		xs_live_memory_add((i * 7919 % XS_LIVE_MEMORY_MOST + 1) << 12,
				   4096, 1, XS_LIVE_DEVICE);
	assert_int_equal(known(0), XS_POINTERS_ALL);
	assert_true(is_live((UINT64_C(1) << 12) + 4095));
	assert_true(is_live((uint64_t)XS_LIVE_MEMORY_MOST << 12));
	for (uint64_t i = 0; i < XS_LIVE_MEMORY_MOST; i++)
		if (i % 100)
			xs_live_memory_remove((i + 1) << 12, 2);
	assert_true(is_live(UINT64_C(101) << 12));
	assert_false(is_live(UINT64_C(102) << 12));
	for (uint64_t i = 0; i < XS_LIVE_MEMORY_MOST; i++)
		xs_live_memory_add((i + 1) << 12, 4096, 3, XS_LIVE_DEVICE);
	assert_int_equal(known(0), XS_POINTERS_ALL);
	xs_live_memory_add(UINT64_C(1) << 50, 4096, 3, XS_LIVE_DEVICE);
	assert_int_equal(known(0), XS_POINTERS_TOO_MANY);
	xs_live_memory_remove_all(2);
	assert_int_equal(known(0), XS_POINTERS_TOO_MANY);
	xs_live_memory_remove_all(3);
	assert_int_equal(known(0), XS_POINTERS_ALL);
}
