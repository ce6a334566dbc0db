/* SPDX-License-Identifier: MIT */
/*
 * The small phase, whose round also allocates and frees 1 MB of device memory:
 * 150000 and, after a free's wait, 80000. Pinned, the rest takes 163000.
 */
#include "tests/model/small_phase.h"

#define ALLOCATION_NS 150000u
#define FREE_NS	      80000u
#define PINNED_NS     163000

static void allocate_in_rounds(uint8_t memory)
{
	const size_t last = phase.step_count;
	uint64_t end_ns;
	size_t i;

	for (i = last; i > 0; i--) {
		steps[i] = steps[i - 1];
		steps[i].call_ns += ALLOCATION_NS;
		steps[i].return_ns += ALLOCATION_NS;
		steps[i].start_ns += ALLOCATION_NS;
		steps[i].end_ns += ALLOCATION_NS;
	}
	end_ns = steps[last].return_ns;
	steps[0] = (struct xs_step){.kind = XS_STEP_ALLOCATE,
				    .thread = 1,
				    .dst_memory = memory,
				    .dst = 0x1000,
				    .bytes = 1000000,
				    .return_ns = ALLOCATION_NS};
	steps[last + 1] = (struct xs_step){.kind = XS_STEP_FREE,
					   .thread = 1,
					   .dst_memory = memory,
					   .dst = 0x1000,
					   .blocking = true,
					   .call_ns = end_ns,
					   .return_ns = end_ns + FREE_NS};
	phase.step_count += 2;
}

static void know_allocations(void)
{
	set_range(&machine.device_alloc_fixed_ns, 40000);
	set_range(&machine.device_alloc_byte_ns, 0.01);
	set_range(&machine.device_free_fixed_ns, 30000);
	set_range(&machine.device_free_byte_ns, 0.02);
}

/* A free that waited is not a mere wait. */
static void test_a_free_keeps_its_time(void **unused)
{
	(void)unused;
	allocate_in_rounds(XS_MEM_DEVICE);
	estimate();
	assert_near(replayed("pinned")->round_ns,
		    PINNED_NS + ALLOCATION_NS + FREE_NS);
}

/* 40000 + 10000 and 30000 + 20000. */
static void test_without_pageable_copies_calls_are_faster(void **unused)
{
	(void)unused;
	allocate_in_rounds(XS_MEM_DEVICE);
	know_allocations();
	estimate();
	assert_near(replayed("pinned")->round_ns, PINNED_NS + 100000);
}

/* The profile's times are those of device memory. */
static void test_pinned_allocations_are_as_recorded(void **unused)
{
	(void)unused;
	allocate_in_rounds(XS_MEM_PINNED);
	know_allocations();
	estimate();
	assert_near(replayed("pinned")->round_ns,
		    PINNED_NS + ALLOCATION_NS + FREE_NS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(test_a_free_keeps_its_time),
	    TEST(test_without_pageable_copies_calls_are_faster),
	    TEST(test_pinned_allocations_are_as_recorded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
