/* SPDX-License-Identifier: MIT */
/* Live allocations: random ones against the owner of each byte, and the time
 * that many of them take. */
#include "tests/unit.h"

#include "analyzer/timeline/live_ranges.h"

#include <stdlib.h>
#include <time.h>

#define PROGRAMS   2000
#define CALLS	   30u
#define BYTES	   32u /* from address 1 on */
#define FEW	   10000u
#define TIMES	   8u
#define MOST_RATIO 30.0 /* the square: 64 */
#define MANY	   1000000u

static struct xs_call call_at(uint64_t at_ns, unsigned call_class, uint64_t dst,
			      uint64_t bytes)
{
	return (struct xs_call){.call_class = (uint8_t)call_class,
				.start_ns = at_ns,
				.end_ns = at_ns,
				.dst = dst,
				.bytes = bytes};
}

static struct xs_call random_call(uint64_t at_ns)
{
	static const uint8_t classes[] = {
	    XS_CALL_ALLOC_DEVICE, XS_CALL_ALLOC_PINNED, XS_CALL_REGISTER,
	    XS_CALL_FREE_DEVICE, XS_CALL_FREE_PINNED};
	const bool reset = rand() % 20 == 0;

	return call_at(at_ns, reset ? XS_CALL_RESET : classes[rand() % 5],
		       1 + (unsigned)rand() % BYTES, (unsigned)rand() % 9);
}

static void disown(uint32_t *owners, uint32_t owner)
{
	for (uint32_t i = 0; i < 2 * BYTES; i++)
		if (owners[i] == owner)
			owners[i] = XS_NONE;
}

/* Sets the call that allocated each byte. */
static void follow(const struct xs_call *calls, uint32_t index,
		   uint32_t *owners)
{
	const struct xs_call *call = &calls[index];
	const uint32_t owner = owners[call->dst];

	if (call->call_class == XS_CALL_RESET) {
		for (uint32_t i = 0; i < 2 * BYTES; i++)
			owners[i] = XS_NONE;
	} else if (xs_call_allocates(call->call_class)) {
		for (uint64_t i = call->dst; i < call->dst + call->bytes; i++) {
			disown(owners, owners[i]);
			owners[i] = index;
		}
	} else if (owner != XS_NONE && calls[owner].dst == call->dst) {
		disown(owners, owner);
	}
}

TEST(random_ranges_have_the_bytes)
{
	struct xs_call calls[CALLS];
	const struct xs_trace trace = {.calls = calls, .call_count = CALLS};

	srand(1);
	for (int program = 0; program < PROGRAMS; program++) {
		struct xs_live_ranges ranges;
		uint32_t owners[2 * BYTES];

		for (uint32_t i = 0; i < 2 * BYTES; i++)
			owners[i] = XS_NONE;
		for (uint32_t i = 0; i < CALLS; i++)
			calls[i] = random_call(i);
		xs_live_ranges_begin(&trace, &ranges);
		for (uint32_t i = 0; i < CALLS; i++) {
			xs_live_ranges_advance(&ranges, i);
			follow(calls, i, owners);
			for (uint32_t k = 0; k < 2 * BYTES; k++) {
				const struct xs_live_range *found =
				    xs_live_ranges_find(&ranges, k);

				assert_int_equal(found ? found->call : XS_NONE,
						 owners[k]);
			}
		}
		xs_live_ranges_free(&ranges);
	}
}

static void expect(const struct xs_live_ranges *ranges, uint64_t address,
		   uint64_t begin, uint64_t end, uint32_t call)
{
	const struct xs_live_range *found =
	    xs_live_ranges_find(ranges, address);

	assert_non_null(found);
	assert_int_equal(found->begin, begin);
	assert_int_equal(found->end, end);
	assert_int_equal(found->call, call);
}

/* An array may reach over several mappings, and over no allocation beside
 * them. */
TEST(mapped_pieces_are_one)
{
	static char none[] = "", map[] = "cuMemMap";
	char *strings[] = {none, map};
	struct xs_site sites[] = {{0}, {.function = 1}};
	struct xs_call calls[] = {
	    call_at(0, XS_CALL_ALLOC_DEVICE, 100, 10),
	    call_at(1, XS_CALL_ALLOC_DEVICE, 120, 10),
	    call_at(2, XS_CALL_ALLOC_DEVICE, 110, 10),
	    call_at(3, XS_CALL_ALLOC_DEVICE, 130, 10),
	    call_at(4, XS_CALL_FREE_DEVICE, 110, 10),
	    call_at(5, XS_CALL_FREE_DEVICE, 120, UINT64_MAX)};
	const struct xs_trace trace = {.calls = calls,
				       .call_count = 6,
				       .sites = sites,
				       .site_count = 2,
				       .strings = strings,
				       .string_count = 2};
	struct xs_live_ranges ranges;

	for (int i = 0; i < 3; i++)
		calls[i].site = 1;
	xs_live_ranges_begin(&trace, &ranges);
	xs_live_ranges_advance(&ranges, 1);
	expect(&ranges, 125, 120, 130, 1);
	xs_live_ranges_advance(&ranges, 3);
	expect(&ranges, 125, 100, 130, 0);
	expect(&ranges, 135, 130, 140, 3);
	xs_live_ranges_advance(&ranges, 4);
	expect(&ranges, 105, 100, 110, 0);
	assert_null(xs_live_ranges_find(&ranges, 115));
	expect(&ranges, 125, 120, 130, 0);
	assert_int_not_equal(xs_live_ranges_find(&ranges, 105)->number,
			     xs_live_ranges_find(&ranges, 125)->number);
	xs_live_ranges_advance(&ranges, 5);
	assert_null(xs_live_ranges_find(&ranges, 125));
	expect(&ranges, 135, 130, 140, 3);
	xs_live_ranges_free(&ranges);
}

static struct xs_call random_mapping(uint64_t at_ns)
{
	struct xs_call call = call_at(
	    at_ns, rand() % 3 ? XS_CALL_ALLOC_DEVICE : XS_CALL_FREE_DEVICE,
	    1 + (unsigned)rand() % BYTES, 1 + (unsigned)rand() % 9);

	call.site = 1;
	return call;
}

/* Unmapping reaches to the end of the bytes that are mapped without a gap. */
static void follow_mapping(const struct xs_call *call, bool *mapped)
{
	for (uint64_t i = call->dst; i < call->dst + call->bytes; i++) {
		if (xs_call_allocates(call->call_class))
			mapped[i] = true;
		else if (mapped[i])
			mapped[i] = false;
		else
			break;
	}
}

static void expect_mapped(const struct xs_live_ranges *ranges,
			  const bool *mapped)
{
	for (uint32_t k = 1; k < 2 * BYTES; k++) {
		const struct xs_live_range *found =
		    xs_live_ranges_find(ranges, k);

		assert_int_equal(found != NULL, mapped[k]);
		if (!found)
			continue;
		for (uint64_t i = found->begin; i < found->end; i++)
			assert_true(mapped[i]);
		assert_false(mapped[found->begin - 1] || mapped[found->end]);
	}
}

/* Also of pieces that are mapped again though the call that ended them is lost:
 * the bytes beside them stay. */
TEST(mapped_bytes_without_a_gap_are_one)
{
	static char none[] = "", map[] = "cuMemMap";
	char *strings[] = {none, map};
	struct xs_site sites[] = {{0}, {.function = 1}};
	struct xs_call calls[CALLS];
	const struct xs_trace trace = {.calls = calls,
				       .call_count = CALLS,
				       .sites = sites,
				       .site_count = 2,
				       .strings = strings,
				       .string_count = 2};

	srand(1);
	for (int program = 0; program < PROGRAMS; program++) {
		bool mapped[2 * BYTES] = {false};
		struct xs_live_ranges ranges;

		for (uint32_t i = 0; i < CALLS; i++)
			calls[i] = random_mapping(i);
		xs_live_ranges_begin(&trace, &ranges);
		for (uint32_t i = 0; i < CALLS; i++) {
			xs_live_ranges_advance(&ranges, i);
			follow_mapping(&calls[i], mapped);
			expect_mapped(&ranges, mapped);
		}
		xs_live_ranges_free(&ranges);
	}
}

/* Returns the processor time of `count` allocations, each below the last. */
static double seconds_of(size_t count)
{
	struct xs_call *calls = malloc(count * sizeof(*calls));
	const struct xs_trace trace = {.calls = calls, .call_count = count};
	struct xs_live_ranges ranges;
	clock_t before;

	assert_non_null(calls);
	for (size_t i = 0; i < count; i++)
		calls[i] =
		    call_at(i, XS_CALL_ALLOC_DEVICE, 512 * (count - i), 512);
	before = clock();
	xs_live_ranges_begin(&trace, &ranges);
	xs_live_ranges_advance(&ranges, count);
	before = clock() - before;
	assert_non_null(xs_live_ranges_find(&ranges, 512));
	xs_live_ranges_free(&ranges);
	free(calls);
	return (double)before / CLOCKS_PER_SEC;
}

/* The least of several ratios: other programs may disturb a measurement. */
TEST(time_is_not_the_square)
{
	double ratio = 2 * MOST_RATIO;

	for (int i = 0; i < 5 && ratio > MOST_RATIO; i++)
		ratio = seconds_of(TIMES * FEW) / (seconds_of(FEW) + 1e-6);
	assert_true(ratio <= MOST_RATIO);
}

/* Where the i-th of many allocations begins, each beside two others. */
static uint64_t place_of(uint64_t i)
{
	return 512 * (i * 7919 % MANY + 1);
}

/* Each byte has its owner, also after every second one was freed. */
TEST(many_live)
{
	struct xs_call *calls = malloc(2 * MANY * sizeof(*calls));
	const struct xs_trace trace = {.calls = calls,
				       .call_count = MANY + MANY / 2};
	struct xs_live_ranges ranges;

	assert_non_null(calls);
	for (uint32_t i = 0; i < MANY; i++)
		calls[i] = call_at(i, XS_CALL_ALLOC_DEVICE, place_of(i), 512);
	for (uint32_t i = 0; i < MANY / 2; i++)
		calls[MANY + i] =
		    call_at(MANY + i, XS_CALL_FREE_DEVICE, place_of(2 * i), 0);
	xs_live_ranges_begin(&trace, &ranges);
	xs_live_ranges_advance(&ranges, MANY - 1);
	for (uint32_t i = 0; i < MANY; i++) {
		expect(&ranges, place_of(i), place_of(i), place_of(i) + 512, i);
		assert_int_equal(
		    xs_live_ranges_find(&ranges, place_of(i) + 511)->call, i);
	}
	xs_live_ranges_advance(&ranges, 2 * MANY);
	for (uint32_t i = 0; i < MANY; i++)
		assert_int_equal(
		    xs_live_ranges_find(&ranges, place_of(i)) != NULL, i % 2);
	xs_live_ranges_free(&ranges);
	free(calls);
}
