/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "preload/util/mappings.h"

#include <pthread.h>

#define MANY	1000u
#define PART	64u
#define THREADS 4u

static char memory[THREADS][MANY][PART];

static void address_finds_its_mapping(void **state)
{
	struct xs_mapping found;

	(void)state;
	assert_true(xs_mappings_add(
	    &(struct xs_mapping){memory[0][1], sizeof(memory[0][1])}));
	assert_true(xs_mappings_find(&memory[0][1][0], &found));
	assert_true(xs_mappings_find(&memory[0][1][PART - 1], &found));
	assert_ptr_equal(found.begin, memory[0][1]);
	assert_int_equal(found.bytes, PART);
	assert_false(xs_mappings_find(&memory[0][0][PART - 1], &found));
	assert_false(xs_mappings_find(&memory[0][2][0], &found));
	assert_false(xs_mappings_find(NULL, &found));
	assert_int_equal(xs_mappings_remove(&memory[0][1][1]), 0);
	assert_int_equal(xs_mappings_remove(memory[0][1]), PART);
	assert_int_equal(xs_mappings_remove(memory[0][1]), 0);
	assert_false(xs_mappings_find(&memory[0][1][0], &found));
}

static void *add_and_remove(void *parts)
{
	char(*part)[PART] = parts;
	struct xs_mapping found;
	uintptr_t bad = 0;

	for (unsigned i = 0; i < MANY; i++)
		bad += !xs_mappings_add(&(struct xs_mapping){part[i], PART});
	for (unsigned i = 0; i < MANY; i++)
		bad += !xs_mappings_find(&part[i][1], &found) ||
		       found.begin != part[i];
	for (unsigned i = 0; i < MANY; i++)
		bad += xs_mappings_remove(part[i]) != PART;
	return (void *)bad;
}

static void threads_have_as_many_as_they_like(void **state)
{
	pthread_t threads[THREADS];
	struct xs_mapping found;
	void *bad;

	(void)state;
	for (unsigned i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, add_and_remove, memory[i]);
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &bad);
		assert_null(bad);
	}
	for (unsigned i = 0; i < MANY; i++)
		assert_false(xs_mappings_find(memory[0][i], &found));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(address_finds_its_mapping),
	    cmocka_unit_test(threads_have_as_many_as_they_like),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
