/* SPDX-License-Identifier: MIT */
/* Fits profiles to synthetic records of machines with known parameters. */
#include "tests/model/model_test.h"

#include "model/machine/fit.h"
#include "model/machine/points.h"
#include "model/machine/usual.h"

static struct xs_step steps[80];
static struct xs_phase phase;
static struct xs_machine m;

static void fit(const struct xs_rec_device *device)
{
	const struct xs_phases phases = {
	    .items = &phase, .count = 1, .rounds = 1};

	xs_machine_fit(&phases, device, &m);
}

static void begin(void)
{
	memset(steps, 0, sizeof(steps));
	phase = (struct xs_phase){.steps = steps};
}

static struct xs_step *next(uint8_t kind, uint64_t call_ns, uint64_t return_ns,
			    uint64_t start_ns, uint64_t end_ns)
{
	struct xs_step *step = &steps[phase.step_count++];

	assert_true(phase.step_count <= COUNT(steps));
	*step = (struct xs_step){.kind = kind,
				 .queue = 1,
				 .thread = 1,
				 .call_ns = call_ns,
				 .return_ns = return_ns,
				 .start_ns = start_ns,
				 .end_ns = end_ns};
	return step;
}

/* Appends a blocking pinned copy at time `at`: 2000 to its start, 1200 + 0.02
 * per byte on the device, 2500 to its return. Returns the time of its return.
 */
static uint64_t pinned_copy(uint8_t kind, uint64_t at, uint64_t bytes)
{
	const uint64_t end = at + 2000 + 1200 + bytes / 50;
	struct xs_step *step = next(kind, at, end + 2500, at + 2000, end);

	step->bytes = bytes;
	step->blocking = true;
	step->src_memory = kind == XS_STEP_H2D ? XS_MEM_PINNED : XS_MEM_DEVICE;
	step->dst_memory = kind == XS_STEP_D2H ? XS_MEM_PINNED : XS_MEM_DEVICE;
	return end + 2500;
}

TEST(test_pinned_copies)
{
	begin();
	pinned_copy(XS_STEP_H2D, 1000, 1 << 20);
	pinned_copy(XS_STEP_H2D, 100000, 1 << 20);
	fit(NULL);
	/* (1200 + 20971) / 1048576 */
	assert_close_to(m.G_h2d.value, 0.021144, 1e-3, "G", __FILE__, __LINE__);
	assert_near(m.lo_h2d_ns.value, 2000);
	assert_true(isnan(m.G_d2h.value)); /* there was no evidence of it */
	assert_has(m.notes, "; to the host: unknown, without pinned copies");
}

/* PCIe 3.0 x16 has 15.754 GB/s raw: 0.063476 ns per byte; 80 % (75 to 88) are
 * reached. */
TEST(test_link)
{
	const struct xs_rec_device device = {.cc_major = 3,
					     .cc_minor = 5,
					     .copy_engines = 1,
					     .pcie_gen = 3,
					     .pcie_width = 16,
					     .sm_count = 14};

	begin();
	fit(&device);
	assert_close_to(m.G_h2d.value, 0.079345, 1e-4, "G", __FILE__, __LINE__);
	assert_close_to(m.G_h2d.low, 0.072132, 1e-4, "low", __FILE__, __LINE__);
	assert_close_to(m.G_h2d.high, 0.084635, 1e-4, "high", __FILE__,
			__LINE__);
	/* the published value of that machine lies within */
	assert_true(m.G_h2d.low < 0.08318392 && m.G_h2d.high > 0.08318392);
	assert_true(m.G_both_h2d.value > m.G_h2d.value);
	assert_int_equal(m.copy_engines, 1);
	assert_int_equal(m.implicit_sync, 0);
	assert_int_equal(m.sm_count, 14);
	assert_has(m.notes, "generation");
	assert_true(isnan(m.mapped_read.value));
	/* an H100's, within the range */
	assert_true(m.pin_byte_ns.low < 0.3 && m.pin_byte_ns.high > 0.68);
}

/* The efficiency of each generation is the one measured on a machine of it. */
TEST(test_links_of_shipped_profiles)
{
	static const char *const names[] = {"gtx-680", "gtx-titan", "v100",
					    "h200"};

	for (size_t i = 0; i < COUNT(names); i++) {
		const struct xs_machine shipped_one = shipped(names[i]);
		const struct xs_rec_device device = {
		    .pcie_gen = (uint16_t)shipped_one.pcie_gen,
		    .pcie_width = (uint16_t)shipped_one.pcie_width};

		begin();
		fit(&device);
		assert_true(m.G_h2d.low < shipped_one.G_h2d.value);
		assert_true(m.G_h2d.high > shipped_one.G_h2d.value);
		assert_true(m.G_d2h.low < shipped_one.G_d2h.value);
		assert_true(m.G_d2h.high > shipped_one.G_d2h.value);
	}
}

/* A link that reports generation 1 (0.305 ns per byte) when idle, and a
 * pageable copy at 0.1. */
TEST(test_link_that_reports_too_little)
{
	const struct xs_rec_device device = {.pcie_gen = 1, .pcie_width = 16};

	begin();
	struct xs_step *step = next(XS_STEP_H2D, 1000, 1001000, 2000, 1000000);
	step->bytes = 10000000;
	step->src_memory = XS_MEM_PAGEABLE;
	step->blocking = true;
	fit(&device);
	assert_true(isnan(m.G_h2d.value) && isnan(m.G_d2h.value));
	assert_has(m.notes, "beat");
	/* pinned, it tells both rates: the link is as fast the other way */
	uint64_t at = 1000;
	begin();
	for (int i = 0; i < 20; i++)
		at = pinned_copy(XS_STEP_H2D, at, 10000000);
	fit(&device);
	assert_true(m.G_h2d.value < 0.021);
	assert_near(m.G_d2h.value, m.G_h2d.value);
	assert_true(m.G_both_d2h.value < 0.025);
	assert_has(m.notes, "to the host: as the other one, which beats what");
}

TEST(test_implicit_synchronisation_by_generation)
{
	struct xs_rec_device device = {.cc_major = 2};

	begin();
	fit(&device);
	assert_int_equal(m.implicit_sync, 1);
	device.cc_major = 3; /* GTX 680 */
	fit(&device);
	assert_int_equal(m.implicit_sync, 1);
	device.cc_major = 9;
	fit(&device);
	assert_int_equal(m.implicit_sync, 0);
	device.cc_major = 0; /* unknown */
	fit(&device);
	assert_int_equal(m.implicit_sync, -1);
}

/* Launch 3000, 2000 to the start; 700 between dependent kernels; 4000 from the
 * last end to the return of the synchronisation. Each is an upper limit. */
TEST(test_calls)
{
	begin();
	next(XS_STEP_KERNEL, 1000, 4000, 6000, 20000);
	next(XS_STEP_KERNEL, 5000, 8000, 20700, 30000);
	next(XS_STEP_EVENT_RECORD, 9000, 10000, 0, 0);
	next(XS_STEP_SYNC_STREAM, 11000, 34000, 0, 0);
	fit(NULL);
	assert_near(m.call_launch_ns.value, 3000);
	assert_near(m.launch_latency_ns.value, 2000);
	assert_near(m.kernel_gap_ns.value, 700);
	/* usual values, which are less than those of the trace */
	assert_near(m.call_event_ns.value, 600);
	assert_near(m.sync_ns.value, 2400);
	assert_near(m.device_free_fixed_ns.value, 41000);
	/* an asynchronous copy takes less than a launch */
	assert_near(m.call_copy_async_ns.value, 1700);
	assert_near(m.call_copy_async_ns.low, 700);
	assert_near(m.call_copy_async_ns.high, 4000);
}

TEST(test_both_directions)
{
	begin();
	pinned_copy(XS_STEP_H2D, 1000, 1 << 20);
	pinned_copy(XS_STEP_D2H, 100000, 1 << 20);
	struct xs_step *in = next(XS_STEP_H2D, 200000, 202500, 206000, 231000);
	struct xs_step *out = next(XS_STEP_D2H, 203000, 205500, 206000, 232000);
	in->bytes = out->bytes = 1000000;
	in->src_memory = out->dst_memory = XS_MEM_PINNED;
	in->async = out->async = true;
	fit(NULL);
	assert_near(m.G_both_h2d.value, 0.025);
	assert_near(m.G_both_d2h.value, 0.026);
	assert_near(m.call_copy_async_ns.value, 1700);
	assert_near(m.call_copy_async_ns.high, 2500);
	assert_has(m.notes, "once: as traced");
}

/* Two sizes, three copies of the smaller one: its median. */
TEST(test_pageable_curve)
{
	const uint64_t calls[] = {1000, 100000, 200000, 300000};
	const uint64_t times[] = {50000, 60000, 90000, 500000};

	begin();
	for (size_t i = 0; i < COUNT(calls); i++) {
		struct xs_step *s =
		    next(XS_STEP_H2D, calls[i], calls[i] + times[i],
			 calls[i] + 100, calls[i] + times[i] - 100);

		s->bytes = i == 3 ? 10 << 20 : 1 << 20;
		s->src_memory = XS_MEM_PAGEABLE;
		s->blocking = true;
	}
	fit(NULL);
	assert_int_equal(m.pageable_h2d.count, 2);
	assert_near(xs_curve_ns(&m.pageable_h2d, 1 << 20), 60000);
	assert_near(xs_curve_ns(&m.pageable_h2d, 10 << 20), 500000);
	assert_int_equal(m.pageable_d2h.count, 0);
}

TEST(test_nothing_to_fit)
{
	const struct xs_phases none = {0};

	xs_machine_fit(&none, NULL, &m);
	assert_true(isnan(m.G_h2d.value));
	assert_true(isnan(m.G_both_h2d.value));
	assert_true(isnan(m.mapped_read.value));
	assert_near(m.sync_ns.value, 2400);
	assert_int_equal(m.copy_engines, 0);
}

/* Joins copies of that size at G = 0.022, of the buffers of this program, into
 * the profile of an H200. Returns G, which was 0.018. */
static double join_copies(unsigned count, uint64_t bytes)
{
	const struct xs_phases phases = {
	    .items = &phase, .count = 1, .rounds = 1};
	uint64_t at = 1000;

	begin();
	for (unsigned i = 0; i < count; i++, at += 1000000000) {
		const uint64_t end = at + 1000 + bytes * 22 / 1000;
		struct xs_step *step =
		    next(XS_STEP_H2D, at, end + 1000, at + 1000, end);

		step->bytes = bytes;
		step->src_memory = XS_MEM_PINNED;
		step->blocking = true;
	}
	m = shipped("h200");
	xs_machine_join(&phases, &m);
	assert_true(m.G_h2d.low < m.G_h2d.value);
	assert_true(m.G_h2d.high > m.G_h2d.value);
	return m.G_h2d.value;
}

TEST(test_copies_overrule_the_profile)
{
	const struct xs_machine profile = shipped("h200");

	double one = join_copies(1, 64 << 20);
	double ten = join_copies(10, 64 << 20);
	double fifty = join_copies(50, 64 << 20);
	assert_true(one > 0.0185 && one < ten && ten < fifty);
	assert_close_to(ten, 0.022, 0.03, "ten", __FILE__, __LINE__);
	assert_close_to(fifty, 0.022, 0.01, "fifty", __FILE__, __LINE__);
	/* the rate both ways follows, that of the other direction does not */
	assert_close_to(m.G_both_h2d.value / profile.G_both_h2d.value,
			fifty / profile.G_h2d.value, 1e-9, "both", __FILE__,
			__LINE__);
	assert_near(m.G_d2h.value * 1e6, profile.G_d2h.value * 1e6);
	/* small copies are mostly latency */
	assert_true(join_copies(50, 128 << 10) < 0.0185);
}

/* Thirty launches of that time, each after a wait or all in a row. */
static double join_launches(uint64_t ns, bool waits)
{
	const struct xs_phases phases = {
	    .items = &phase, .count = 1, .rounds = 1};
	uint64_t at = 1000;

	begin();
	for (unsigned i = 0; i < 30; i++) {
		next(XS_STEP_KERNEL, at, at + ns, at + ns + 3000,
		     at + ns + 4000);
		if (waits)
			next(XS_STEP_SYNC_DEVICE, at + ns, at + ns + 5000, 0,
			     0);
		at += ns + (waits ? 6000 : 0);
	}
	m = shipped("h200");
	xs_machine_join(&phases, &m);
	assert_true(m.call_launch_ns.low <= m.call_launch_ns.value);
	assert_true(m.call_launch_ns.high >= m.call_launch_ns.value);
	return m.call_launch_ns.value;
}

TEST(test_launches_in_a_row_overrule_the_profile)
{
	const double profile = shipped("h200").call_launch_ns.value;

	/* a slower host, less what the tracer adds */
	assert_true(join_launches(6000, false) > 1.1 * profile);
	/* after waits they are slower in any case */
	assert_near(join_launches(6000, true), profile);
	/* a faster host */
	assert_near(join_launches(2000, true), 2000);
	assert_true(join_launches(2000, false) <= 2000);
}

/* An edited profile may have bare numbers. */
TEST(test_values_without_a_range_stay_numbers)
{
	const struct xs_phases phases = {
	    .items = &phase, .count = 1, .rounds = 1};

	join_launches(6000, false); /* leaves its steps */
	set_param(&m.call_launch_ns, 3000);
	set_param(&m.G_h2d, 0);
	xs_machine_join(&phases, &m);
	assert_near(m.call_launch_ns.value, 3000);
	assert_near(m.call_launch_ns.high, 3000);
	assert_true(join_copies(50, 64 << 20) > 0);
	set_param(&m.G_h2d, 0);
	set_param(&m.G_both_h2d, 0);
	xs_machine_join(&phases, &m);
	assert_true(isfinite(m.G_h2d.value) && isfinite(m.G_both_h2d.value));
}

static void expect_inside(const char *param, const char *profile,
			  const struct xs_param *known,
			  const struct xs_param *usual)
{
	if (!isnan(usual->value) && !isnan(known->value) &&
	    (known->value < usual->low || known->value > usual->high))
		fail_msg("%s of %s", param, profile);
}

TEST(test_usual_values_contain_shipped_profiles)
{
	static const char *const names[] = {"gtx-titan", "h100", "h200"};
	const struct xs_rec_device none = {0};
	struct xs_machine usual;

	xs_machine_usual(&none, &usual);
	for (size_t i = 0; i < COUNT(names); i++) {
		const struct xs_machine known = shipped(names[i]);

#define EXPECT_INSIDE(param, unit, what)                                       \
	expect_inside(#param, names[i], &known.param, &usual.param);
		XS_MACHINE_PARAMS(EXPECT_INSIDE)
#undef EXPECT_INSIDE
	}
}

TEST(test_median)
{
	struct xs_points p = {0};

	assert_true(isnan(xs_points_median(&p).value));
	for (unsigned i = 0; i <= 100; i++)
		xs_points_add(&p, 0, 100 - i);
	assert_near(xs_points_median(&p).value, 50);
	assert_near(xs_points_median(&p).low, 5);
	assert_near(xs_points_median(&p).high, 95);
}
