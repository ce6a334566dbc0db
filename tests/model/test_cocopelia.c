/* SPDX-License-Identifier: MIT */
/*
 * The three-way pipeline of CoCoPeLia (Anastasiadis et al. 2021) with the
 * parameters of a Tesla V100 that its authors published with their code
 * (github.com/p-anastas/CoCopeLia_gemm, commit 46bc0c4, transfer_model_*.log),
 * and as rows of estimates.
 */
#include "tests/model/model_test.h"

#include "model/formulas/closed_forms.h"
#include "model/formulas/cocopelia.h"
#include "model/formulas/vanwerkhoven.h"

#define MIB 1048576.0

static const struct xs_cocopelia_machine v100 = {
    {2485.161, 0.0770277270308114, 1.40892383240628},
    {2534.158, 0.0821292876563162, 1.27287513258527}};

/* Their own measurements of the same machine, ms, for squares of 4096, 8192 and
 * 16384 doubles: alone, and with the other direction busy. */
static const struct {
	double bytes, in, in_both, out, out_both;
} measured[] = {
    {8 * 16 * MIB, 10.21726, 14.27021, 10.91775, 14.17715},
    {8 * 64 * MIB, 40.83523, 60.20329, 43.63226, 53.90591},
    {8 * 256 * MIB, 163.3392, 227.3621, 174.4944, 227.3574},
};

/* Within 1.3 % alone and 4.2 % with both directions busy. */
TEST(test_transfers_of_the_authors)
{
	const struct xs_cocopelia_link in_both = {
	    v100.in.latency_ns, v100.in.byte_ns * v100.in.slowdown, 1};
	const struct xs_cocopelia_link out_both = {
	    v100.out.latency_ns, v100.out.byte_ns * v100.out.slowdown, 1};

	for (size_t i = 0; i < COUNT(measured); i++) {
		const double bytes = measured[i].bytes;

		assert_close_to(xs_cocopelia_transfer_ns(&v100.in, bytes),
				measured[i].in * 1e6, 0.013, "in", __FILE__,
				__LINE__);
		assert_close_to(xs_cocopelia_transfer_ns(&v100.out, bytes),
				measured[i].out * 1e6, 0.013, "out", __FILE__,
				__LINE__);
		assert_close_to(xs_cocopelia_transfer_ns(&in_both, bytes),
				measured[i].in_both * 1e6, 0.042, "in, both",
				__FILE__, __LINE__);
		assert_close_to(xs_cocopelia_transfer_ns(&out_both, bytes),
				measured[i].out_both * 1e6, 0.042, "out, both",
				__FILE__, __LINE__);
	}
}

TEST(test_over)
{
	/* 16 MiB each way: slowed, 1823252.7 in and 1756429.8 out; the rest in
	 * runs alone: 1756429.8 + 66822.8 / 1.40892 */
	assert_near(xs_cocopelia_over_ns(&v100, 16 * MIB, 16 * MIB),
		    1803858.109);
	/* half of it out, half of it in */
	assert_near(xs_cocopelia_over_ns(&v100, 16 * MIB, 8 * MIB),
		    1549334.152);
	assert_near(xs_cocopelia_over_ns(&v100, 8 * MIB, 16 * MIB),
		    1575589.777);
	/* one direction is not slowed */
	assert_near(xs_cocopelia_over_ns(&v100, 16 * MIB, 0),
		    xs_cocopelia_transfer_ns(&v100.in, 16 * MIB));
	assert_near(xs_cocopelia_over_ns(&v100, 0, 16 * MIB),
		    xs_cocopelia_transfer_ns(&v100.out, 16 * MIB));
	assert_near(xs_cocopelia_over_ns(&v100, 0, 0), 0);
}

TEST(test_pipeline)
{
	const struct xs_cocopelia_load transfers = {16 * MIB, 16 * MIB, 1e6};
	const struct xs_cocopelia_load kernel = {16 * MIB, 16 * MIB, 20e6};

	/* 4 pieces: 3 t_over of 4 MiB, then 4 MiB in, 0.25 ms, 4 MiB out */
	assert_near(xs_cocopelia_ns(&v100, &transfers, 4), 2281089.413);
	/* 5 ms outlast t_over: 20 ms, and a piece in and out */
	assert_near(xs_cocopelia_ns(&v100, &kernel, 4), 20672572.222);
	/* one piece does not overlap */
	assert_near(xs_cocopelia_ns(&v100, &kernel, 1),
		    20e6 + xs_cocopelia_transfer_ns(&v100.in, 16 * MIB) +
			xs_cocopelia_transfer_ns(&v100.out, 16 * MIB));
}

/* Without latencies and slowdown it is equation 5 of van Werkhoven 2014. */
TEST(test_same_as_vanwerkhoven)
{
	const struct xs_vw_params none = {0, 0, 0, 0};
	uint64_t random = 2021;

	for (int i = 0; i < 1000; i++) {
		const struct xs_cocopelia_machine m = {
		    {0, random_between(&random, 0.01, 0.2), 1},
		    {0, random_between(&random, 0.01, 0.2), 1}};
		const struct xs_cocopelia_load load = {
		    random_between(&random, 1, 1e8),
		    random_between(&random, 1, 1e8),
		    random_between(&random, 0, 1e7)};
		const struct xs_vw_load same = {load.in_bytes * m.in.byte_ns,
						load.out_bytes * m.out.byte_ns,
						load.kernel_ns};
		const double k = 1 + i % 64;

		assert_near(xs_cocopelia_ns(&m, &load, k),
			    xs_vw_eq5_ns(&none, &same, k));
	}
}

static struct xs_estimate row_of(const struct xs_machine *machine,
				 const struct xs_workload *work, unsigned n)
{
	const struct xs_closed_form c = {
	    .machine = machine, .work = *work, .in_ops = 1, .out_ops = 1};
	struct xs_estimates list = {0};
	struct xs_estimate row = {0};

	xs_closed_form_cocopelia.add(&c, n, &list);
	if (list.count)
		row = list.items[0];
	xs_estimates_free(&list);
	return row;
}

/* t_l is L+o, t_b is G, sl the ratio of G both ways to G. */
TEST(test_row)
{
	const struct xs_workload work = {16 * MIB, 16 * MIB, NAN, NAN,
					 1e6,	   0,	     0};
	const struct xs_workload times = {NAN, NAN, 1e6, 1e6, 1e6, 0, 0};
	struct xs_machine m;

	xs_machine_init(&m);
	m.copy_engines = 2;
	set_param(&m.lo_h2d_ns, v100.in.latency_ns);
	set_param(&m.lo_d2h_ns, v100.out.latency_ns);
	set_param(&m.G_h2d, v100.in.byte_ns);
	set_param(&m.G_d2h, v100.out.byte_ns);
	set_param(&m.G_both_h2d, v100.in.byte_ns * v100.in.slowdown);
	set_param(&m.G_both_d2h, v100.out.byte_ns * v100.out.slowdown);
	struct xs_estimate row = row_of(&m, &work, 4);
	assert_string_equal(row.strategy, "streams");
	assert_string_equal(row.model, "cocopelia2021-3way");
	assert_true(row.applies);
	assert_int_equal(row.n_streams, 4);
	assert_near(row.round_ns, 2281089.413);
	/* the best n has a minimal time among 1 to 256 */
	row = row_of(&m, &work, 0);
	for (unsigned n = 1; n <= 256; n++)
		assert_true(row_of(&m, &work, n).round_ns >=
			    row.round_ns * (1 - 1e-12));
	/* not from times, not with one engine, not without a slowdown */
	assert_false(row_of(&m, &times, 4).applies);
	set_param(&m.G_both_h2d, NAN);
	assert_false(row_of(&m, &work, 4).applies);
	m.copy_engines = 1;
	assert_false(row_of(&m, &work, 4).applies);
}
