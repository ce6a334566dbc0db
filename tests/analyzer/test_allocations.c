/* SPDX-License-Identifier: MIT */
/* Device memory in use, compared with sums computed by hand and by brute force.
 */
#include "tests/unit.h"

#include "analyzer/timeline/allocations.h"

#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct xs_call call_of(uint8_t call_class, uint64_t start_ns,
			      uint64_t address, uint64_t bytes)
{
	return (struct xs_call){.call_class = call_class,
				.start_ns = start_ns,
				.end_ns = start_ns + 5,
				.dst = address,
				.bytes = bytes};
}

/* Arrays are smaller. */
#define APART 10000

#define ALLOC(at, array, bytes)                                                \
	call_of(XS_CALL_ALLOC_DEVICE, (at), (array)*APART, (bytes))
#define FREE(at, array) call_of(XS_CALL_FREE_DEVICE, (at), (array)*APART, 0)

/* Returns the peak, or UINT64_MAX if unknown. */
static uint64_t peak(struct xs_call *calls, size_t count, uint64_t from,
		     uint64_t to)
{
	const struct xs_trace trace = {.calls = calls, .call_count = count};
	struct xs_allocations allocations;
	uint64_t bytes;

	xs_allocations_build(&trace, &allocations);
	bool known = xs_allocations_peak(&allocations, from, to, &bytes);
	xs_allocations_free(&allocations);
	return known ? bytes : UINT64_MAX;
}

TEST(test_a_few)
{
	/* 100 from 5 on, 300 from 15, 200 from 30, 250 from 45, 50 from 60 */
	struct xs_call calls[] = {ALLOC(0, 1, 100), ALLOC(10, 2, 200),
				  FREE(30, 1), ALLOC(40, 1, 50), FREE(60, 2)};

	assert_true(peak(calls, COUNT(calls), 0, 4) == UINT64_MAX);
	assert_true(peak(calls, COUNT(calls), 0, 5) == 100);
	assert_true(peak(calls, COUNT(calls), 6, 14) == 100);
	assert_true(peak(calls, COUNT(calls), 0, 100) == 300);
	assert_true(peak(calls, COUNT(calls), 29, 100) == 300);
	assert_true(peak(calls, COUNT(calls), 30, 44) == 200);
	assert_true(peak(calls, COUNT(calls), 31, 100) == 250);
	assert_true(peak(calls, COUNT(calls), 60, 100) == 50);
}

TEST(test_what_does_not_count)
{
	struct xs_call calls[] = {
	    FREE(0, 7), /* its allocation is not in the trace */
	    ALLOC(10, 1, 100),
	    ALLOC(20, 2, 1000), /* failed: see below */
	    call_of(XS_CALL_ALLOC_PINNED, 30, 3, 5000),
	    ALLOC(40, 1, 70), /* its free was not recorded */
	};

	calls[2].error = 2;
	assert_true(peak(calls, COUNT(calls), 0, 3) == 0);
	assert_true(peak(calls, COUNT(calls), 0, 100) == 100);
	assert_true(peak(calls, COUNT(calls), 50, 100) == 70);
	assert_true(peak(NULL, 0, 0, 100) == UINT64_MAX);
}

/* Nothing is allocated after a reset, and earlier addresses are forgotten. */
TEST(test_reset)
{
	struct xs_call calls[] = {
	    ALLOC(10, 1, 100),
	    ALLOC(20, 2, 1000),
	    call_of(XS_CALL_RESET, 30, 0, 0),
	    ALLOC(40, 1, 7),
	    FREE(50, 2),
	};

	assert_true(peak(calls, COUNT(calls), 0, 29) == 1100);
	assert_true(peak(calls, COUNT(calls), 35, 36) == 0);
	assert_true(peak(calls, COUNT(calls), 45, 100) == 7);
}

/* Pieces are mapped one by one; one call ends several, or a part of one. */
TEST(test_mapped_in_pieces)
{
	static char none[] = "", map[] = "cuMemMap", unmap[] = "cuMemUnmap";
	char *strings[] = {none, map, unmap};
	struct xs_site sites[] = {{0}, {.function = 1}, {.function = 2}};
	struct xs_call calls[] = {
	    call_of(XS_CALL_FREE_DEVICE, 0, 500, 50), /* mapped earlier */
	    call_of(XS_CALL_ALLOC_DEVICE, 10, 100, 10),
	    call_of(XS_CALL_ALLOC_DEVICE, 20, 110, 10),
	    call_of(XS_CALL_ALLOC_DEVICE, 30, 120, 10),
	    call_of(XS_CALL_FREE_DEVICE, 40, 105, 25),
	    call_of(XS_CALL_ALLOC_DEVICE, 50, 110, 10),
	};
	const struct xs_trace trace = {.calls = calls,
				       .call_count = COUNT(calls),
				       .sites = sites,
				       .site_count = COUNT(sites),
				       .strings = strings,
				       .string_count = COUNT(strings)};
	struct xs_allocations allocations;
	uint64_t bytes;

	for (size_t i = 0; i < COUNT(calls); i++)
		calls[i].site =
		    calls[i].call_class == XS_CALL_ALLOC_DEVICE ? 1 : 2;
	xs_allocations_build(&trace, &allocations);
	assert_true(xs_allocations_peak(&allocations, 0, 39, &bytes));
	assert_int_equal(bytes, 30);
	assert_true(xs_allocations_peak(&allocations, 41, 42, &bytes));
	assert_int_equal(bytes, 5);
	assert_true(xs_allocations_peak(&allocations, 41, 100, &bytes));
	assert_int_equal(bytes, 15);
	xs_allocations_free(&allocations);
}

#define CALLS 500

/* Returns the largest sum of allocated bytes over all moments. */
static uint64_t brute_peak(const struct xs_call *calls, uint64_t from,
			   uint64_t to)
{
	uint64_t held[8] = {0}, most = 0, sum = 0;

	for (size_t i = 0; i < CALLS; i++) {
		const struct xs_call *call = &calls[i];
		const bool frees = call->call_class == XS_CALL_FREE_DEVICE;
		const uint64_t at = frees ? call->start_ns : call->end_ns;

		if (at > to)
			break;
		if (at > from && sum > most)
			most = sum;
		sum -= held[call->dst / APART];
		held[call->dst / APART] = frees ? 0 : call->bytes;
		sum += held[call->dst / APART];
		if (at >= from && sum > most)
			most = sum;
	}
	return sum > most ? sum : most;
}

TEST(test_against_brute_force)
{
	struct xs_call calls[CALLS];

	srand(1);
	for (size_t i = 0; i < CALLS; i++) {
		const uint64_t array = 1 + (uint64_t)rand() % 7;

		calls[i] = rand() % 2 ? ALLOC(10 * i, array, rand() % 1000)
				      : FREE(10 * i, array);
	}
	for (int i = 0; i < 500; i++) {
		const uint64_t from = 5 + (uint64_t)rand() % (10 * CALLS);
		const uint64_t to = from + (uint64_t)rand() % 3000;

		assert_true(peak(calls, CALLS, from, to) ==
			    brute_peak(calls, from, to));
	}
}
