/* SPDX-License-Identifier: MIT */
/* From a trace to a result, through all stages. */
#include "report/build/build.h"
#include "report/build/read.h"
#include "tests/report/fixture.h"
#include "tests/unit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRACES XS_SOURCE_DIR "/tests/report/traces/"
#define MIB    1048576

static struct xs_result *read_result(const char *path)
{
	const struct xs_result_options options = {.fitted = true};
	struct xs_result *result;
	const char *error;

	if (xs_result_read(path, &options, &result, &error) < 0)
		fail_msg("%s: %s", path, error);
	return result;
}

/* Reads a trace with the given records. */
static struct xs_result *result_of(const char *header, const char *records)
{
	const struct xs_result_options options = {.fitted = true};

	return fixture_read(
	    &options,
	    (const char *[]){
		"xferspy-text 1\nheader start_realtime_ns=1000000000 ", header,
		"\nchunk thread=1 base_ns=1000000000\n", records, NULL});
}

TEST(a_trace_becomes_a_result)
{
	struct xs_result *result = read_result(TRACES "pageable.txt");
	const struct xs_result_phase *phase = &result->phases[0];

	assert_string_equal(result->run.app, "/home/user/app/heat");
	assert_string_equal(result->run.started_utc, "2026-01-02T03:04:05Z");
	assert_string_equal(result->run.cupti_version, "13.0");
	assert_string_equal(result->run.devices[0].name, "NVIDIA H200");
	assert_int_equal(result->totals.h2d_bytes, (4 * 64 + 3 * 16) * MIB);
	assert_int_equal(result->totals.d2h_bytes, 4 * 64 * MIB);
	assert_int_equal(result->totals.kernels, 4 + 4);
	assert_int_equal(result->totals.overlap_ns, 0);
	assert_int_equal(result->coverage.matched, 4 * 3 + 3 + 4);
	assert_int_equal(result->coverage.note_count, 0);
	assert_int_equal(phase->rounds, 4);
	assert_int_equal(phase->h2d_bytes, 64 * MIB);
	assert_string_equal(phase->src_memory, "pageable");
	assert_string_equal(phase->kernel_names[0],
			    "stencil(int const*, int*, int)");
	assert_int_equal(phase->streams, 1);
	assert_string_equal(result->machine.source, "fitted-from-trace");
	xs_result_free(result);
}

/* Pinned copies to the device alone, and a link that is not named. */
TEST(a_calibration_adds_what_the_trace_lacks)
{
	struct xs_result *result = result_of(
	    "state=1 end_realtime_ns=2000000000",
	    "queue queue=0 device=0 queue_kind=1 context=1 stream=7\n"
	    "copy queue=0 correlation=2 start=5000000 duration=1219648 "
	    "bytes=67108864 direction=1 src_memory=2 dst_memory=3 copies=1\n"
	    "copy queue=0 correlation=3 start=7000000 duration=1219648 "
	    "bytes=67108864 direction=1 src_memory=2 dst_memory=3 copies=1\n");

	assert_false(isnan(result->machine.G_h2d.value));
	assert_true(isnan(result->machine.G_d2h.value));
	assert_has(result->machine_choice.calibrating, "rates of copies");
	xs_result_free(result);
	result = read_result(TRACES "pageable.txt");
	assert_has_not(result->machine_choice.calibrating, "rates of copies");
	xs_result_free(result);
}

/* CUPTI's version is 130000, followed by its path. */
TEST(versions_are_for_people)
{
	struct xs_result *result =
	    result_of("state=1 end_realtime_ns=2000000000",
		      "info text=\"cupti=130100 /usr/lib/libcupti.so.13\"\n");

	assert_string_equal(result->run.cupti_version, "13.1");
	xs_result_free(result);
	result = result_of("state=1 end_realtime_ns=2000000000",
			   "info text=\"cupti=24 /usr/lib/libcupti.so.12\"\n");
	assert_string_equal(result->run.cupti_version, "24");
	xs_result_free(result);
}

/* Noted if set, with the values set. */
TEST(connections_are_those_asked_for)
{
	const char *header = "state=1 end_realtime_ns=2000000000";
	struct xs_result *result =
	    result_of(header, "info text=\"CUDA_DEVICE_MAX_CONNECTIONS=1\"\n");

	assert_int_equal(result->run.max_connections, 1);
	assert_int_equal(result->run.max_copy_connections, XS_UNKNOWN);
	assert_true(fixture_has_note(
	    result, "CUDA_DEVICE_MAX_CONNECTIONS=1: all streams share 1 "
		    "hardware queue for kernels (default 8);"));
	assert_true(fixture_has_note(
	    result, "1 hardware queue for each copy engine (default 4);"));
	xs_result_free(result);
	result = result_of(
	    header, "info text=\"CUDA_DEVICE_MAX_CONNECTIONS=8\"\n"
		    "info text=\"CUDA_DEVICE_MAX_COPY_CONNECTIONS=16\"\n");
	assert_int_equal(result->run.max_connections, 8);
	assert_int_equal(result->run.max_copy_connections, 16);
	assert_true(fixture_has_note(result, "8 hardware queues for kernels"));
	assert_false(
	    fixture_has_note(result, "8 hardware queues for each copy"));
	assert_true(
	    fixture_has_note(result, "16 hardware queues for each copy"));
	xs_result_free(result);
}

/* Ops of calls that had not returned when the process ended; one in the middle
 * that the driver started itself. */
TEST(ops_without_a_call_have_a_reason)
{
	static const char *const ops[][2] = {
	    {"copy queue=0 correlation=3 start=400 duration=50 copies=1\n",
	     "had not returned when the process ended"},
	    {"copy queue=0 correlation=3 start=400 duration=50 copies=1\n"
	     "copy queue=0 correlation=0 start=200 duration=50 copies=1\n",
	     "no correlation id"}};

	for (size_t i = 0; i < 2; i++) {
		char records[1024];
		struct xs_result *result;

		snprintf(records, sizeof(records),
			 "info text=\"rung=callbacks\"\n"
			 "string id=1 text=\"cudaMemcpyAsync\"\n"
			 "site call_class=2 site=1 function=1\n"
			 "queue queue=0 context=1 stream=7\n"
			 "copycall site=1 correlation=1 start=100 duration=9\n"
			 "copycall site=1 correlation=2 start=300 duration=9\n"
			 "copy queue=0 correlation=1 start=150 duration=50 "
			 "copies=1\n%s",
			 ops[i][0]);
		result =
		    result_of("state=1 end_realtime_ns=2000000000", records);
		assert_int_equal(result->coverage.matched, 1);
		assert_has(result->coverage.remarks[0], ops[i][1]);
		xs_result_free(result);
	}
}

/* Why a range did not begin is the only reason given. */
TEST(a_range_that_never_began_is_noted)
{
	static const char *const texts[][2] = {
	    {"info text=\"range=profiler\"\n",
	     "recording never began: XFERSPY_RANGE=profiler, and "
	     "cudaProfilerStart() was not called"},
	    {"info text=\"range=signal\"\n",
	     "recording never began: XFERSPY_RANGE=signal, and no SIGUSR2 "
	     "came"},
	    {"info text=\"range=60\"\n",
	     "recording never began: XFERSPY_RANGE=60, and the run ended "
	     "before"},
	    {"", "recording never began: the part of the run that "
		 "XFERSPY_RANGE selects was not reached"}};

	for (size_t i = 0; i < 4; i++) {
		char records[128];
		struct xs_result *result;

		snprintf(records, sizeof(records),
			 "%sdetail detail=2 time_ns=1000000000\n", texts[i][0]);
		result =
		    result_of("state=1 end_realtime_ns=2000000000", records);
		assert_int_equal(result->coverage.note_count, 1);
		assert_string_equal(result->coverage.notes[0], texts[i][1]);
		assert_has(result->coverage.remarks[0], texts[i][1]);
		xs_result_free(result);
	}
}

TEST(an_empty_trace_is_noted)
{
	struct xs_result *result =
	    result_of("state=1 end_realtime_ns=2000000000", "");

	assert_int_equal(result->phase_count, 0);
	assert_int_equal(result->plan_count, 0);
	assert_int_equal(result->run.wall_ns, 1000000000);
	assert_true(fixture_has_note(
	    result, "no CUDA call and no GPU work was recorded"));
	xs_result_free(result);
}

/* Losses come first, then that the process was killed. */
TEST(losses_lead_the_notes)
{
	struct xs_result *result =
	    result_of("state=0 lost_ops=5 lost_cupti=7 lost_calls=9", "");

	assert_int_equal(result->coverage.lost, 21);
	assert_has(result->coverage.notes[0], "5 GPU records");
	assert_has(result->coverage.notes[1], "dropped 7");
	assert_has(result->coverage.notes[2], "9 host calls");
	assert_has(result->coverage.notes[3], "killed");
	xs_result_free(result);
}

/* Calls without ops: GPU work is unknown, not zero. */
TEST(without_cupti_the_gpu_is_unknown)
{
	struct xs_result *result =
	    result_of("state=1 end_realtime_ns=2000000000",
		      "string id=1 text=\"cudaMemcpy\"\n"
		      "site call_class=1 site=1 function=1 module=0xffffffff\n"
		      "copycall site=1 correlation=1 start=1000 duration=5000 "
		      "bytes=4096 direction=1\n");

	assert_true(result->totals.h2d_bytes == XS_UNKNOWN);
	assert_true(result->totals.gpu_busy_ns == XS_UNKNOWN);
	assert_true(result->totals.host_blocked_ns != XS_UNKNOWN);
	assert_true(fixture_has_note(result, "XFERSPY_CUPTI"));
	xs_result_free(result);
}

/* Ops without calls: a program with a statically linked CUDA runtime. */
TEST(without_calls_the_host_is_unknown)
{
	struct xs_result *result =
	    result_of("state=1 end_realtime_ns=2000000000",
		      "info text=\"cupti=130000 x\"\n"
		      "queue queue=0 queue_kind=1 context=1 stream=7\n"
		      "copy queue=0 start=1000 duration=5000 bytes=4096 "
		      "direction=1 src_memory=1 dst_memory=3 copies=1\n");

	assert_int_equal(result->totals.h2d_bytes, 4096);
	assert_true(result->totals.host_blocked_ns == XS_UNKNOWN);
	assert_true(fixture_has_note(result, "no call was recorded"));
	xs_result_free(result);
}

TEST(another_machine_is_noticed)
{
	struct xs_result_options options = {0};
	struct xs_machine machine;
	struct xs_result *result;
	const char *error;

	xs_machine_init(&machine);
	snprintf(machine.gpu, sizeof(machine.gpu), "NVIDIA Tesla K20m");
	options.machine = &machine;
	assert_int_equal(
	    xs_result_read(TRACES "pageable.txt", &options, &result, &error),
	    0);
	assert_true(
	    fixture_has_note(result, "was measured on NVIDIA Tesla K20m"));
	xs_result_free(result);
}

TEST(what_is_no_trace_is_refused)
{
	const struct xs_result_options options = {0};
	struct xs_result *result;
	const char *error;

	assert_int_equal(
	    xs_result_read(XS_SOURCE_DIR "/LICENSE", &options, &result, &error),
	    -EPROTO);
	assert_non_null(error);
	assert_null(result);
	assert_int_equal(xs_result_read("/nowhere", &options, &result, &error),
			 -ENOENT);
}

/* Calls by class and ops by kind, each with the number matched. */
TEST(coverage_has_classes_and_kinds)
{
	struct xs_result *result = read_result(TRACES "partly.txt");
	const struct xs_result_coverage *in = &result->coverage;

	assert_int_equal(in->class_count, 3);
	assert_string_equal(in->classes[0].name, "copy");
	assert_int_equal(in->classes[0].count, 2);
	assert_int_equal(in->classes[0].matched, 2);
	assert_string_equal(in->classes[2].name, "alloc_device");
	assert_int_equal(in->classes[2].matched, 0);
	assert_int_equal(in->kind_count, 3);
	assert_string_equal(in->kinds[2].name, "kernel");
	assert_int_equal(in->kinds[2].count, 3);
	assert_int_equal(in->kinds[2].matched, 1);
	assert_int_equal(in->driver_calls, 1);
	assert_int_equal(in->early_ops, 0);
	assert_int_equal(in->cudart_count, 3);
	assert_true(in->cudarts[0].shared && !in->cudarts[1].shared);
	xs_result_free(result);
}

/*
 * Four rounds on each of two devices, one thread each. Those of the second
 * device start later_us after those of the first; each ends with a copy to the
 * first device, also one of no bytes. second: name of the second device.
 */
static int print_devices(char *text, size_t bytes, const char *second)
{
	return snprintf(text, bytes,
			"device device=0 sm_count=132 name=\"NVIDIA H200\"\n"
			"device device=1 sm_count=132 name=\"%s\"\n"
			"queue queue=0 device=0 context=1 stream=7\n"
			"queue queue=1 device=1 context=2 stream=7\n"
			"shape shape=1 grid_x=1 grid_y=1 grid_z=1 block_x=32 "
			"block_y=1 block_z=1\n"
			"site call_class=2 site=1 module=4294967295\n"
			"site call_class=5 site=2 module=4294967295\n"
			"site call_class=14 site=3 module=4294967295\n"
			"site call_class=2 site=4 module=4294967295\n",
			second);
}

static struct xs_result *two_devices(const char *second, int later_us)
{
	char text[16384];
	size_t used = (size_t)print_devices(text, sizeof(text), second);

	for (int i = 0; i < 8; i++) {
		const int device = i % 2, id = 10 * (i + 1);
		const int at = 1000 * (400 * (i / 2) + device * later_us);

		used += (size_t)snprintf(
		    text + used, sizeof(text) - used,
		    "chunk thread=%d base_ns=1000000000\n"
		    "copycall site=1 correlation=%d start=%d duration=1000 "
		    "bytes=%d\n"
		    "call site=2 correlation=%d start=%d duration=1000\n"
		    "copycall site=4 correlation=%d start=%d duration=500 "
		    "bytes=%d\n"
		    "waitcall site=3 start=%d duration=146000\n"
		    "chunk base_ns=1000000000\n"
		    "copy queue=%d correlation=%d start=%d duration=40000 "
		    "bytes=%d direction=1 src_memory=2 dst_memory=3 flags=1\n"
		    "kernel queue=%d correlation=%d start=%d duration=50000 "
		    "shape=1\n",
		    device + 1, id, at, (device + 1) * MIB, id + 1, at + 2000,
		    id + 2, at + 3000, device * 64, at + 4000, device, id,
		    at + 5000, (device + 1) * MIB, device, id + 1, at + 50000);
		if (device == 0)
			continue;
		used += (size_t)snprintf(
		    text + used, sizeof(text) - used,
		    "copy queue=1 correlation=%d start=%d duration=20000 "
		    "bytes=64 direction=5 src_memory=3 dst_memory=3 flags=1 "
		    "peer_device=0\n",
		    id + 2, at + 110000);
	}
	return result_of("state=1 end_realtime_ns=1002000000", text);
}

TEST(devices_have_their_own_totals)
{
	struct xs_result *result = two_devices("NVIDIA H200", 20);
	const struct xs_result_device *devices = result->run.devices;

	assert_int_equal(result->run.device_count, 2);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(devices[i].index, i);
		assert_int_equal(devices[i].h2d_bytes, 4 * (i + 1) * MIB);
		assert_int_equal(devices[i].kernels, 4);
		assert_int_equal(devices[i].kernel_ns, 4 * 50000);
		assert_int_equal(devices[i].p2p_bytes, i * 4 * 64);
		assert_int_equal(devices[i].overlap_ns, 0);
	}
	assert_int_equal(result->totals.p2p_bytes, 4 * 64);
	assert_int_equal(result->totals.p2p_ns, 4 * 20000);
	assert_int_equal(result->totals.d2d_bytes, 0);
	/* a copy to one device while the other computes is not overlap */
	assert_int_equal(result->totals.overlap_ns, 0);
	xs_result_free(result);
}

TEST(concurrent_phases_are_noted)
{
	struct xs_result *result = two_devices("NVIDIA H200", 20);

	assert_int_equal(result->phases[0].concurrent_ns, 4 * 130000);
	/* two rounds at once: half of the time that they take together */
	assert_int_equal(result->phases[0].wall_ns,
			 result->phases[0].total_ns - 2 * 130000);
	assert_true(fixture_has_note(result, "phases 1, 2 ran concurrently"));
	assert_false(fixture_has_note(result, "another kind"));
	xs_result_free(result);
	result = two_devices("NVIDIA H200", 200);
	assert_int_equal(result->phases[0].concurrent_ns, 0);
	assert_false(fixture_has_note(result, "ran beside"));
	xs_result_free(result);
}

/* Steps of 10 us each, one after the other. */
static void on_device(struct xs_step *steps, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		steps[i].call_ns = 10000 * i;
		steps[i].return_ns = steps[i].call_ns + 10000;
	}
}

/* 10 us of one kernel, and the 5 us in which only the other one runs. */
TEST(kernels_side_by_side_count_once)
{
	struct xs_step steps[] = {
	    {.kind = XS_STEP_KERNEL, .start_ns = 10000, .end_ns = 20000},
	    {.kind = XS_STEP_KERNEL, .start_ns = 15000, .end_ns = 25000}};
	const struct xs_phase phase = {.steps = steps, .step_count = 2};
	const struct xs_trace trace = {0};
	struct xs_result result = {0};
	struct xs_result_phase out;

	xs_build_phase(&result, &trace, &phase, &out);
	assert_int_equal(out.kernel_busy_ns, 15000);
	assert_int_equal(out.movable_ns, XS_UNKNOWN);
	xs_arena_free(&result.arena);
}

/* The host waits for the second set only: of the others it issues the work. */
TEST(issuing_work_on_the_device_is_no_wait)
{
	struct xs_step steps[] = {{.kind = XS_STEP_SET},
				  {.kind = XS_STEP_SET, .blocking = true},
				  {.kind = XS_STEP_D2D},
				  {.kind = XS_STEP_KERNEL},
				  {.kind = XS_STEP_ALLOCATE}};
	const struct xs_phase phase = {.steps = steps, .step_count = 5};
	const struct xs_trace trace = {0};
	struct xs_result result = {0};
	struct xs_result_phase out;

	on_device(steps, 5);
	xs_build_phase(&result, &trace, &phase, &out);
	assert_int_equal(out.transfer_ns, 10000);
	assert_int_equal(out.movable_ns, 20000);
	xs_arena_free(&result.arena);
}

/* The copy itself takes 2 us of a call of 10; the kernel before it is not its.
 */
TEST(the_rate_of_a_copy_is_of_its_call)
{
	struct xs_step steps[] = {
	    {.kind = XS_STEP_H2D, .start_ns = 7000, .end_ns = 9000},
	    {.kind = XS_STEP_KERNEL, .start_ns = 21000, .end_ns = 24000},
	    {.kind = XS_STEP_D2H, .start_ns = 27000, .end_ns = 29000}};
	const struct xs_phase phase = {.steps = steps, .step_count = 3};
	const struct xs_trace trace = {0};
	struct xs_result result = {0};
	struct xs_result_phase out;

	on_device(steps, 3);
	xs_build_phase(&result, &trace, &phase, &out);
	assert_int_equal(out.h2d_call_ns, 10000);
	assert_int_equal(out.d2h_call_ns, 6000);
	xs_arena_free(&result.arena);
}

static void says_missing(struct xs_result *result, const struct xs_trace *trace,
			 const struct xs_phases *phases, const char *text)
{
	assert_int_equal(xs_build_dataflow(result, trace, phases), 0);
	if (!strstr(result->dataflow->missing, text))
		fail_msg("\"%s\" does not say \"%s\"",
			 result->dataflow->missing, text);
}

/* Of the conditions for pointers of launches, the one that failed. */
TEST(missing_pointers_have_a_reason)
{
	struct xs_phase phase = {.rounds = 2};
	const struct xs_phases phases = {.items = &phase, .count = 1};
	char key[] = "range", value[] = "signal";
	struct xs_info range = {key, value};
	struct xs_trace trace = {0};
	struct xs_result result = {0};

	says_missing(&result, &trace, &(struct xs_phases){0},
		     "there is no phase");
	says_missing(&result, &trace, &phases, "no kernel ran");
	phase.kernel_ops = 1;
	says_missing(&result, &trace, &phases, "without XFERSPY_DATAFLOW=off");
	trace.infos = &range;
	trace.info_count = 1;
	says_missing(&result, &trace, &phases, "XFERSPY_RANGE was signal");
	result.coverage.mode = "light";
	says_missing(&result, &trace, &phases, "the mode was light");
	result.coverage.timing_source = "events";
	says_missing(&result, &trace, &phases, "GPU times are from events");
	trace.pointers_count = 1;
	says_missing(&result, &trace, &phases, "XFERSPY_DATAFLOW=all");
	xs_arena_free(&result.arena);
}

/* One profile for all: of the device that works longest. */
TEST(devices_of_two_models_are_noted)
{
	struct xs_result *result = two_devices("Tesla V100", 200);

	assert_true(fixture_has_note(result, "ran on another GPU model"));
	xs_result_free(result);
}
