/* SPDX-License-Identifier: MIT */
/* xs_model_workload(): which equations and parameters it uses, and when it
 * abstains. Same numbers as in test_vanwerkhoven.c: 100 MB in, 50 MB out. */
#include "tests/model/model_test.h"

#include "model/formulas/closed_forms.h"

static struct xs_estimates list;

FIXTURE(tear_down)
{
	xs_estimates_free(&list);
	return 0;
}

static void run(const char *machine, double kernel_ns, unsigned streams)
{
	const struct xs_workload w = {1e8, 5e7, NAN, NAN, kernel_ns, 0, 0};
	const struct xs_model_options options = {.streams = streams};
	const struct xs_machine m = shipped(machine);

	assert_int_equal(xs_model_workload(&w, &m, &options, &list), 0);
}

static void assert_row(size_t i, const char *strategy, const char *model,
		       unsigned n, double round_ns)
{
	const struct xs_estimate *row = &list.items[i];

	assert_true(i < list.count);
	assert_string_equal(row->strategy, strategy);
	assert_string_equal(row->model, model);
	assert_int_equal(row->n_streams, n);
	assert_int_equal(row->applies, !isnan(round_ns));
	if (row->applies)
		assert_near(row->round_ns, round_ns);
	else
		assert_true(isnan(row->round_ns) && row->why[0]);
}

/* B_hd G_hd = 17419650, B_dh G_dh = 8735600 (Table II); n = 4. */
TEST(test_class_1)
{
	run("gtx-680", 40e6, 4);
	assert_int_equal(list.count, 6);
	/* 9420 + 17419650 + 40000000 + 9023 + 8735600 */
	assert_row(0, "pinned", "vanwerkhoven2014-explicit", 0, 66173693);
	/* 9420 + 4354912.5 + 40000000 + 9023 + 8735600 + 3 * 2674 */
	assert_row(1, "streams", "vanwerkhoven2014-eq1", 4, 53116977.5);
	assert_row(2, "streams", "vanwerkhoven2014-eq2", 4, NAN);
	assert_has(list.items[2].why, "equation 1");
	/* these profiles lack Gomez-Luna's t_sc */
	assert_row(3, "streams", "gomezluna2011-eq1", 0, NAN);
	assert_row(4, "mapped", "vanwerkhoven2014-eq6", 0, 40018443);
	/* copies against mapped writes: 24919880 and 11183220. Second term:
	 * 9420 + 6229970 + 40000000 + 9023 + 2795805 */
	assert_row(5, "hybrid", "vanwerkhoven2014-eq5", 4, 49044218);
}

TEST(test_class_2)
{
	run("gtx-titan", 4e6, 4);
	assert_int_equal(list.count, 6);
	assert_row(0, "pinned", "vanwerkhoven2014-explicit", 0, 16299202);
	assert_row(1, "streams", "vanwerkhoven2014-eq3", 4, NAN);
	assert_row(2, "streams", "vanwerkhoven2014-eq4", 4, 12314733);
	assert_row(4, "mapped", "vanwerkhoven2014-eq6", 0, 8336835);
	/* copies against mapped writes: 11933860 and 7401980. First term:
	 * 9420 + 11933860 + 3 * 2503 + 1000000 + 9023 + 1850495 */
	assert_row(5, "hybrid", "vanwerkhoven2014-eq5", 4, 14810307);
}

TEST(test_class_3)
{
	run("k20m", 4e6, 4);
	assert_int_equal(list.count, 7);
	/* 9420 + 17419650 + 3 * 2503 + 1000000 + 9023 + 2183900 */
	assert_row(1, "streams", "vanwerkhoven2014-eq5", 4, 20629502);
	/* Table II's G stands in for that of one direction on this machine: the
	 * same time, and no slowdown sl. 3 pieces of 25 MB in, longer than
	 * those out and the kernel's; then one of each: 3 * (9420 + 4354912.5)
	 * + 4364332.5 + 1000000 + 9023 + 2183900 */
	assert_row(2, "streams", "vanwerkhoven2014-eq5-both-G", 4, 20629502);
	assert_row(3, "streams", "cocopelia2021-3way", 4, 20650253);
	assert_row(5, "mapped", "vanwerkhoven2014-eq6", 0, 17438093);
}

/* Equation 5 with the parameters of copies in both directions at once, if there
 * are bytes both ways. */
TEST(test_both_directions)
{
	const struct xs_workload w = {1e8, 5e7, NAN, NAN, 4e6, 0, 0};
	const struct xs_workload in_alone = {1e8, 0, NAN, NAN, 4e6, 0, 0};
	const struct xs_model_options four = {.streams = 4};
	struct xs_machine m = shipped("gtx-titan");

	m.copy_engines = 2;
	set_param(&m.G_both_h2d, 0.1);
	set_param(&m.G_both_d2h, 0.09);
	set_param(&m.g_both_ns, 4000);
	assert_int_equal(xs_model_workload(&w, &m, &four, &list), 0);
	/* 9420 + 8318392 + 3 * 2503 + 1000000 + 9023 + 990591.75 */
	assert_row(1, "streams", "vanwerkhoven2014-eq5", 4, 10334935.75);
	/* 9420 + 10000000 + 3 * 2503 + 1000000 + 9023 + 1125000 */
	assert_row(2, "streams", "vanwerkhoven2014-eq5-both-G", 4, 12150952);
	/* the same with 3 * 4000 */
	assert_row(3, "streams", "vanwerkhoven2014-eq5-both-Gg", 4, 12155443);
	xs_estimates_free(&list);
	assert_int_equal(xs_model_workload(&in_alone, &m, &four, &list), 0);
	/* no Table II; 4 * (9420 + 2079598) + 1000000 */
	assert_row(2, "streams", "cocopelia2021-3way", 4, 9356072);
}

/* n = 0: the best; class 2's is 3 (test_vanwerkhoven.c). Eq. 4, first term:
 * 8327812 + 2 * 2503 + 3971390 + 2 * 2674 */
TEST(test_best)
{
	run("gtx-titan", 4e6, 0);
	assert_row(2, "streams", "vanwerkhoven2014-eq4", 3, 12309556);
	assert_has(list.items[2].why, "2.0");
}

/* Section VI by bytes: 100 MB in and 102 MB out, which take less time. */
TEST(test_best_by_bytes)
{
	const struct xs_workload w = {1e8, 1.02e8, NAN, NAN, 4e6, 0, 0};
	const struct xs_model_options any = {0};
	struct xs_machine m = shipped("gtx-titan");

	m.copy_engines = 2;
	assert_int_equal(xs_model_workload(&w, &m, &any, &list), 0);
	/* sqrt((8318392 + 4e6) / 2674) = 67.87; by time it would be
	 * sqrt((8083228.7 + 4e6) / 2503) = 69.48 */
	assert_string_equal(list.items[1].model, "vanwerkhoven2014-eq5");
	assert_has(list.items[1].why, "section VI: 67.9");
}

/* Given times replace the products B G. */
TEST(test_times)
{
	const struct xs_workload w = {NAN, NAN, 8318392, 3962367, 4e6, 0, 0};
	const struct xs_model_options options = {.streams = 4};
	const struct xs_machine m = shipped("gtx-titan");

	assert_int_equal(xs_model_workload(&w, &m, &options, &list), 0);
	assert_row(0, "pinned", "vanwerkhoven2014-explicit", 0, 16299202);
	assert_row(2, "streams", "vanwerkhoven2014-eq4", 4, 12314733);
}

TEST(test_interval)
{
	const struct xs_workload w = {1e8, 5e7, NAN, NAN, 4e6, 0, 0};
	const struct xs_model_options options = {.streams = 4};
	struct xs_machine m = shipped_exact("gtx-titan");

	m.G_h2d.low = 0.08;
	m.G_h2d.high = 0.09;
	assert_int_equal(xs_model_workload(&w, &m, &options, &list), 0);
	assert_near(list.items[0].low_ns, 16299202 - 318392);
	assert_near(list.items[0].high_ns, 16299202 + 681608);
}

TEST(test_unknown)
{
	const struct xs_workload w = {1e8, 5e7, NAN, NAN, 4e6, 0, 0};
	const struct xs_model_options options = {0};
	struct xs_machine m = shipped("gtx-titan");

	set_param(&m.g_h2d_ns, NAN);
	m.implicit_sync = -1;
	assert_int_equal(xs_model_workload(&w, &m, &options, &list), 0);
	assert_true(list.items[0].applies); /* explicit needs no g */
	assert_false(list.items[1].applies);
	assert_has(list.items[1].why, "implicit");
	assert_true(list.items[3].applies);
	assert_false(list.items[4].applies);
	assert_has(list.items[4].why, "calibrate");
}

/* Two copy engines with implicit synchronisation (Fermi's Teslas): the paper
 * has no equation. */
TEST(test_class_without_equation)
{
	const struct xs_workload w = {1e8, 5e7, NAN, NAN, 4e6, 0, 0};
	const struct xs_model_options options = {0};
	struct xs_machine m = shipped("gtx-titan");

	m.implicit_sync = 1;
	m.copy_engines = 2;
	assert_int_equal(xs_model_workload(&w, &m, &options, &list), 0);
	assert_false(list.items[1].applies);
	assert_has(list.items[1].why, "no equation");
}

TEST(test_nothing_given)
{
	const struct xs_workload none = {NAN, 1, NAN, NAN, 1, 0, 0};
	const struct xs_workload no_kernel = {1, 1, NAN, NAN, NAN, 0, 0};
	const struct xs_model_options options = {0};
	const struct xs_machine m = shipped("gtx-titan");

	assert_int_equal(xs_model_workload(&none, &m, &options, &list),
			 -EINVAL);
	assert_int_equal(xs_model_workload(&no_kernel, &m, &options, &list),
			 -EINVAL);
	assert_int_equal(list.count, 0);
}

/* Yellapragada 2022 prints the V100's bandwidth, 11.5 and 12.3 GiB/s, but no
 * latency, and neither for the K80. */
TEST(test_profiles_of_a_thesis)
{
	const struct xs_machine v100 = shipped("v100"), k80 = shipped("k80");
	const double gib = 1024.0 * 1024 * 1024;

	assert_near(v100.G_h2d.value * 11.5 * gib, 1e9);
	assert_near(v100.G_d2h.value * 12.3 * gib, 1e9);
	assert_int_equal(v100.sm_count, 80);
	assert_int_equal(v100.copy_engines, 7);
	assert_true(isnan(k80.G_h2d.value));
	assert_int_equal(k80.sm_count, 13);
	assert_int_equal(k80.copy_engines, 2);
	run("v100", 4e6, 4);
	assert_row(1, "streams", "vanwerkhoven2014-eq5", 4, NAN);
	assert_has(list.items[1].why, "L+o");
}

/* The Titan at 128 bytes a cycle of 1 GHz, sigma 4 us. 1000 blocks of 50
 * operations, 4000 memory blocks; l = min(floor(12288 / 1024), 16) = 12, 14
 * multiprocessors: 6 times. */
static struct xs_machine round_titan(void)
{
	struct xs_machine m = shipped("gtx-titan");

	m.clock_khz = 1e6;
	m.memory_bandwidth = 128e9;
	m.sync_ns = (struct xs_param){4000, 3000, 6000};
	return m;
}

static const struct xs_atgpu_launch launch = {
    .blocks = 1000, .shared_words = 1024, .operations = 50, .accesses = 4000};

TEST(test_atgpu)
{
	const struct xs_machine m = round_titan();
	struct xs_closed_form c = {.machine = &m,
				   .work = {1e8, 5e7, NAN, NAN, 0, 0, 0},
				   .in_ops = 1,
				   .out_ops = 1};

	xs_closed_form_atgpu(&c, &launch, &list);
	assert_int_equal(list.count, 3);
	/* 9420 + 8318392 + 9023 + 3962367 = 12299202 */
	assert_row(0, "pinned", "atgpu-cost", 0, 12299202 + 4050 + 4000);
	assert_row(1, "pinned", "atgpu-gpu-cost", 0, 12299202 + 4300 + 4000);
	assert_row(2, "pinned", "swgpu-cost", 0, 4300 + 4000);
	assert_near(list.items[2].low_ns, 4300 + 3000);
	assert_near(list.items[2].high_ns, 4300 + 6000);
	/* assumptions that no machine meets, and costs without copies, are
	 * bounds */
	assert_non_null(list.items[0].bound);
	assert_null(list.items[1].bound);
	assert_non_null(list.items[2].bound);
	/* with times; nothing copied out */
	xs_estimates_free(&list);
	c.work = (struct xs_workload){NAN, 0, 5e6, NAN, 0, 0, 0};
	xs_closed_form_atgpu(&c, &launch, &list);
	assert_row(1, "pinned", "atgpu-gpu-cost", 0, 5000000 + 4300 + 4000);
}

TEST(test_atgpu_abstains)
{
	struct xs_machine m = round_titan();
	const struct xs_closed_form c = {.machine = &m,
					 .work = {1e8, 5e7, NAN, NAN, 0, 0, 0},
					 .in_ops = 1,
					 .out_ops = 1};
	struct xs_atgpu_launch large = launch;
	const char *unknown;

	assert_near(xs_closed_form_atgpu_kernel_ns(&m, &launch, &unknown),
		    4300);
	assert_null(unknown);
	large.shared_words = 12289;
	xs_closed_form_atgpu(&c, &large, &list);
	assert_row(1, "pinned", "atgpu-gpu-cost", 0, NAN);
	assert_has(list.items[1].why, "shared memory");
	xs_estimates_free(&list);
	m.clock_khz = 0;
	xs_closed_form_atgpu(&c, &launch, &list);
	assert_row(0, "pinned", "atgpu-cost", 0, NAN);
	assert_has(list.items[0].why, "gamma (clock_khz)");
	assert_true(
	    isnan(xs_closed_form_atgpu_kernel_ns(&m, &launch, &unknown)));
	assert_string_equal(unknown, "gamma (clock_khz)");
}

RUN_TESTS(NULL, tear_down)
