/* SPDX-License-Identifier: MIT */
/*
 * The measurements of xferspy calibrate on a simulated GPU must find the costs
 * in fake_cuda_device.h. There a look at the clock takes 20 ns and event times
 * are floats of milliseconds, hence the tolerances.
 */
#include "report/calibrate/bench.h"
#include "tests/report/fake_cuda_device.h"
#include "tests/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define assert_param(param, expected, tolerance)                               \
	do {                                                                   \
		assert_true(fabs((param).value - (expected)) <= (tolerance));  \
		assert_true((param).low <= (param).value);                     \
		assert_true((param).value <= (param).high);                    \
	} while (0)

void *__real_memset(void *to, int value, size_t bytes);
void *__wrap_memset(void *to, int value, size_t bytes);

/* The simulated clock does not see how long it takes to touch GiB of buffers,
 * so only their ends are written. */
void *__wrap_memset(void *to, int value, size_t bytes)
{
	if (bytes < XS_MIB)
		return __real_memset(to, value, bytes);
	((unsigned char *)to)[0] = (unsigned char)value;
	((unsigned char *)to)[bytes - 1] = (unsigned char)value;
	return to;
}

static struct xs_bench bench;
static struct xs_machine machine;

/* Opened once, since its buffers are large. */
FIXTURE(open_bench)
{
	fake_cuda_open(&bench.gpu);
	return xs_bench_open(&bench);
}

FIXTURE(close_bench)
{
	xs_bench_close(&bench);
	return 0;
}

FIXTURE(set_up)
{
	xs_cuda_clear(&bench.gpu);
	xs_machine_init(&machine);
	bench.machine = &machine;
	memset(&fake_faults, 0, sizeof(fake_faults));
	memset(bench.params, 0, sizeof(bench.params));
	memset(bench.curves, 0, sizeof(bench.curves));
	return 0;
}

static void measure(xs_bench_step *const *each)
{
	for (; *each; each++)
		(*each)(&bench);
	assert_false(xs_cuda_failed(&bench.gpu));
}

#define MEASURE(...) measure((xs_bench_step *const[]){__VA_ARGS__, NULL})

TEST(test_copies_one_way)
{
	MEASURE(xs_bench_latency, xs_bench_bandwidth, xs_bench_gap);
	assert_param(machine.lo_h2d_ns, FAKE_LO, 1);
	assert_param(machine.lo_d2h_ns, FAKE_LO, 1);
	assert_param(machine.G_h2d, FAKE_G_IN, 1e-6);
	assert_param(machine.G_d2h, FAKE_G_OUT, 1e-6);
	/* a further chunk costs its start and the engine's switch */
	assert_param(machine.g_h2d_ns, FAKE_COPY + FAKE_SWITCH, 1);
	assert_param(machine.g_d2h_ns, FAKE_COPY + FAKE_SWITCH, 1);
}

TEST(test_copies_both_ways_are_slower)
{
	MEASURE(xs_bench_both_ways, xs_bench_pipeline);
	assert_param(machine.G_both_h2d, FAKE_G_IN * FAKE_SLOWER, 1e-6);
	assert_param(machine.G_both_d2h, FAKE_G_OUT * FAKE_SLOWER, 1e-6);
	/* the simulated engines start chunks independently, as in one
	 * direction */
	assert_param(machine.g_both_ns, FAKE_COPY + FAKE_SWITCH, 20);
	assert_param(machine.g_kernel_ns, FAKE_COPY + FAKE_SWITCH, 20);
	assert_param(machine.g_event_ns, FAKE_COPY + FAKE_SWITCH, 20);
}

TEST(test_kernels_wait_for_copies)
{
	MEASURE(xs_bench_copy_to_kernel);
	assert_param(machine.copy_to_kernel_ns, FAKE_AFTER_COPY, 20);
}

TEST(test_mapped_memory)
{
	MEASURE(xs_bench_mapped, xs_bench_mapped_against);
	assert_param(machine.mapped_read, FAKE_READ, 1e-6);
	assert_param(machine.mapped_write, FAKE_WRITE, 1e-6);
	assert_param(machine.mapped_both_read, FAKE_BOTH, 1e-6);
	assert_param(machine.mapped_both_write, FAKE_BOTH, 1e-6);
	/* kernels and copies do not slow each other here */
	assert_param(machine.mapped_read_vs_d2h, FAKE_READ, 1e-6);
	assert_param(machine.d2h_vs_mapped_read, FAKE_G_OUT, 1e-6);
}

TEST(test_parts_of_lines)
{
	const double half = FAKE_PART, quarter = FAKE_PART * FAKE_PART;

	MEASURE(xs_bench_mapped_parts);
	assert_param(machine.mapped_read_64, FAKE_READ * half, 1e-6);
	assert_param(machine.mapped_read_32, FAKE_READ * quarter, 1e-6);
	assert_param(machine.mapped_write_64, FAKE_WRITE * half, 1e-6);
	assert_param(machine.mapped_write_32, FAKE_WRITE * quarter, 1e-6);
}

TEST(test_parts_of_sectors)
{
	MEASURE(xs_bench_mapped_partial);
	assert_param(machine.mapped_write_partial_ns, FAKE_PARTIAL, 1e-3);
	assert_param(machine.mapped_write_apart_ns, FAKE_APART, 1e-3);
}

TEST(test_writes_that_queue_up)
{
	xs_bench_bandwidth(&bench);
	xs_bench_gap(&bench);
	xs_bench_mapped(&bench);
	fake_faults.writes_queue = true;
	MEASURE(xs_bench_mapped_writes);
	assert_param(machine.mapped_write_vs_h2d, FAKE_WRITE, 1e-5);
	assert_param(machine.h2d_vs_mapped_write, FAKE_HELD, 0.01);
	assert_param(machine.mapped_write_early_ns, FAKE_EARLY, 300);
	assert_param(machine.mapped_write_early, FAKE_WRITE, 1e-5);
	assert_param(machine.mapped_write_stall_ns, 0, 300);
	/* except for a copy's start instead of the gap */
	assert_param(machine.h2d_stall_ns, FAKE_STALL,
		     (FAKE_COPY + FAKE_SWITCH) * FAKE_HELD / FAKE_G_IN);
}

/* If copies keep their rate, no early time and no stall is found. */
TEST(test_writes_that_do_not_queue_up)
{
	MEASURE(xs_bench_bandwidth, xs_bench_mapped_writes);
	assert_param(machine.mapped_write_vs_h2d, FAKE_WRITE, 1e-5);
	assert_param(machine.h2d_vs_mapped_write, FAKE_G_IN, 1e-5);
	assert_true(isnan(machine.mapped_write_early_ns.value));
	assert_true(isnan(machine.h2d_stall_ns.value));
}

TEST(test_reads_in_flight)
{
	MEASURE(xs_bench_in_flight);
	assert_param(machine.mapped_read_latency_ns, FAKE_FAR, 1);
	assert_param(machine.device_read_latency_ns, FAKE_NEAR, 1);
	assert_param(machine.l2_read_latency_ns, FAKE_L2, 1);
}

TEST(test_graphs)
{
	MEASURE(xs_bench_graph);
	assert_param(machine.graph_instantiate_ns, FAKE_MAKE_GRAPH, 60);
	assert_param(machine.graph_instantiate_node_ns, FAKE_MAKE_NODE, 2);
	assert_param(machine.graph_launch_ns, FAKE_CALL_GRAPH, 60);
	assert_param(machine.graph_launch_node_ns, FAKE_CALL_NODE, 2);
	assert_param(machine.graph_latency_ns, FAKE_GRAPH_LATENCY, 60);
	/* The fake measures from the call, which is longer for more nodes. */
	assert_param(machine.graph_gap_ns, FAKE_NODE_GAP + FAKE_CALL_NODE, 2);
}

TEST(test_batches)
{
	MEASURE(xs_bench_bandwidth, xs_bench_batch);
	assert_param(machine.call_batch_ns, FAKE_CALL_BATCH, 60);
	assert_param(machine.call_batch_copy_ns, FAKE_CALL_BATCHED, 2);
	assert_param(machine.g_batch_ns, FAKE_BATCH_GAP + FAKE_CALL_BATCHED, 2);
}

TEST(test_copies_between_gpus)
{
	MEASURE(xs_bench_peers);
	assert_param(machine.lo_staged_ns, FAKE_CALL_COPY + FAKE_STAGED, 60);
	assert_param(machine.G_staged, FAKE_STAGED_BYTE, 1e-5);
	assert_param(machine.lo_peer_ns, FAKE_CALL_COPY + FAKE_PEER, 60);
	assert_param(machine.G_peer, FAKE_PEER_BYTE, 1e-5);
}

TEST(test_gpus_apart)
{
	fake_faults.alone = true;
	xs_bench_peers(&bench);
	assert_true(isnan(machine.lo_staged_ns.value));
	fake_faults.alone = false;
	fake_faults.apart = true;
	MEASURE(xs_bench_peers);
	assert_param(machine.G_staged, FAKE_STAGED_BYTE, 1e-5);
	assert_true(isnan(machine.G_peer.value));
}

TEST(test_older_drivers)
{
	const struct xs_cuda_api api = bench.gpu.api;

	bench.gpu.api.cuGraphLaunch = NULL;
	bench.gpu.api.cuMemcpyBatchAsync = NULL;
	bench.gpu.api.cuMemcpyPeerAsync = NULL;
	MEASURE(xs_bench_graph, xs_bench_batch, xs_bench_peers);
	assert_true(isnan(machine.lo_staged_ns.value));
	assert_true(isnan(machine.graph_launch_ns.value));
	assert_true(isnan(machine.call_batch_ns.value));
	bench.gpu.api = api;
}

TEST(test_device_memory)
{
	MEASURE(xs_bench_allocate, xs_bench_gather);
	assert_param(machine.device_alloc_fixed_ns, FAKE_ALLOCATE, 60);
	assert_param(machine.device_alloc_byte_ns, FAKE_ALLOCATE_BYTE, 1e-6);
	assert_param(machine.device_free_fixed_ns, FAKE_FREE, 60);
	assert_param(machine.device_free_byte_ns, FAKE_FREE_BYTE, 1e-6);
	/* time does not pass in the fake's memory copies of the host */
	assert_param(machine.host_copy_byte_ns, 0, 1e-4);
	assert_param(machine.host_threads_byte_ns, 0, 1e-4);
}

TEST(test_calls)
{
	MEASURE(xs_bench_calls, xs_bench_stream_create);
	assert_param(machine.call_copy_async_ns, FAKE_CALL_COPY, 40);
	assert_param(machine.call_launch_ns, FAKE_CALL_LAUNCH, 40);
	assert_param(machine.call_event_ns, FAKE_CALL_EVENT, 1);
	assert_param(machine.stream_create_ns, FAKE_CALL_STREAM, 40);
}

TEST(test_blocking_copies)
{
	MEASURE(xs_bench_latency, xs_bench_bandwidth, xs_bench_blocking_copy,
		xs_bench_pageable);
	assert_param(machine.call_copy_sync_ns, FAKE_CALL_BLOCKING, 60);
	/* 4 KiB to 256 MiB, doubling: 17 points */
	assert_int_equal(machine.pageable_h2d.count, 17);
	assert_true(machine.pageable_h2d.bytes[0] == 4096);
	assert_true(machine.pageable_h2d.bytes[16] == 256.0 * XS_MIB);
	assert_true(fabs(machine.pageable_d2h.ns[16] -
			 (FAKE_CALL_BLOCKING + FAKE_LO +
			  FAKE_G_OUT * 256 * XS_MIB)) < 60);
}

/* The rate of a pageable copy depends on where its pages are. */
TEST(test_each_pass_has_pages_of_its_own)
{
	const unsigned char *before = bench.pageable;

	MEASURE(xs_bench_pageable);
	assert_ptr_not_equal(bench.pageable, before);
	assert_int_equal(bench.pageable[XS_BENCH_BYTES - 1], 1);
}

TEST(test_blocking_copies_need_latency_and_bandwidth)
{
	xs_bench_blocking_copy(&bench);
	assert_true(xs_cuda_failed(&bench.gpu));
	assert_true(isnan(machine.call_copy_sync_ns.value));
}

TEST(test_launch_and_synchronisation)
{
	MEASURE(xs_bench_launch, xs_bench_sync, xs_bench_kernel_gap);
	assert_param(machine.launch_latency_ns, FAKE_LATENCY, 60);
	assert_param(machine.sync_ns, FAKE_SYNC, 60);
	assert_param(machine.kernel_gap_ns, FAKE_GAP, 2);
}

TEST(test_polls_and_mailbox)
{
	MEASURE(xs_bench_polls, xs_bench_mailbox);
	assert_param(machine.poll_system_ns, FAKE_POLL_HOST, 1);
	assert_param(machine.poll_device_ns, FAKE_POLL_DEVICE, 1);
	/* time does not pass in the fake's reads of the host */
	assert_param(machine.poll_host_ns, 0, 0.1);
	assert_param(machine.flag_ns, FAKE_MAILBOX - FAKE_POLL_HOST, 100);
	/* the host answers 32 kernels meanwhile */
	assert_param(machine.proxy_ns, FAKE_MAILBOX / 32, 10);
}

TEST(test_mailbox_needs_polls)
{
	xs_bench_mailbox(&bench);
	assert_has(bench.gpu.failure, "polls");
	assert_true(isnan(machine.flag_ns.value));
}

/* Either side may wait for a flag that does not come. */
TEST(test_a_mailbox_without_answers_does_not_hang)
{
	xs_bench_polls(&bench);
	fake_faults.no_flag = true;
	xs_bench_mailbox(&bench);
	assert_has(bench.gpu.failure, "did not answer");
	xs_cuda_clear(&bench.gpu);
	fake_faults.no_flag = false;
	fake_faults.blind = true;
	xs_bench_mailbox(&bench);
	assert_has(bench.gpu.failure, "did not see");
	assert_true(isnan(machine.flag_ns.value));
	assert_true(isnan(machine.proxy_ns.value));

	/* the next measurement works again */
	xs_cuda_clear(&bench.gpu);
	fake_faults.blind = false;
	MEASURE(xs_bench_mailbox);
	assert_param(machine.proxy_ns, FAKE_MAILBOX / 32, 10);
}

TEST(test_messages_of_kernels)
{
	MEASURE(xs_bench_messages, xs_bench_blocks);
	assert_param(machine.store_64_ns, FAKE_STORE, 1);
	assert_param(machine.g_load_ns, FAKE_LOAD_MESSAGE, 1);
	assert_param(machine.g_store_ns, FAKE_STORE_MESSAGE, 1);
	assert_param(machine.block_load, FAKE_BLOCK_LOAD, 1e-5);
	assert_param(machine.block_store, FAKE_BLOCK_STORE, 1e-5);
	assert_param(machine.block_store_far, FAKE_BLOCK_FAR, 1e-5);
}

TEST(test_host_memory)
{
	MEASURE(xs_bench_pin, xs_bench_register, xs_bench_touch);
	assert_param(machine.pin_fixed_ns, FAKE_PIN, 60);
	assert_param(machine.pin_byte_ns, FAKE_PIN_BYTE, 1e-6);
	assert_param(machine.register_fixed_ns, FAKE_REGISTER, 60);
	assert_param(machine.register_byte_ns, FAKE_REGISTER_BYTE, 1e-6);
	assert_param(machine.touch_byte_ns, FAKE_TOUCH, 1e-6);
}

TEST(test_implicit_synchronisation_is_noticed)
{
	xs_bench_implicit_sync(&bench);
	assert_int_equal(machine.implicit_sync, 0);
	fake_faults.implicit_sync = true;
	xs_bench_implicit_sync(&bench);
	assert_int_equal(machine.implicit_sync, 1);
}

TEST(test_a_failed_call_is_named_and_its_part_unknown)
{
	fake_faults.no_pinning = true;
	xs_bench_pin(&bench);
	assert_string_equal(bench.gpu.failure,
			    "cuMemHostAlloc: CUDA_ERROR_OUT_OF_MEMORY (2)");
	assert_true(isnan(machine.pin_byte_ns.value));

	/* the next measurement works again */
	xs_cuda_clear(&bench.gpu);
	MEASURE(xs_bench_stream_create);
	assert_param(machine.stream_create_ns, FAKE_CALL_STREAM, 40);
}

TEST(test_a_kernel_that_stays_silent_does_not_hang)
{
	fake_faults.no_flag = true;
	xs_bench_launch(&bench);
	assert_has(bench.gpu.failure, "did not arrive");
	assert_true(isnan(machine.launch_latency_ns.value));
}

/* All parameters, in the order of a pass. */
static void take_pass(void)
{
	MEASURE(xs_bench_latency, xs_bench_bandwidth, xs_bench_gap,
		xs_bench_both_ways, xs_bench_mapped, xs_bench_mapped_writes,
		xs_bench_pipeline, xs_bench_copy_to_kernel, xs_bench_calls,
		xs_bench_blocking_copy, xs_bench_pageable, xs_bench_launch,
		xs_bench_sync, xs_bench_kernel_gap);
}

static void assert_off(struct xs_check check, double low, double high,
		       int cases)
{
	assert_int_equal(check.cases, cases);
	assert_true(check.low >= low);
	assert_true(check.low <= check.value);
	assert_true(check.value <= check.high);
	assert_true(check.high <= high);
}

/* Replay is exact where it has the simulation's rules. The simulation slows
 * copies longer than the other direction is busy, which replay does not know.
 */
TEST(test_self_check)
{
	machine.copy_engines = 2;
	take_pass();
	MEASURE(xs_bench_check);
	assert_off(machine.self_check.explicit, -0.002, 0.002, 9);
	/* kernels of the simulated device start and end at once */
	assert_off(machine.self_check.mapped, -0.03, 0.03, 9);
	assert_off(machine.self_check.hybrid, -0.02, 0.02, 48);
	assert_off(machine.self_check.streams, -0.01, 0.1, 36);
	assert_true(machine.self_check.streams.high > 0.02);
}

/* A third of the mapped rounds go both ways; here they take twice as long. */
TEST(test_self_check_shows_a_wrong_parameter)
{
	take_pass();
	machine.mapped_both_write.value *= 2;
	xs_bench_check(&bench);
	assert_off(machine.self_check.mapped, -0.5, 0.002, 9);
	assert_true(machine.self_check.mapped.low < -0.48);
	assert_true(fabs(machine.self_check.mapped.value) < 0.002);
}

/* Kernels of the check then take the time of the nominal clock, here the true
 * one, instead of for ever. */
TEST(test_self_check_on_a_shared_gpu)
{
	machine.copy_engines = 2;
	take_pass();
	fake_faults.shared = true;
	MEASURE(xs_bench_check);
	assert_off(machine.self_check.explicit, -0.002, 0.002, 9);
}

TEST(test_self_check_needs_parameters)
{
	xs_bench_check(&bench);
	assert_has(bench.gpu.failure, "not measured");
	assert_int_equal(machine.self_check.explicit.cases, 0);
	assert_int_equal(machine.self_check.hybrid.cases, 0);
}

/* A pass with these three values. */
static void set_pass(enum xs_param_id id, double a, double b, double c)
{
	const struct xs_samples samples = {3, {a, b, c}};

	xs_bench_set(&bench, id, &samples);
}

static void set_passes(enum xs_param_id id)
{
	set_pass(id, 4, 4, 4);
	set_pass(id, 1, 2, 3);
	set_pass(id, 4, 4, 9);
}

/* The range is of all passes, too. */
TEST(test_a_value_is_of_all_passes)
{
	set_passes(XS_PARAM_G_h2d);
	assert_true(machine.G_h2d.value == 4);
	assert_true(machine.G_h2d.low < 2 && machine.G_h2d.high > 6);
}

TEST(test_a_time_of_calls_is_of_the_fastest_pass)
{
	set_passes(XS_PARAM_call_launch_ns);
	assert_true(machine.call_launch_ns.value == 2);
	assert_true(machine.call_launch_ns.low < 2);
	assert_true(machine.call_launch_ns.high > 6);
}

/* A pass of one estimate may be below 95 % of all. */
TEST(test_a_value_is_within_its_range)
{
	struct xs_samples samples = {40, {0}};

	for (size_t i = 0; i < samples.count; i++)
		samples.values[i] = 7;
	xs_bench_set(&bench, XS_PARAM_call_launch_ns, &samples);
	xs_bench_set(&bench, XS_PARAM_call_launch_ns,
		     &(struct xs_samples){1, {4}});
	assert_true(machine.call_launch_ns.value == 4);
	assert_true(machine.call_launch_ns.low == 4);
}

/* A difference of two times may be negative on a busy machine. */
TEST(test_nothing_costs_less_than_nothing)
{
	set_pass(XS_PARAM_sync_ns, -40, 10, 60);
	assert_true(machine.sync_ns.low == 0);
	assert_true(machine.sync_ns.value == 10);
	assert_true(machine.sync_ns.high > 10);
}

TEST(test_curves_have_the_range_of_all_passes)
{
	const struct xs_samples points[] = {{1, {100}}, {1, {109}}};

	for (int pass = 0; pass < 2; pass++)
		xs_bench_set_point(&bench, XS_BENCH_IN, 0, 4096, &points[pass]);
	assert_true(machine.pageable_h2d.low_ns[0] < 101);
	assert_true(machine.pageable_h2d.high_ns[0] > 108);
}

/* Repeats end when the time is used up, but not before the first. */
TEST(test_slow_measurements_are_repeated_less)
{
	struct xs_repeats quick = xs_bench_repeats(5),
			  slow = xs_bench_repeats(5);
	int count = 0;

	while (xs_bench_repeat(&quick))
		count++;
	assert_int_equal(count, 5);
	while (xs_bench_repeat(&slow)) {
		fake_cuda_advance_ns(150e6);
		count++;
	}
	assert_int_equal(count, 5 + 2);
	slow = xs_bench_repeats(5);
	fake_cuda_advance_ns(1e9);
	assert_true(xs_bench_repeat(&slow));
	assert_false(xs_bench_repeat(&slow));
}

TEST(test_summary)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	machine.passes = 3;
	machine.self_check.streams = (struct xs_check){0.01, -0.052, 0.03, 36};
	xs_bench_summarize(&machine, out);
	fclose(out);
	assert_has(text, "off by at most 5.2 %");
	assert_has(text, "not checked");
	for (const char *line = text; *line != '\0';
	     line += strcspn(line, "\n") + 1)
		assert_true(strcspn(line, "\n") <= 80);
	free(text);
}

int main(void)
{
	return unit_run(open_bench, close_bench, set_up, NULL);
}
