/* SPDX-License-Identifier: MIT */
/* Waits in the report: sentences, call sites, and CUDA start-up. */
#include "analyzer/read/names.h"
#include "analyzer/read/trace.h"
#include "report/build/read.h"
#include "report/build/wait_reason.h"
#include "tests/report/fixture.h"
#include "tests/unit.h"

#include <stdlib.h>
#include <string.h>

#define MS  1000000LL
#define US  1000LL
#define MIB 1048576LL

static void expect_text(const struct xs_result_wait *wait, const char *text)
{
	struct xs_arena arena = {0};

	assert_string_equal(xs_wait_reason(&arena, wait, 1), text);
	xs_arena_free(&arena);
}

#define EXPECT_TEXT(text, ...)                                                 \
	expect_text(&(struct xs_result_wait){.touched_bytes = XS_UNKNOWN,      \
					     __VA_ARGS__},                     \
		    text)

static struct xs_result_site at(const char *call, int64_t line, int64_t calls,
				int64_t bytes)
{
	return (struct xs_result_site){.file = "/src/x.cu",
				       .line = line,
				       .call = call,
				       .calls = calls,
				       .bytes = bytes};
}

TEST(frees_wait_implicitly)
{
	EXPECT_TEXT("cudaFree at x.cu:12 waits implicitly for the kernels "
		    "before it: 31.0 ms in 500 calls; cudaFreeAsync, or "
		    "keeping the memory, would not wait",
		    .site = at("cudaFree", 12, 500, 0), .kind = "free-device",
		    .hidden = true, .waited_ns = 32 * MS, .kernel_ns = 31 * MS,
		    .host_ns = 1 * MS);
	EXPECT_TEXT(
	    "cudaFreeAsync at x.cu:12 waits implicitly for the kernels before "
	    "it: 31.0 ms in 5 calls; keeping the memory would not wait",
	    .site = at("cudaFreeAsync", 12, 5, 0), .kind = "free-device",
	    .hidden = true, .waited_ns = 32 * MS, .kernel_ns = 31 * MS,
	    .host_ns = 1 * MS);
	EXPECT_TEXT(
	    "cuMemsetD8_v2 at x.cu:14 waits implicitly for the kernels before "
	    "it: 31.0 ms in 5 calls; cuMemsetD8Async would not wait",
	    .site = at("cuMemsetD8_v2", 14, 5, 0), .kind = "set",
	    .hidden = true, .waited_ns = 32 * MS, .kernel_ns = 31 * MS,
	    .host_ns = 1 * MS);
	/* a call that waited for nothing */
	EXPECT_TEXT("cudaFreeHost at x.cu:13, one call: the call itself",
		    .site = at("cudaFreeHost", 13, 1, 0), .kind = "free-pinned",
		    .hidden = true, .waited_ns = 33 * MS, .host_ns = 33 * MS);
}

TEST(small_copies_wait_for_kernels)
{
	EXPECT_TEXT("cudaMemcpy at x.cu:80, 100 calls of 4 B: kernels 12.1 ms, "
		    "the copy 900 us",
		    .site = at("cudaMemcpy", 80, 100, 400), .kind = "copy",
		    .waited_ns = 13 * MS, .own_ns = 900 * US,
		    .kernel_ns = 12100 * US);
	EXPECT_TEXT("cudaMemcpy at x.cu:81, 2 calls of 1 MiB: the copy 8.00 "
		    "ms, its overhead 2.00 ms",
		    .site = at("cudaMemcpy", 81, 2, 2 * 1048576),
		    .kind = "copy", .waited_ns = 10 * MS, .own_ns = 8 * MS,
		    .latency_ns = 2 * MS);
}

TEST(pageable_copies_are_asynchronous_in_name)
{
	EXPECT_TEXT("cudaMemcpyAsync at x.cu:40, 4 calls of 64 KiB, blocks "
		    "since its memory is pageable: the copy",
		    .site = at("cudaMemcpyAsync", 40, 4, 4 * 65536),
		    .kind = "copy-async", .pageable = true,
		    .waited_ns = 5200 * US, .own_ns = 5200 * US);
	EXPECT_TEXT("cudaMemcpyAsync at x.cu:40, 4 calls of 4 B, blocks since "
		    "its memory is pageable: kernels",
		    .site = at("cudaMemcpyAsync", 40, 4, 16),
		    .kind = "copy-async", .pageable = true,
		    .waited_ns = 5200 * US, .kernel_ns = 5196 * US,
		    .own_ns = 4 * US);
}

TEST(polls_are_no_waits)
{
	EXPECT_TEXT(
	    "cudaEventQuery at x.cu:18 polls until the GPU is done: copies out",
	    .site = at("cudaEventQuery", 18, 1, 0), .kind = "poll",
	    .waited_ns = 2 * MS, .d2h_ns = 2 * MS);
}

TEST(first_touches_are_told)
{
	struct xs_result_wait wait = {.site =
					  at("cudaMemcpy", 91, 2, 128 * MIB),
				      .kind = "copy",
				      .pageable = true,
				      .minor_faults = 16384,
				      .waited_ns = 37 * MS,
				      .own_ns = 37 * MS,
				      .touched_bytes = 64 * MIB,
				      .touched_ns = 30 * MS};

	expect_text(&wait, "cudaMemcpy at x.cu:91, 2 calls of 64 MiB: the "
			   "copy; its page faults are the first touch of at "
			   "least 64 MiB of host memory, about 30.0 ms");
	wait.touched_ns = XS_UNKNOWN;
	expect_text(
	    &wait,
	    "cudaMemcpy at x.cu:91, 2 calls of 64 MiB: the copy; its page "
	    "faults are the first touch of at least 64 MiB of host memory");
	/* a few page faults are not mentioned */
	wait.touched_bytes = 8192;
	expect_text(&wait,
		    "cudaMemcpy at x.cu:91, 2 calls of 64 MiB: the copy");
}

/* Calls and times are those of one round; first touches of all rounds. */
TEST(a_round_has_its_part)
{
	struct xs_result_wait wait = {.site =
					  at("cudaMemcpy", 91, 22, 22 * MIB),
				      .kind = "copy",
				      .waited_ns = 33 * MS,
				      .own_ns = 22 * MS,
				      .host_ns = 11 * MS,
				      .touched_bytes = 6 * MIB,
				      .touched_ns = 1 * MS};
	struct xs_arena arena = {0};

	assert_string_equal(
	    xs_wait_reason(&arena, &wait, 11),
	    "cudaMemcpy at x.cu:91, 2 calls of 1 MiB: the copy 2.00 ms, its "
	    "overhead 1.00 ms; in all rounds, its page faults are the first "
	    "touch of at least 6 MiB of host memory, about 1.00 ms");
	assert_string_equal(
	    xs_wait_reason(&arena, &wait, 20),
	    "cudaMemcpy at x.cu:91, 22 calls of 1 MiB in 20 rounds: the copy "
	    "1.10 ms, its overhead 550 us; in all rounds, its page faults are "
	    "the first touch of at least 6 MiB of host memory, about 1.00 ms");
	/* those of a few rounds are not mentioned */
	wait.touched_bytes = 5 * MIB;
	assert_string_equal(xs_wait_reason(&arena, &wait, 11),
			    "cudaMemcpy at x.cu:91, 2 calls of 1 MiB: the copy "
			    "2.00 ms, its overhead 1.00 ms");
	/* each round copies to other memory */
	wait.touched_bytes = 11 * MIB;
	wait.touched_ns = 11 * MS;
	assert_string_equal(xs_wait_reason(&arena, &wait, 11),
			    "cudaMemcpy at x.cu:91, 2 calls of 1 MiB: the copy "
			    "2.00 ms, its overhead 1.00 ms; with page faults, "
			    "since each round's memory is new, about 1.00 ms");
	xs_arena_free(&arena);
}

static struct xs_result *read_golden(const char *name)
{
	const struct xs_result_options options = {0};
	struct xs_result *result;
	const char *error;
	char path[512];

	snprintf(path, sizeof(path), XS_SOURCE_DIR "/tests/analyzer/golden/%s",
		 name);
	if (xs_result_read(path, &options, &result, &error) < 0)
		fail_msg("%s: %s", path, error);
	return result;
}

/* The first of two allocations took 50 ms longer than twice the second. */
TEST(the_start_of_cuda_is_apart)
{
	struct xs_result *result = read_golden("waits.trace");

	assert_int_equal(result->totals.init_ns, 50 * MS);
	assert_int_equal(result->totals.pinned_alloc_ns, 1500 * US);
	xs_result_free(result);
	/* no call took long: no start-up */
	result = read_golden("serial.trace");
	assert_true(result->totals.init_ns == XS_UNKNOWN);
	xs_result_free(result);
}

/* A comment in the trace explains it. */
TEST(parts_add_up)
{
	struct xs_result *result = read_golden("waits.trace");
	int64_t hidden_ns = 0, waited_ns = 0;

	assert_int_equal(result->wait_count, 8);
	for (size_t i = 0; i < result->wait_count; i++) {
		const struct xs_result_wait *wait = &result->waits[i];

		assert_int_equal(wait->own_ns + wait->h2d_ns + wait->kernel_ns +
				     wait->d2h_ns + wait->other_ns +
				     wait->latency_ns + wait->host_ns,
				 wait->waited_ns);
		waited_ns += wait->waited_ns;
		assert_true(i == 0 || wait->waited_ns <= wait[-1].waited_ns);
		assert_in_range(wait->gpu_calls, 0, wait->site.calls);
		assert_non_null(wait->text);
		if (strcmp(wait->kind, "copy-async") == 0) {
			assert_int_equal(wait->minor_faults, 100);
			assert_int_equal(wait->touched_bytes, 409600);
		} else {
			assert_true(wait->minor_faults == XS_UNKNOWN);
		}
		/* work that still ran when the call returned was not waited
		 * for */
		if (strcmp(wait->kind, "alloc-device") == 0)
			assert_int_equal(wait->host_ns, wait->waited_ns);
		if (wait->hidden)
			hidden_ns += wait->waited_ns - wait->host_ns -
				     wait->latency_ns - wait->own_ns;
	}
	/* an implicit synchronisation is a wait like any other */
	assert_int_equal(hidden_ns, 280 * US);
	assert_int_equal(result->totals.host_blocked_ns, waited_ns);
	xs_result_free(result);
}

/* Waits below half a percent of the run are only in JSON. */
TEST(text_shows_the_longest)
{
	struct xs_result *result = fixture_result();
	char *text = fixture_text(result, false);

	assert_has(text, "cudaFree at main.cu:93 waits");
	assert_has_not(text, "cudaMemcpy at main.cu:91");
	free(text);
	xs_result_free(result);
}

TEST(every_class_has_a_name)
{
	for (unsigned i = 0; i < XS_CALL_CLASSES; i++)
		assert_non_null(xs_name_call(i));
	for (unsigned i = 0; i < XS_OP_KINDS; i++)
		assert_non_null(xs_name_op(i));
	assert_null(xs_name_call(XS_CALL_CLASSES));
}
