/* SPDX-License-Identifier: MIT */
/*
 * The equations of Gomez-Luna 2011 with t_Thd = 10 ms, t_Tdh = 15 ms (t_T = 25
 * ms) and t_sc of Table 3: 0.10 ms on a GTX 280 (compute capability 1.x), 0.03
 * ms on a GTX 480 (2.x). Then as rows of estimates, with the shipped profiles.
 */
#include "tests/model/model_test.h"

#include "model/formulas/gomezluna.h"
#include "model/formulas/vanwerkhoven.h"

#define MS 1e6

static const struct xs_gl_load tesla = {10 * MS, 15 * MS, 20 * MS, 0.10 * MS};
static const struct xs_gl_load fermi = {10 * MS, 15 * MS, 4 * MS, 0.03 * MS};

static struct xs_gl_load with_kernel(struct xs_gl_load load, double kernel_ms)
{
	load.kernel_ns = kernel_ms * MS;
	return load;
}

TEST(test_classes)
{
	assert_int_equal(xs_gl_class_of(1, 0), XS_GL_CLASS_1X);
	assert_int_equal(xs_gl_class_of(1, 1), XS_GL_CLASS_2X);
	assert_int_equal(xs_gl_class_of(1, -1), XS_GL_CLASS_NONE);
	assert_int_equal(xs_gl_class_of(2, 0), XS_GL_CLASS_NONE);
	assert_int_equal(xs_gl_class_of(2, 1), XS_GL_CLASS_NONE);
	assert_int_equal(xs_gl_class_of(0, 0), XS_GL_CLASS_NONE);
	assert_int_equal(xs_gl_time_equation(XS_GL_CLASS_NONE, &tesla, 4), 0);
	assert_int_equal(xs_gl_best_equation(XS_GL_CLASS_NONE, &tesla), 0);
	assert_int_equal(xs_gl_best_streams(XS_GL_CLASS_NONE, &tesla), 0);
	assert_true(isnan(xs_gl_time_ns(2, &tesla, 4)));
	assert_true(isnan(xs_gl_best_real(1, &tesla)));
}

TEST(test_eq1_and_eq3)
{
	/* n = 4: 25 > 20 + 25/4 does not hold; 20 + 6.25 + 0.4 */
	assert_int_equal(xs_gl_time_equation(XS_GL_CLASS_1X, &tesla, 4), 3);
	assert_near(xs_gl_time_ns(3, &tesla, 4), 26.65 * MS);
	/* n = 8: 25 > 20 + 25/8 = 23.125; 25 + 0.8 */
	assert_int_equal(xs_gl_time_equation(XS_GL_CLASS_1X, &tesla, 8), 1);
	assert_near(xs_gl_time_ns(1, &tesla, 8), 25.8 * MS);
	/* n = 5: the two are equal, 25.5 */
	assert_near(xs_gl_time_ns(1, &tesla, 5), 25.5 * MS);
	assert_near(xs_gl_time_ns(3, &tesla, 5), 25.5 * MS);
}

TEST(test_eq5_and_eq7)
{
	const struct xs_gl_load kernel = with_kernel(fermi, 40);

	/* 10 > 4; 10 + 4/8 + 15 + 0.24 */
	assert_int_equal(xs_gl_time_equation(XS_GL_CLASS_2X, &fermi, 8), 5);
	assert_near(xs_gl_time_ns(5, &fermi, 8), 25.74 * MS);
	/* 10 < 40; 10/8 + 40 + 15 + 0.24 */
	assert_int_equal(xs_gl_time_equation(XS_GL_CLASS_2X, &kernel, 8), 7);
	assert_near(xs_gl_time_ns(7, &kernel, 8), 56.49 * MS);
}

TEST(test_best_on_1x)
{
	const struct xs_gl_load kernel = with_kernel(tesla, 40);
	const struct xs_gl_load close = with_kernel(tesla, 24.9);

	/* 25 / (25 - 20) = 5, where equations 1 and 3 meet; sooner than 4's
	 * sqrt(25 / 0.1) = 15.811 */
	assert_int_equal(xs_gl_best_equation(XS_GL_CLASS_1X, &tesla), 2);
	assert_near(xs_gl_best_real(2, &tesla), 5);
	assert_int_equal(xs_gl_best_streams(XS_GL_CLASS_1X, &tesla), 5);
	/* n = 15: 25/15 + 1.5 = 3.1667; n = 16: 1.5625 + 1.6 = 3.1625 */
	assert_int_equal(xs_gl_best_equation(XS_GL_CLASS_1X, &kernel), 4);
	assert_close_to(xs_gl_best_real(4, &kernel), 15.8113883, 1e-8, "eq. 4",
			__FILE__, __LINE__);
	assert_int_equal(xs_gl_best_streams(XS_GL_CLASS_1X, &kernel), 16);
	/* 25 > 24.9, but equation 2 asks for 250 streams, 25 ms of t_oh */
	assert_near(xs_gl_best_real(2, &close), 250);
	assert_int_equal(xs_gl_best_equation(XS_GL_CLASS_1X, &close), 4);
	assert_int_equal(xs_gl_best_streams(XS_GL_CLASS_1X, &close), 16);
}

TEST(test_best_on_2x)
{
	const struct xs_gl_load kernel = with_kernel(fermi, 40);

	/* sqrt(4 / 0.03) = 11.547. n = 11: 0.363636 + 0.33 = 0.693636;
	 * n = 12: 0.333333 + 0.36 = 0.693333 */
	assert_int_equal(xs_gl_best_equation(XS_GL_CLASS_2X, &fermi), 6);
	assert_close_to(xs_gl_best_real(6, &fermi), 11.5470054, 1e-8, "eq. 6",
			__FILE__, __LINE__);
	assert_int_equal(xs_gl_best_streams(XS_GL_CLASS_2X, &fermi), 12);
	/* sqrt(10 / 0.03) = 18.257. n = 18: 0.555556 + 0.54 = 1.095556;
	 * n = 19: 0.526316 + 0.57 = 1.096316 */
	assert_int_equal(xs_gl_best_equation(XS_GL_CLASS_2X, &kernel), 8);
	assert_close_to(xs_gl_best_real(8, &kernel), 18.2574186, 1e-8, "eq. 8",
			__FILE__, __LINE__);
	assert_int_equal(xs_gl_best_streams(XS_GL_CLASS_2X, &kernel), 18);
}

TEST(test_best_at_the_ends)
{
	const struct xs_gl_load nothing = {0, 0, 1 * MS, 0.10 * MS};
	const struct xs_gl_load empty = {0, 0, 0, 0};
	struct xs_gl_load free_streams = with_kernel(tesla, 40);

	free_streams.create_ns = 0;
	assert_int_equal(xs_gl_best_streams(XS_GL_CLASS_1X, &free_streams),
			 XS_GL_STREAMS_MAX);
	assert_int_equal(xs_gl_best_streams(XS_GL_CLASS_1X, &nothing), 1);
	assert_int_equal(xs_gl_best_streams(XS_GL_CLASS_2X, &nothing), 1);
	assert_int_equal(xs_gl_best_streams(XS_GL_CLASS_1X, &empty), 1);
}

/* No integer number of streams up to the limit has a shorter time. */
TEST(test_best_is_the_least)
{
	uint64_t random = 2011;

	for (int i = 0; i < 2000; i++) {
		const struct xs_gl_load load = {
		    random_between(&random, 0, 20 * MS),
		    random_between(&random, 0, 20 * MS),
		    random_between(&random, 0, 60 * MS),
		    random_between(&random, 0.001 * MS, 0.3 * MS)};
		const enum xs_gl_class device =
		    i % 2 ? XS_GL_CLASS_1X : XS_GL_CLASS_2X;
		const unsigned best = xs_gl_best_streams(device, &load);
		const double least = xs_gl_time_ns(
		    xs_gl_time_equation(device, &load, best), &load, best);

		for (unsigned n = 1; n <= XS_GL_STREAMS_MAX; n++)
			assert_true(
			    xs_gl_time_ns(xs_gl_time_equation(device, &load, n),
					  &load, n) >= least * (1 - 1e-12));
	}
}

/* Without L+o, g and t_oh, three equations of the two papers are equal. */
TEST(test_same_as_vanwerkhoven)
{
	const struct xs_vw_params none = {0, 0, 0, 0};
	uint64_t random = 2014;

	for (int i = 0; i < 1000; i++) {
		const struct xs_gl_load load = {
		    random_between(&random, 0, 20 * MS),
		    random_between(&random, 0, 20 * MS),
		    random_between(&random, 0, 60 * MS), 0};
		const struct xs_vw_load same = {load.in_ns, load.out_ns,
						load.kernel_ns};
		const double n = 1 + i % 64;

		assert_near(xs_gl_time_ns(3, &load, n),
			    xs_vw_eq3_ns(&none, &same, n));
		assert_near(xs_gl_time_ns(5, &load, n),
			    xs_vw_eq2_ns(&none, &same, n));
		assert_near(xs_gl_time_ns(7, &load, n),
			    xs_vw_eq1_ns(&none, &same, n));
		assert_true(xs_gl_time_ns(1, &load, n) <=
			    xs_vw_eq4_ns(&none, &same, n) * (1 + 1e-12));
	}
}

/* Table 3, in ms. */
TEST(test_profiles)
{
	static const struct {
		const char *name;
		double create_ms;
		enum xs_gl_class device;
	} published[] = {
	    {"8800gts-512", 0.30, XS_GL_CLASS_1X},
	    {"9800gx2", 0.10, XS_GL_CLASS_1X},
	    {"gtx-260", 0.10, XS_GL_CLASS_1X},
	    {"gtx-280", 0.10, XS_GL_CLASS_1X},
	    {"gtx-480", 0.03, XS_GL_CLASS_2X},
	    {"gtx-580", 0.01, XS_GL_CLASS_2X},
	};

	for (size_t i = 0; i < COUNT(published); i++) {
		const struct xs_machine m = shipped(published[i].name);

		assert_string_equal(m.name, published[i].name);
		assert_string_equal(m.source, "published");
		assert_near(m.stream_create_ns.value,
			    published[i].create_ms * MS);
		assert_int_equal(
		    xs_gl_class_of(m.copy_engines, m.implicit_sync),
		    published[i].device);
		assert_true(isnan(m.G_h2d.value)); /* in figures only */
		assert_has(m.notes, "Table 3");
	}
}

/* Returns the only row of the paper on a machine, for n streams (0: the best
 * n). */
static struct xs_estimate row_of(const struct xs_machine *machine,
				 const struct xs_workload *work, unsigned n)
{
	const struct xs_model_options options = {.streams = n};
	struct xs_estimates list = {0};
	struct xs_estimate row = {0};
	size_t i, found = 0;

	assert_int_equal(xs_model_workload(work, machine, &options, &list), 0);
	for (i = 0; i < list.count; i++) {
		if (strncmp(list.items[i].model, "gomezluna2011-", 14) != 0)
			continue;
		row = list.items[i];
		found++;
	}
	xs_estimates_free(&list);
	assert_int_equal(found, 1);
	assert_string_equal(row.strategy, "streams");
	return row;
}

static void assert_row(const char *machine, double kernel_ms, unsigned asked,
		       const char *model, unsigned n, double round_ms)
{
	const struct xs_machine m = shipped(machine);
	const struct xs_workload work = {
	    NAN, NAN, 10 * MS, 15 * MS, kernel_ms * MS, 0, 0};
	const struct xs_estimate row = row_of(&m, &work, asked);

	assert_true(row.applies);
	assert_string_equal(row.model, model);
	assert_int_equal(row.n_streams, n);
	assert_near(row.round_ns, round_ms * MS);
	assert_true(row.creates_streams);
}

/* A given n has the name of the time's equation, the best n that of its own. */
TEST(test_rows)
{
	assert_row("gtx-280", 20, 8, "gomezluna2011-eq1", 8, 25.8);
	assert_row("gtx-280", 20, 0, "gomezluna2011-eq2", 5, 25.5);
	assert_row("gtx-280", 20, 4, "gomezluna2011-eq3", 4, 26.65);
	assert_row("gtx-280", 40, 0, "gomezluna2011-eq4", 16, 43.1625);
	assert_row("gtx-480", 4, 8, "gomezluna2011-eq5", 8, 25.74);
	/* 10 + 4/12 + 15 + 12 * 0.03 */
	assert_row("gtx-480", 4, 0, "gomezluna2011-eq6", 12, 25.36 + 1.0 / 3);
	assert_row("gtx-480", 40, 8, "gomezluna2011-eq7", 8, 56.49);
	/* 10/18 + 40 + 15 + 18 * 0.03 */
	assert_row("gtx-480", 40, 0, "gomezluna2011-eq8", 18, 55.54 + 5.0 / 9);
}

/* From bytes, a transfer includes its latency: 9420 + 8318392 and 9023 +
 * 3962367 ns of the GTX Titan (test_vanwerkhoven.c), t_T = 12299202. */
TEST(test_from_bytes)
{
	const struct xs_workload work = {1e8, 5e7, NAN, NAN, 4 * MS, 0, 0};
	const struct xs_workload in_alone = {1e8, 0, NAN, NAN, 4 * MS, 0, 0};
	struct xs_machine m = shipped_exact("gtx-titan");

	m.stream_create_ns = (struct xs_param){4000, 3000, 6000};
	struct xs_estimate row = row_of(&m, &work, 4);
	assert_string_equal(row.model, "gomezluna2011-eq1");
	assert_near(row.round_ns, 12299202 + 4 * 4000);
	assert_near(row.low_ns, 12299202 + 4 * 3000);
	assert_near(row.high_ns, 12299202 + 4 * 6000);
	/* nothing copied out costs nothing */
	assert_near(row_of(&m, &in_alone, 4).round_ns, 8327812 + 4 * 4000);
}

static void assert_abstains(const struct xs_machine *machine,
			    const char *because)
{
	const struct xs_workload work = {1e8, 5e7, NAN, NAN, 4 * MS, 0, 0};
	const struct xs_estimate row = row_of(machine, &work, 4);

	assert_false(row.applies);
	assert_true(isnan(row.round_ns));
	assert_int_equal(row.n_streams, 0);
	if (!strstr(row.why, because))
		fail_msg("\"%s\" does not say \"%s\"", row.why, because);
}

TEST(test_abstentions)
{
	struct xs_machine m = shipped("gtx-titan");

	assert_abstains(&m, "t_sc");
	set_param(&m.stream_create_ns, 4000);
	set_param(&m.lo_d2h_ns, NAN);
	assert_abstains(&m, "L+o");
	set_param(&m.G_h2d, NAN);
	assert_abstains(&m, "the profile lacks G");
	m.implicit_sync = -1;
	assert_abstains(&m, "implicit synchronisation");
	m.copy_engines = 2;
	assert_abstains(&m, "this one has 2");
	m.copy_engines = 0;
	assert_abstains(&m, "number of copy engines");
}
