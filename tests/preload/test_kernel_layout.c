/* SPDX-License-Identifier: MIT */
/* What is asked about kernels, and how often: with a driver that answers as the
 * tests want. */
#include "tests/unit.h"

#include "preload/api/param_info.h"
#include "preload/record/kernel_layout.h"
#include "preload/record/launch_pointers.h"

static unsigned questions;
static bool answers;
static size_t parameters; /* of 8 bytes each */

/* Replaces that of the library. */
bool xs_param_info_of_handle(const void *handle, struct xs_kernel_param *params,
			     size_t room, size_t *count)
{
	(void)handle;
	assert_true(parameters <= room);
	questions++;
	*count = answers ? parameters : 0;
	for (size_t i = 0; i < *count; i++)
		params[i] = (struct xs_kernel_param){8 * i, 8};
	return answers;
}

FIXTURE(reset)
{
	questions = 0;
	answers = true;
	parameters = 2;
	return 0;
}

static const void *handle(uintptr_t number)
{
	return (const void *)(16 * number);
}

static struct xs_kernel *get(const void *function)
{
	const struct xs_kernel_layout *layout;
	struct xs_kernel *kernel = xs_kernel_layout_get(function, &layout);

	assert_ptr_equal(layout, atomic_load(&kernel->layout));
	return kernel;
}

static unsigned words_of(const struct xs_kernel *kernel)
{
	return atomic_load(&kernel->layout)->count;
}

TEST(asks_once)
{
	assert_null(xs_kernel_layout_find(handle(1)));
	struct xs_kernel *kernel = get(handle(1));
	assert_int_equal(words_of(kernel), 2);
	assert_ptr_equal(xs_kernel_layout_find(handle(1)), kernel);
	assert_ptr_equal(get(handle(1)), kernel);
	assert_int_equal(questions, 1);
}

TEST(none_is_known)
{
	parameters = 0;
	const struct xs_kernel *kernel = get(handle(2));
	assert_true(atomic_load(&kernel->layout)->known);
	assert_int_equal(words_of(kernel), 0);
}

TEST(asks_again_without_an_answer)
{
	answers = false;
	for (int i = 0; i < 3; i++)
		assert_false(atomic_load(&get(handle(3))->layout)->known);
	assert_int_equal(questions, 3);
	answers = true;
	assert_int_equal(words_of(get(handle(3))), 2);
	answers = false;
	for (int i = 0; i < 100; i++)
		get(handle(4));
	assert_int_equal(questions, 4 + 8);
	assert_non_null(xs_kernel_layout_find(handle(4)));
}

TEST(handles_are_given_out_again)
{
	struct xs_kernel *kernel = get(handle(5));

	atomic_store(&kernel->launches, 7);
	xs_kernel_layout_outdate();
	assert_null(xs_kernel_layout_find(handle(5)));
	assert_ptr_equal(get(handle(5)), kernel);
	assert_int_equal(kernel->launches, 7);
	xs_kernel_layout_outdate();
	parameters = 3;
	assert_int_equal(words_of(get(handle(5))), 3);
	assert_int_equal(kernel->launches, 0);
	assert_int_equal(questions, 3);
}

/* More kernels than the table has slots, whether code is unloaded or not: each
 * is known when it is launched, and what is unloaded goes first. */
TEST(a_full_table_forgets)
{
	const uintptr_t first = 100, last = 60000, used = 50;

	for (uintptr_t i = first; i < last; i++) {
		parameters = 1 + i % 7;
		assert_int_equal(words_of(get(handle(i))), parameters);
	}
	parameters = 2;
	for (uintptr_t i = last; i < 2 * last; i++) {
		if (i % 1000 == 0)
			xs_kernel_layout_outdate();
		get(handle(i));
		get(handle(used));
	}
	/* only unloading makes the one in use be asked again */
	assert_int_equal(questions, last - first + last + last / 1000);
}

/* Kernels that take each other's places do not use up the memory: there are few
 * different layouts. */
TEST(places_are_taken_for_ever)
{
	const uintptr_t first = 200000, last = 4000000;

	for (uintptr_t i = first; i < last; i++) {
		parameters = 1 + i % 7;
		assert_int_equal(words_of(get(handle(i))), parameters);
	}
}

/* Whole rounds of any length, if the run is 32 times as long or longer. */
TEST(windows_grow_with_the_run)
{
	const uint64_t outside = 1ull << 26, second = 1000000000;

	assert_false(xs_launch_pointers_in_window(outside, 0));
	assert_true(xs_launch_pointers_in_window(outside << 6, 0));
	for (uint64_t begin = 1ull << 27; begin < 3600 * second; begin *= 2) {
		assert_true(xs_launch_pointers_in_window(outside, begin));
		assert_true(xs_launch_pointers_in_window(
		    outside, begin + begin / 16 - 1));
		assert_false(xs_launch_pointers_in_window(outside, begin - 1));
		assert_false(
		    xs_launch_pointers_in_window(outside, begin + begin / 16));
	}
}

RUN_TESTS(reset, NULL)
