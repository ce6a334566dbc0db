/* SPDX-License-Identifier: MIT */
/* From a phase to its times in the result, and why there is no dataflow. */
#include "report/build/build.h"
#include "tests/unit.h"

#include <string.h>

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
	xs_build_dataflow(result, trace, phases);
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
