/* SPDX-License-Identifier: MIT */
#include "tests/unit.h"

#include "analyzer/util/memory.h"
#include "analyzer/util/sort.h"

#include <setjmp.h>
#include <stdlib.h>

/* A fixed pseudo-random sequence. */
static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

static void check_sorted(struct xs_key *keys, size_t count)
{
	xs_keys_sort(keys, count);
	for (size_t i = 1; i < count; i++) {
		assert_true(keys[i - 1].key <= keys[i].key);
		if (keys[i - 1].key == keys[i].key)
			assert_true(keys[i - 1].index < keys[i].index);
	}
}

TEST(test_keys_random)
{
	uint64_t random = 1;

	for (size_t count = 0; count < 300; count++) {
		struct xs_key *keys = calloc(count + 1, sizeof(*keys));

		assert_non_null(keys);
		for (size_t i = 0; i < count; i++)
			keys[i] = (struct xs_key){next_random(&random) % 50,
						  (uint32_t)i};
		check_sorted(keys, count);
		free(keys);
	}
}

TEST(test_keys_nearly_sorted)
{
	enum { COUNT = 10000 };
	static struct xs_key keys[COUNT];
	uint64_t random = 2;

	/* two sorted sources, one after the other, with jitter */
	for (size_t i = 0; i < COUNT; i++)
		keys[i] = (struct xs_key){i % (COUNT / 2) * 10 +
					      next_random(&random) % 25,
					  (uint32_t)i};
	check_sorted(keys, COUNT);
}

TEST(test_keys_descending)
{
	static struct xs_key keys[1000];

	for (size_t i = 0; i < 1000; i++)
		keys[i] = (struct xs_key){1000 - i, (uint32_t)i};
	check_sorted(keys, 1000);
	assert_int_equal(keys[0].index, 999);
}

TEST(test_apply)
{
	struct xs_key keys[] = {{0, 3}, {0, 0}, {0, 1}, {0, 2}, {0, 4}};
	int items[] = {10, 11, 12, 13, 14};
	const int wanted[] = {13, 10, 11, 12, 14};

	xs_keys_apply(keys, 5, items, sizeof(*items));
	assert_memory_equal(items, wanted, sizeof(items));
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(keys[i].index, i);
}

TEST(test_values)
{
	uint64_t values[500], random = 3;

	for (size_t i = 0; i < 500; i++)
		values[i] = next_random(&random) << (i % 33);
	values[17] = UINT64_MAX;
	xs_values_sort(values, 500);
	for (size_t i = 1; i < 500; i++)
		assert_true(values[i - 1] <= values[i]);
	assert_true(values[499] == UINT64_MAX);
}

TEST(test_grow)
{
	uint32_t *items = NULL;

	for (uint32_t i = 0; i < 1000; i++) {
		items = xs_array_grow(items, i, sizeof(*items));
		assert_non_null(items);
		items[i] = i;
	}
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(items[i], i);
	free(items);
}

static const char *ended;
static jmp_buf back;

static void leave(const char *why)
{
	ended = why;
	longjmp(back, 1);
}

TEST(test_items_have_numbers_of_32_bits)
{
	xs_end = leave;
	if (!setjmp(back))
		xs_array_grow(NULL, 1ull << 31, 1);
	xs_end = NULL;
	assert_has(ended, "more than 2,147,483,648");
}
