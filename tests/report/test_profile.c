/* SPDX-License-Identifier: MIT */
/* A given profile is checked against the trace, and a run is predicted on
 * another machine. */
#include "model/strategies/model.h"
#include "report/build/read.h"
#include "report/result/best.h"
#include "tests/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PINNED	 XS_SOURCE_DIR "/tests/report/traces/pinned.txt"
#define PAGEABLE XS_SOURCE_DIR "/tests/report/traces/pageable.txt"

static struct xs_result_options options;
static struct xs_machine machine;
static struct xs_result *result;

static void set(struct xs_param *param, double value)
{
	*param = (struct xs_param){value, value, value};
}

/* A profile of the machine that the traces are from. */
FIXTURE(set_up)
{
	xs_machine_init(&machine);
	strcpy(machine.name, "own");
	strcpy(machine.source, "calibrated");
	strcpy(machine.gpu, "NVIDIA H200");
	strcpy(machine.driver, "580.82.07 (CUDA 13.0)");
	strcpy(machine.date, "2025-01-02T03:04:06Z");
	machine.copy_engines = 2;
	machine.pcie_gen = 5;
	machine.pcie_width = 16;
	machine.sm_count = 132;
	machine.memory_bandwidth = 4.8e12;
	set(&machine.lo_h2d_ns, 5500);
	set(&machine.lo_d2h_ns, 6000);
	set(&machine.G_h2d, 1179648.0 / 67108864);
	set(&machine.G_d2h, 1061683.0 / 67108864);
	options = (struct xs_result_options){.machine = &machine};
	return 0;
}

FIXTURE(tear_down)
{
	xs_result_free(result);
	result = NULL;
	return 0;
}

static void read_trace(const char *path)
{
	const char *error;

	xs_result_free(result);
	if (xs_result_read(path, &options, &result, &error) < 0)
		fail_msg("%s: %s", path, error);
}

/* The only note; it contains both texts. */
static void expect_note(const char *text, const char *more)
{
	read_trace(PINNED);
	assert_int_equal(result->coverage.note_count, 1);
	const char *note = result->coverage.notes[0];
	if (!strstr(note, text) || !strstr(note, more))
		fail_msg("\"%s\" lacks \"%s\" or \"%s\"", note, text, more);
}

static void expect_no_note(void)
{
	read_trace(PINNED);
	if (result->coverage.note_count)
		fail_msg("%s", result->coverage.notes[0]);
}

TEST(its_own_profile_is_fine)
{
	expect_no_note();
	strcpy(machine.gpu, "h200"); /* as users write it */
	expect_no_note();
	machine.gpu[0] = machine.driver[0] = machine.date[0] = '\0';
	machine.sm_count = machine.copy_engines = machine.pcie_gen = 0;
	expect_no_note();
}

TEST(another_gpu_is_said_once)
{
	strcpy(machine.gpu, "NVIDIA H200 NVL");
	strcpy(machine.date, "2014");
	machine.sm_count = 14;
	set(&machine.G_h2d, 0.08);
	expect_note("the profile own was measured on NVIDIA H200 NVL",
		    "this trace is from NVIDIA H200:");
}

TEST(a_failed_check_is_noted)
{
	machine.self_check.explicit = (struct xs_check){0.1, -0.1, 0.4, 9};
	expect_no_note();
	machine.self_check.explicit.high = 39.7;
	expect_note("predictions by the profile own were off by up to 3970 %",
		    "calibrate again on an idle machine");
}

TEST(disagreeing_passes_are_noted)
{
	machine.disagrees[XS_PARAM_G_h2d] = true;
	machine.disagrees[XS_PARAM_lo_d2h_ns] = true;
	/* next to nothing of this run */
	machine.G_h2d.high += 1e-6;
	machine.lo_d2h_ns.high *= 11;
	expect_no_note();
	machine.G_h2d.high *= 2;
	machine.lo_d2h_ns.high *= 10;
	expect_note("the profile own found different values of the latency of "
		    "copies out, the rate of copies in: calibrate again",
		    "the passes of");
}

/* Estimates do not depend mainly on these. */
TEST(small_doubts_stay_in_the_profile)
{
	machine.disagrees[XS_PARAM_g_both_ns] = true;
	machine.disagrees[XS_PARAM_pageable_h2d] = true;
	expect_no_note();
}

TEST(published_numbers_are_left_alone)
{
	strcpy(machine.source, "published");
	strcpy(machine.date, "2014");
	set(&machine.G_h2d, 0.08);
	expect_no_note();
}

TEST(another_device_of_that_name)
{
	machine.sm_count = 66;
	machine.copy_engines = 1;
	expect_note("SMs 66 against 132, copy engines 1 against 2",
		    "calibrate again");
}

/* A slot may offer less than the device supports. */
TEST(a_slot_may_be_narrower)
{
	machine.pcie_gen = 4;
	machine.pcie_width = 8;
	expect_no_note();
	machine.pcie_gen = 6;
	expect_note("PCIe generation 6 against 5", "calibrate again");
}

TEST(another_driver)
{
	strcpy(machine.driver, "550.54.14 (CUDA 12.4)");
	expect_note("driver 550.54.14 (CUDA 12.4)", "recorded with 580.82.07");
}

/* The trace is from 2026-01-02T03:04:05Z. */
TEST(an_old_profile)
{
	strcpy(machine.date, "2025-01-02T03:04:04Z");
	expect_note("on 2025-01-02, more than a year", "calibrate again");
	strcpy(machine.date, "2023-12-31");
	expect_note("on 2023-12-31, more than a year", "calibrate again");
	strcpy(machine.date, "2026-05-01");
	expect_no_note();
}

TEST(other_rates)
{
	set(&machine.G_h2d, machine.G_h2d.value * 1.09);
	set(&machine.G_d2h, machine.G_d2h.value * 0.92);
	expect_no_note();
	set(&machine.G_h2d, machine.G_h2d.value / 2);
	expect_note("to the device run at 56.9 GB/s",
		    "profile own says 104 GB/s: calibrate again");
	set(&machine.G_h2d, machine.G_h2d.value * 2);
	set(&machine.G_d2h, machine.G_d2h.value * 2);
	expect_note("to the host run at 63.2 GB/s", "says 34.4 GB/s");
}

/* A machine twice as slow in every property; and again without G, so that
 * copies are not predicted. */
TEST(a_run_moves_to_another_machine)
{
	struct xs_other_machine others[2];
	struct xs_machine other = machine;
	int64_t sum_ns = 0;

	strcpy(other.name, "half");
	other.memory_bandwidth /= 2;
	set(&other.G_h2d, 2 * machine.G_h2d.value);
	set(&other.G_d2h, 2 * machine.G_d2h.value);
	xs_other_machine_set(&others[0], &other);
	strcpy(other.name, "blank");
	set(&other.G_h2d, NAN);
	xs_other_machine_set(&others[1], &other);
	options.elsewhere = others;
	options.elsewhere_count = 2;
	read_trace(PINNED);
	assert_int_equal(result->other_machine_count, 2);
	const struct xs_result_other_machine *moved =
	    &result->other_machines[0];
	assert_string_equal(moved->strategy, "machine:half");
	assert_int_equal(moved->phases, result->phase_count);
	for (size_t i = 0; i < result->phase_count; i++) {
		const struct xs_result_phase *phase = &result->phases[i];
		const struct xs_result_estimate *row =
		    xs_result_best(phase, "machine:half", false);

		assert_string_equal(row->effort, "none");
		sum_ns += phase->rounds * (row->round_ns - phase->round_ns);
	}
	assert_true(moved->app_wall_ns == result->run.wall_ns + sum_ns);
	assert_true(moved->app_wall_ns > result->run.wall_ns * 3 / 2);
	assert_true(moved->low_ns <= moved->app_wall_ns);
	assert_true(moved->high_ns >= moved->app_wall_ns);
	assert_true(result->other_machines[1].app_wall_ns == XS_UNKNOWN);
	assert_int_equal(result->other_machines[1].phases,
			 result->phase_count - 2);
}

/* However fast, it is not a change to the program. */
TEST(another_machine_is_no_advice)
{
	struct xs_other_machine other;
	struct xs_machine faster = machine;

	set(&faster.G_h2d, machine.G_h2d.value / 10);
	set(&faster.G_d2h, machine.G_d2h.value / 10);
	xs_other_machine_set(&other, &faster);
	options.elsewhere = &other;
	options.elsewhere_count = 1;
	read_trace(PAGEABLE);
	assert_true(result->other_machines[0].app_wall_ns <
		    result->run.wall_ns / 2);
	assert_true(result->plan_count > 0);
	for (size_t i = 0; i < result->plan_count; i++)
		assert_string_not_equal(result->plan[i].estimate->strategy,
					"machine:own");
}

/* The estimates are for the first machine; kernels are scaled from the GPU
 * that ran them. */
TEST(kernels_are_set_against_the_traced_gpu)
{
	struct xs_other_machine other;
	struct xs_machine first = machine;

	strcpy(first.gpu, "NVIDIA GeForce GTX Titan");
	first.memory_bandwidth = 288e9;
	options.machine = &first;
	xs_other_machine_set(&other, &machine);
	options.elsewhere = &other;
	options.elsewhere_count = 1;
	read_trace(PINNED);
	assert_has(
	    xs_result_best(&result->phases[0], "machine:own", false)->why,
	    "kernels x 1 by memory");
}

RUN_TESTS(set_up, tear_down)
