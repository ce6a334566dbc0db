/* SPDX-License-Identifier: MIT */
/*
 * The small phase, whose round also allocates and frees 1 MB of device memory:
 * 150000 and, after a free's wait, 80000. Pinned, the rest takes 163000.
 */
#include "tests/model/small_phase.h"

#define ALLOCATION_NS 150000u
#define FREE_NS	      80000u
#define PINNED_NS     163000

static struct xs_step call_of(uint8_t kind, uint8_t memory, uint64_t bytes,
			      uint64_t ns)
{
	return (struct xs_step){.kind = kind,
				.thread = 1,
				.dst_memory = memory,
				.dst = 0x1000,
				.bytes = bytes,
				.return_ns = ns};
}

static void put_first(struct xs_step step)
{
	for (size_t i = phase.step_count++; i > 0; i--) {
		steps[i] = steps[i - 1];
		steps[i].call_ns += step.return_ns;
		steps[i].return_ns += step.return_ns;
		steps[i].start_ns += step.return_ns;
		steps[i].end_ns += step.return_ns;
	}
	steps[0] = step;
}

static void put_last(struct xs_step step)
{
	step.call_ns = steps[phase.step_count - 1].return_ns;
	step.return_ns += step.call_ns;
	steps[phase.step_count++] = step;
}

static void allocate_in_rounds(uint8_t memory)
{
	struct xs_step last = call_of(XS_STEP_FREE, memory, 0, FREE_NS);

	last.blocking = true;
	put_first(call_of(XS_STEP_ALLOCATE, memory, 1000000, ALLOCATION_NS));
	put_last(last);
}

static void know_allocations(void)
{
	set_range(&machine.device_alloc_fixed_ns, 40000);
	set_range(&machine.device_alloc_byte_ns, 0.01);
	set_range(&machine.device_free_fixed_ns, 30000);
	set_range(&machine.device_free_byte_ns, 0.02);
}

/* A free that waited is not a mere wait. */
TEST(test_a_free_keeps_its_time)
{
	allocate_in_rounds(XS_MEM_DEVICE);
	assert_near(estimated("pinned")->round_ns,
		    PINNED_NS + ALLOCATION_NS + FREE_NS);
}

/* 40000 + 10000 and 30000 + 20000. */
TEST(test_without_pageable_copies_calls_are_faster)
{
	allocate_in_rounds(XS_MEM_DEVICE);
	know_allocations();
	assert_near(estimated("pinned")->round_ns, PINNED_NS + 100000);
	assert_near(estimated("pinned")->calls_ns, 130000);
}

/* Of what a round passes as arguments, the caches hold nothing. */
TEST(test_small_copies_do_not_slow_calls)
{
	double ns;

	steps[0].bytes = 32;
	steps[2].bytes = 32;
	allocate_in_rounds(XS_MEM_DEVICE);
	ns = estimated("pinned")->round_ns;
	know_allocations();
	assert_near(estimated("pinned")->round_ns, ns);
	steps[1].bytes++;
	assert_near(estimated("pinned")->round_ns, ns - 130000);
}

/* 50000; what is allocated next at the same address has half the size, and its
 * free, recorded as 45000, takes 40000. */
TEST(test_a_free_has_the_size_of_the_allocation_before)
{
	allocate_in_rounds(XS_MEM_DEVICE);
	put_last(
	    call_of(XS_STEP_ALLOCATE, XS_MEM_DEVICE, 500000, ALLOCATION_NS));
	put_last(call_of(XS_STEP_FREE, XS_MEM_DEVICE, 0, 45000));
	know_allocations();
	assert_near(estimated("pinned")->round_ns,
		    PINNED_NS + 100000 + 45000 + 40000);
}

/* The previous round allocated it: 50000. A single round has none: 30000. */
TEST(test_a_free_may_be_of_the_previous_round)
{
	put_first(
	    call_of(XS_STEP_ALLOCATE, XS_MEM_DEVICE, 1000000, ALLOCATION_NS));
	put_first(call_of(XS_STEP_FREE, XS_MEM_DEVICE, 0, FREE_NS));
	know_allocations();
	assert_near(estimated("pinned")->round_ns, PINNED_NS + 50000 + 50000);
	phase.rounds = 1;
	assert_near(estimated("pinned")->round_ns, PINNED_NS + 50000 + 30000);
}

/* The profile's times are those of device memory. */
TEST(test_pinned_allocations_are_as_recorded)
{
	allocate_in_rounds(XS_MEM_PINNED);
	know_allocations();
	assert_near(estimated("pinned")->round_ns,
		    PINNED_NS + ALLOCATION_NS + FREE_NS);
}

RUN_TESTS(set_up, tear_down)
