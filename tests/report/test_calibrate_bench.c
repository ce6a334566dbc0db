/* SPDX-License-Identifier: MIT */
/*
 * The measurements of xferspy calibrate, on a GPU whose every cost is known:
 * each must find what fake_gpu.h says. Looking at the clock takes 20 ns there
 * and an event's time is a float of milliseconds, hence the tolerances.
 */
#include "report/calibrate_bench.h"
#include "tests/report/fake_gpu.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define assert_param(param, expected, tolerance)                               \
	do {                                                                   \
		assert_true(fabs((param).value - (expected)) <= (tolerance));  \
		assert_true((param).low <= (param).value);                     \
		assert_true((param).value <= (param).high);                    \
	} while (0)

struct fixture {
	struct xs_bench bench;
	struct xs_machine machine;
};

static struct fixture fixture;

/* The bench is opened once: its buffers are large. */
static int open_bench(void **state)
{
	fake_gpu_open(&fixture.bench.gpu);
	*state = &fixture;
	return xs_bench_open(&fixture.bench);
}

static int close_bench(void **state)
{
	struct fixture *f = *state;

	xs_bench_close(&f->bench);
	return 0;
}

static int set_up(void **state)
{
	struct fixture *f = *state;

	xs_gpu_clear(&f->bench.gpu);
	xs_machine_init(&f->machine);
	memset(&fake_faults, 0, sizeof(fake_faults));
	return 0;
}

static void test_copies_one_way(void **state)
{
	struct fixture *f = *state;

	xs_bench_latency(&f->bench, &f->machine);
	xs_bench_bandwidth(&f->bench, &f->machine);
	xs_bench_gap(&f->bench, &f->machine);
	assert_false(xs_gpu_failed(&f->bench.gpu));
	assert_param(f->machine.lo_h2d_ns, FAKE_LO, 1);
	assert_param(f->machine.lo_d2h_ns, FAKE_LO, 1);
	assert_param(f->machine.G_h2d, FAKE_G_IN, 1e-6);
	assert_param(f->machine.G_d2h, FAKE_G_OUT, 1e-6);
	/* a further chunk costs its own start and the engine's turn */
	assert_param(f->machine.g_h2d_ns, FAKE_COPY + FAKE_SWITCH, 1);
	assert_param(f->machine.g_d2h_ns, FAKE_COPY + FAKE_SWITCH, 1);
	/* the fake's engines start chunks beside each other, as one way */
	assert_param(f->machine.g_both_ns, FAKE_COPY + FAKE_SWITCH, 1);
}

static void test_copies_both_ways_are_slower(void **state)
{
	struct fixture *f = *state;

	xs_bench_both_ways(&f->bench, &f->machine);
	assert_false(xs_gpu_failed(&f->bench.gpu));
	assert_param(f->machine.G_both_h2d, FAKE_G_IN * FAKE_SLOWER, 1e-6);
	assert_param(f->machine.G_both_d2h, FAKE_G_OUT * FAKE_SLOWER, 1e-6);
}

static void test_mapped_memory(void **state)
{
	struct fixture *f = *state;

	xs_bench_mapped(&f->bench, &f->machine);
	xs_bench_mapped_against(&f->bench, &f->machine);
	assert_false(xs_gpu_failed(&f->bench.gpu));
	assert_param(f->machine.mapped_read, FAKE_READ, 1e-6);
	assert_param(f->machine.mapped_write, FAKE_WRITE, 1e-6);
	assert_param(f->machine.mapped_both_read, FAKE_BOTH, 1e-6);
	assert_param(f->machine.mapped_both_write, FAKE_BOTH, 1e-6);
	/* the fake's kernels and copies leave each other alone */
	assert_param(f->machine.mapped_write_vs_h2d, FAKE_WRITE, 1e-6);
	assert_param(f->machine.h2d_vs_mapped_write, FAKE_G_IN, 1e-6);
	assert_param(f->machine.mapped_read_vs_d2h, FAKE_READ, 1e-6);
	assert_param(f->machine.d2h_vs_mapped_read, FAKE_G_OUT, 1e-6);
}

static void test_calls(void **state)
{
	struct fixture *f = *state;

	xs_bench_calls(&f->bench, &f->machine);
	xs_bench_stream_create(&f->bench, &f->machine);
	assert_false(xs_gpu_failed(&f->bench.gpu));
	assert_param(f->machine.call_copy_async_ns, FAKE_CALL_COPY, 40);
	assert_param(f->machine.call_launch_ns, FAKE_CALL_LAUNCH, 40);
	assert_param(f->machine.call_event_ns, FAKE_CALL_EVENT, 1);
	assert_param(f->machine.stream_create_ns, FAKE_CALL_STREAM, 40);
}

static void test_blocking_copies(void **state)
{
	struct fixture *f = *state;

	xs_bench_latency(&f->bench, &f->machine);
	xs_bench_bandwidth(&f->bench, &f->machine);
	xs_bench_blocking_copy(&f->bench, &f->machine);
	xs_bench_pageable(&f->bench, &f->machine);
	assert_false(xs_gpu_failed(&f->bench.gpu));
	assert_param(f->machine.call_copy_sync_ns, FAKE_CALL_BLOCKING, 60);
	/* 4 KiB to 256 MiB, doubling: 17 points */
	assert_int_equal(f->machine.pageable_h2d.count, 17);
	assert_true(f->machine.pageable_h2d.bytes[0] == 4096);
	assert_true(f->machine.pageable_h2d.bytes[16] == 256.0 * XS_MIB);
	assert_true(fabs(f->machine.pageable_d2h.ns[16] -
			 (FAKE_CALL_BLOCKING + FAKE_LO +
			  FAKE_G_OUT * 256 * XS_MIB)) < 60);
}

static void test_blocking_copies_need_latency_and_bandwidth(void **state)
{
	struct fixture *f = *state;

	xs_bench_blocking_copy(&f->bench, &f->machine);
	assert_true(xs_gpu_failed(&f->bench.gpu));
	assert_true(isnan(f->machine.call_copy_sync_ns.value));
}

static void test_launch_and_synchronisation(void **state)
{
	struct fixture *f = *state;

	xs_bench_launch(&f->bench, &f->machine);
	xs_bench_sync(&f->bench, &f->machine);
	xs_bench_kernel_gap(&f->bench, &f->machine);
	assert_false(xs_gpu_failed(&f->bench.gpu));
	assert_param(f->machine.launch_latency_ns, FAKE_LATENCY, 60);
	assert_param(f->machine.sync_ns, FAKE_SYNC, 60);
	assert_param(f->machine.kernel_gap_ns, FAKE_GAP, 2);
}

static void test_host_memory(void **state)
{
	struct fixture *f = *state;

	xs_bench_pin(&f->bench, &f->machine);
	xs_bench_register(&f->bench, &f->machine);
	assert_false(xs_gpu_failed(&f->bench.gpu));
	assert_param(f->machine.pin_fixed_ns, FAKE_PIN, 60);
	assert_param(f->machine.pin_byte_ns, FAKE_PIN_BYTE, 1e-6);
	assert_param(f->machine.register_fixed_ns, FAKE_REGISTER, 60);
	assert_param(f->machine.register_byte_ns, FAKE_REGISTER_BYTE, 1e-6);
}

static void test_implicit_synchronisation_is_noticed(void **state)
{
	struct fixture *f = *state;

	xs_bench_implicit_sync(&f->bench, &f->machine);
	assert_int_equal(f->machine.implicit_sync, 0);
	fake_faults.implicit_sync = true;
	xs_bench_implicit_sync(&f->bench, &f->machine);
	assert_int_equal(f->machine.implicit_sync, 1);
}

static void test_a_failed_call_is_named_and_its_part_unknown(void **state)
{
	struct fixture *f = *state;

	fake_faults.no_pinning = true;
	xs_bench_pin(&f->bench, &f->machine);
	assert_string_equal(f->bench.gpu.failure,
			    "cuMemHostAlloc: CUDA_ERROR_OUT_OF_MEMORY (2)");
	assert_true(isnan(f->machine.pin_byte_ns.value));

	/* and the next measurement is none the worse for it */
	xs_gpu_clear(&f->bench.gpu);
	xs_bench_stream_create(&f->bench, &f->machine);
	assert_false(xs_gpu_failed(&f->bench.gpu));
	assert_param(f->machine.stream_create_ns, FAKE_CALL_STREAM, 40);
}

static void test_a_kernel_that_stays_silent_does_not_hang(void **state)
{
	struct fixture *f = *state;

	fake_faults.no_flag = true;
	xs_bench_launch(&f->bench, &f->machine);
	assert_non_null(strstr(f->bench.gpu.failure, "did not arrive"));
	assert_true(isnan(f->machine.launch_latency_ns.value));
}

#define TEST(function) cmocka_unit_test_setup(function, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(test_copies_one_way),
	    TEST(test_copies_both_ways_are_slower),
	    TEST(test_mapped_memory),
	    TEST(test_calls),
	    TEST(test_blocking_copies),
	    TEST(test_blocking_copies_need_latency_and_bandwidth),
	    TEST(test_launch_and_synchronisation),
	    TEST(test_host_memory),
	    TEST(test_implicit_synchronisation_is_noticed),
	    TEST(test_a_failed_call_is_named_and_its_part_unknown),
	    TEST(test_a_kernel_that_stays_silent_does_not_hang),
	};

	return cmocka_run_group_tests(tests, open_bench, close_bench);
}
