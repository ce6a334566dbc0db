/* SPDX-License-Identifier: MIT */
/* How often the gate of several runs errs, by simulation of runs with noise:
 * the rates that docs/reference.md tells. */
#include "report/diff/gate.h"
#include "tests/unit.h"

#include <math.h>

#define RUNS_MAX      10
#define TRIALS	      20000
#define MEAN_NS	      1e9
#define LIMIT_PERCENT 5

/* What is simulated: runs of each side, noise of a run (a standard deviation of
 * its logarithm), the probability that it takes twice as long, and how much
 * longer runs after take. */
struct scene {
	size_t runs;
	double noise, bad, slower;
	/* percent of trials with each answer */
	double exceeded, kept;
};

static unsigned short seed[3];

static double normal(void)
{
	const double radius = sqrt(-2 * log(1 - erand48(seed)));

	return radius * cos(2 * acos(-1) * erand48(seed));
}

static int64_t run_ns(const struct scene *scene, double factor)
{
	const double ns = MEAN_NS * factor * exp(scene->noise * normal());

	return (int64_t)(erand48(seed) < scene->bad ? 2 * ns : ns);
}

static enum xs_gate try_gate(const struct scene *scene)
{
	int64_t before[RUNS_MAX], after[RUNS_MAX];
	const struct xs_diff diff = {
	    .before_side.count = scene->runs,
	    .after_side.count = scene->runs,
	    .wall = {.before_runs = before, .after_runs = after},
	};

	for (size_t i = 0; i < scene->runs; i++) {
		before[i] = run_ns(scene, 1);
		after[i] = run_ns(scene, 1 + scene->slower);
	}
	return xs_diff_gate(&diff, LIMIT_PERCENT);
}

static void expect_rates(const struct scene *scene)
{
	size_t answers[XS_GATE_UNKNOWN + 1] = {0};

	for (size_t i = 0; i < 3; i++)
		seed[i] = (unsigned short)(i + 1);
	for (size_t i = 0; i < TRIALS; i++)
		answers[try_gate(scene)]++;
	double exceeded = 100.0 * (double)answers[XS_GATE_EXCEEDED] / TRIALS;
	double kept = 100.0 * (double)answers[XS_GATE_KEPT] / TRIALS;
	print_message("%2zu runs, noise %2.0f %%, bad %2.0f %%, slower %2.0f "
		      "%%: exceeded %5.1f %%, kept %5.1f %%\n",
		      scene->runs, 100 * scene->noise, 100 * scene->bad,
		      100 * scene->slower, exceeded, kept);
	assert_true(fabs(exceeded - scene->exceeded) <= 1);
	assert_true(fabs(kept - scene->kept) <= 1);
}

TEST(equal_runs_seldom_fail)
{
	static const struct scene scenes[] = {
	    {1, 0.03, 0, 0, 12, 88}, {2, 0.03, 0, 0, 1, 68},
	    {3, 0.03, 0, 0, 0, 48},  {5, 0.03, 0, 0, 0, 72},
	    {7, 0.03, 0, 0, 0, 87},  {10, 0.03, 0, 0, 0, 95},
	    {1, 0.1, 0, 0, 36, 64},  {2, 0.1, 0, 0, 8, 29},
	    {3, 0.1, 0, 0, 2, 12},   {5, 0.1, 0, 0, 1, 16},
	    {7, 0.1, 0, 0, 1, 20},   {10, 0.1, 0, 0, 0, 25},
	    {3, 0.01, 0, 0, 0, 100},
	};

	for (size_t i = 0; i < sizeof(scenes) / sizeof(*scenes); i++)
		expect_rates(&scenes[i]);
}

/* One run of ten takes twice as long. */
TEST(a_bad_run_hides_no_slowdown)
{
	static const struct scene scenes[] = {
	    {1, 0.01, 0.1, 0.2, 91, 9}, {2, 0.01, 0.1, 0.2, 81, 1},
	    {3, 0.01, 0.1, 0.2, 73, 0}, {5, 0.01, 0.1, 0.2, 72, 0},
	    {7, 0.01, 0.1, 0.2, 87, 0}, {10, 0.01, 0.1, 0.2, 97, 0},
	};

	for (size_t i = 0; i < sizeof(scenes) / sizeof(*scenes); i++)
		expect_rates(&scenes[i]);
}

/* Right at the limit either answer is an error. */
TEST(right_at_the_limit_it_does_not_tell)
{
	static const struct scene scenes[] = {
	    {1, 0.03, 0, 0.05, 50, 50}, {2, 0.03, 0, 0.05, 17, 17},
	    {3, 0.03, 0, 0.05, 5, 5},	{5, 0.03, 0, 0.05, 5, 5},
	    {10, 0.03, 0, 0.05, 5, 5},
	};

	for (size_t i = 0; i < sizeof(scenes) / sizeof(*scenes); i++)
		expect_rates(&scenes[i]);
}
