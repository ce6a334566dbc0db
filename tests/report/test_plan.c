/* SPDX-License-Identifier: MIT */
/* Which steps a plan has, in which order, and what each adds. */
#include "analyzer/timeline/run_parts.h"
#include "model/formulas/estimates.h"
#include "report/plan/opening.h"
#include "report/plan/plan.h"
#include "report/plan/worth.h"
#include "report/result/best.h"
#include "report/result/step_text.h"
#include "tests/unit.h"

#include <stdlib.h>
#include <string.h>

#define MS 1000000LL

/* A run of 1 s with 10 rounds of 50 ms. */
static struct xs_result *result;
static struct xs_result_phase *phase;

/* Two lines of the program. */
static struct xs_result_site sites[2];

FIXTURE(set_up)
{
	for (size_t i = 0; i < 2; i++)
		sites[i] = (struct xs_result_site){
		    .file = "/src/a.cu", .line = 8 + (int64_t)i, .step = "h2d"};
	result = calloc(1, sizeof(*result));
	phase = calloc(2, sizeof(*phase));
	if (!result || !phase)
		return -1;
	for (size_t i = 0; i < 2; i++)
		phase[i] = (struct xs_result_phase){
		    .id = (int64_t)i + 1,
		    .rounds = 10,
		    .round_ns = 50 * MS,
		    .round_low_ns = 50 * MS,
		    .round_high_ns = 50 * MS,
		    .total_ns = 500 * MS,
		    .wall_ns = 500 * MS,
		    .transfer_ns = XS_UNKNOWN,
		    .movable_ns = XS_UNKNOWN,
		    .estimates = calloc(8, sizeof(*phase->estimates)),
		};
	result->run.wall_ns = 1000 * MS;
	result->phases = phase;
	result->phase_count = 1;
	result->verdict.repeats = true;
	result->verdict.steady_ns = 500 * MS;
	return 0;
}

FIXTURE(tear_down)
{
	free(phase[0].estimates);
	free(phase[1].estimates);
	free(phase);
	xs_arena_free(&result->arena);
	free(result);
	return 0;
}

/* The phase copies at these lines. */
static void copies_at(struct xs_result_phase *of, struct xs_result_site *first,
		      size_t count)
{
	of->sites = first;
	of->site_count = count;
}

/* Of most rows of the strategy. */
static enum xs_effort effort_of(const char *strategy)
{
	return strcmp(strategy, "as-is") == 0		     ? XS_EFFORT_NONE
	       : strcmp(strategy, "pinned") == 0	     ? XS_EFFORT_CALL
	       : strcmp(strategy, "double-buffer") == 0	     ? XS_EFFORT_PLACES
	       : strcmp(strategy, "streams") == 0	     ? XS_EFFORT_SPLIT
	       : strstr("mapped device-initiated", strategy) ? XS_EFFORT_REWRITE
							     : XS_EFFORT_PLACE;
}

/* Adds the first touch of further buffers to the setup of a row. */
static void touch(struct xs_result_estimate *row, int64_t ms)
{
	row->new_memory_ns += ms * MS;
	row->setup_ns += ms * MS;
	row->saves_ns -= ms * MS;
}

/* Sets the round, and the setup, of a row. */
static void set(struct xs_result_estimate *row, double round_ms,
		int64_t setup_ms)
{
	row->round_ns = (int64_t)(round_ms * 1000 + 0.5) * (MS / 1000);
	row->setup_ns = setup_ms * MS;
	row->saves_ns =
	    phase->rounds * (50 * MS - row->round_ns) - row->setup_ns;
	row->saves_low_ns = row->saves_ns - phase->rounds * MS;
	row->saves_high_ns = row->saves_ns + phase->rounds * MS;
}

/* Adds a row whose interval is 1 ms to either side. */
static struct xs_result_estimate *add(struct xs_result_phase *to,
				      const char *strategy, double round_ms)
{
	struct xs_result_estimate *row = &to->estimates[to->estimate_count++];

	*row = (struct xs_result_estimate){
	    .strategy = strategy,
	    .model = "replay",
	    .effort = "some",
	    .effort_level = effort_of(strategy),
	    .n_streams = XS_UNKNOWN,
	    .otherwise_ns = XS_UNKNOWN,
	    .applies = true,
	};
	set(row, round_ms, 0);
	row->low_ns = row->known_low_ns = row->round_ns - MS;
	row->high_ns = row->known_high_ns = row->round_ns + MS;
	return row;
}

static void expect(const char *strategies)
{
	char found[200] = "";

	result->plan_count = 0;
	xs_plan_build(result);
	for (size_t i = 0; i < result->plan_count; i++) {
		if (i)
			strcat(found, " ");
		strcat(found, result->plan[i].estimate->strategy);
	}
	assert_string_equal(found, strategies);
}

/* Pinning is one call: it comes first, though others save more. Pieces on
 * streams are no faster than rounds beside each other. */
TEST(least_effort_comes_first)
{
	add(phase, "streams", 15);
	add(phase, "double-buffer", 15);
	add(phase, "pinned", 25);
	expect("pinned double-buffer");
	assert_int_equal(result->plan[0].adds_saves_ns, 250 * MS);
	assert_int_equal(result->plan[0].app_wall_ns, 750 * MS);
	/* 10 rounds before the step, as they are, and with it, by its range */
	assert_int_equal(result->plan[0].saves_low_ns, 240 * MS);
	assert_int_equal(result->plan[0].saves_high_ns, 260 * MS);
	/* 100 ms, by the range of the round before it, too */
	assert_int_equal(result->plan[1].saves_low_ns / 1000, 85857);
	assert_int_equal(result->plan[1].saves_high_ns / 1000, 114142);
	/* 10 ms in the rounds, and 15 % of the 500 ms beside them */
	assert_int_equal(result->plan[0].low_ns / 1000, 674336);
	assert_int_equal(result->plan[0].high_ns / 1000, 825663);
	/* that is no doubt about the step */
	result->verdict.steady_ns = 100 * MS;
	expect("pinned double-buffer");
	assert_true(result->plan[0].high_ns > result->run.wall_ns - 150 * MS);
	assert_false(result->plan[0].may_be_slower);
	result->verdict.steady_ns = 500 * MS;
	/* each adds to those before */
	assert_int_equal(result->plan[1].adds_saves_ns, 100 * MS);
	assert_int_equal(result->plan[1].round_before_ns, 25 * MS);
	assert_int_equal(result->plan[1].round_ns, 15 * MS);
	assert_int_equal(result->plan[1].app_wall_ns, 650 * MS);
}

/* For 40 ms of a run of 1 s, kernels are changed if rounds repeat. */
TEST(kernels_of_one_round_are_not_split_for_little)
{
	add(phase, "streams", 46);
	expect("streams");
	result->verdict.repeats = false;
	expect("");
	add(phase, "streams", 45);
	expect("streams");
}

/* New kernels on a condition have to bring as much again as all steps before
 * them. */
TEST(new_kernels_on_a_condition_come_last)
{
	struct xs_result_estimate *row = add(phase, "device-initiated", 15);
	row->bound = "one kernel can";
	expect("device-initiated");
	add(phase, "graph", 40);
	expect("graph device-initiated");
	assert_int_equal(result->plan[1].adds_saves_ns, 250 * MS);
	set(&phase->estimates[1], 30, 0);
	expect("graph");
	/* without a condition they may */
	row->bound = NULL;
	expect("graph device-initiated");
}

/* 80 ms in all rounds if its condition holds; an eighth of that is little to
 * lose otherwise, with the setup, and told. */
TEST(a_condition_is_asked_for_much)
{
	struct xs_result_estimate *graph = add(phase, "graph", 42);

	expect("graph");
	assert_int_equal(result->plan[0].if_not_ns, XS_UNKNOWN);
	graph->bound = graph->only_if = "it only issues";
	graph->otherwise_ns = 51 * MS;
	expect("");
	graph->otherwise_ns--;
	expect("graph");
	assert_true(result->plan[0].is_question);
	assert_string_equal(result->plan[0].condition, "it only issues");
	assert_string_equal(xs_result_step_conditions(result, &result->plan[0]),
			    "only if it only issues (10.0 ms slower if not)");
	graph->otherwise_ns = 50 * MS;
	expect("graph");
	assert_int_equal(result->plan[0].if_not_ns, 0);
	/* the setup is lost as well: 9 of 71 ms */
	set(graph, 42, 9);
	graph->otherwise_ns = 50 * MS;
	assert_null(xs_worth_best(phase, "graph"));
	set(graph, 42, 8);
	assert_ptr_equal(xs_worth_best(phase, "graph"), graph);
	expect("graph");
	assert_int_equal(result->plan[0].if_not_ns, 8 * MS);
}

/* What a rewritten kernel contains is changed first, however little and
 * uncertain that is; and instead of it, if it brings as much. */
TEST(nobody_rewrites_kernels_first)
{
	add(phase, "device-initiated", 15)->bound = "one kernel can";
	struct xs_result_estimate *pinned = add(phase, "pinned", 45);
	pinned->high_ns = pinned->known_high_ns = 60 * MS;
	expect("pinned device-initiated");
	assert_int_equal(result->plan[0].adds_saves_ns, 50 * MS);
	assert_int_equal(result->plan[1].adds_saves_ns, 300 * MS);
	set(pinned, 20, 0);
	expect("pinned");
}

/* Pinning other buffers is told by the step that it is like; each number of
 * pieces has its own. */
TEST(the_same_change_is_told_once)
{
	result->phase_count = 2;
	add(&phase[0], "pinned", 25);
	add(&phase[1], "pinned", 35);
	expect("pinned pinned");
	assert_null(result->plan[0].same);
	assert_ptr_equal(result->plan[1].same, &result->plan[0]);
	assert_string_equal(result->plan[1].text,
			    "As in step 1, for this phase.");
	phase[0].estimates[0].n_streams = phase[1].estimates[0].n_streams = 2;
	expect("pinned pinned");
	assert_null(result->plan[1].same);
}

/* A longer run pays the setup of a further step, which is judged by its rounds.
 * A first one has to pay in this run, if it is more than a call per buffer. */
TEST(a_longer_run_pays_a_further_setup)
{
	struct xs_result_estimate *both = add(phase, "double-buffer", 15);
	both->effort_level = XS_EFFORT_PLACE;
	set(both, 15, 400);
	expect("");
	add(phase, "pinned", 25);
	expect("pinned double-buffer");
	assert_int_equal(result->plan[1].adds_saves_ns, -300 * MS);
	assert_int_equal(result->plan[1].pays_rounds, 40);
	assert_int_equal(result->plan[1].round_ns, 15 * MS);
	assert_int_equal(result->plan[1].app_wall_ns,
			 result->plan[0].app_wall_ns);
	assert_has(result->plan[1].text,
		   "A round saves 10.0 ms, but the setup takes "
		   "400 ms.");
	/* what pays in this run has it without that step */
	add(phase, "mapped", 14);
	expect("pinned double-buffer");
	assert_has(result->plan[1].text,
		   "In its place, mapped saves 110 ms in this "
		   "run");
}

/* The host's code is told as a part of the steady one if start-up is longer. */
TEST(host_code_comes_first_in_longer_runs)
{
	struct xs_result_part host = {XS_PART_HOST, "host", "", 300 * MS};

	result->verdict.host_is_limit = true;
	result->verdict.parts = &host;
	result->verdict.part_count = 1;
	result->verdict.recorded_ns = 400 * MS;
	result->verdict.startup_ns = 450 * MS;
	add(phase, "pinned", 47);
	expect("pinned");
	xs_plan_opening(result);
	assert_has(result->opening,
		   "in longer runs, first profile the host's "
		   "code: 75.0 % of the steady part; then pin");
	result->verdict.startup_ns = 200 * MS;
	xs_plan_opening(result);
	assert_has(result->opening,
		   "first profile the host's code: 30.0 % of the run; then "
		   "pin");
	phase->estimate_count = 0;
	expect("");
	xs_plan_opening(result);
	assert_has(result->opening, "then no change of data movement is worth "
				    "it in this run of 1.00 s");
}

/* Of 500 ms that come once, 8 ms of 1 s are little, unless a line copies
 * several times. */
TEST(a_longer_run_need_not_copy_more)
{
	phase->rounds = 1;
	add(phase, "pinned", 42);
	sites[0].calls = 1;
	sites[0].bytes = 4096;
	copies_at(phase, sites, 1);
	expect("");
	assert_has(result->no_step,
		   "no change is predicted to save 1 % of the run");
	sites[0].calls = 40;
	expect("pinned");
}

/* Nothing pays in this run; in longer ones, a call per buffer does. */
TEST(a_longer_run_pays_a_first_call)
{
	struct xs_result_estimate *pinned = add(phase, "pinned", 25);
	set(pinned, 25, 400);
	expect("pinned");
	assert_int_equal(result->plan[0].adds_saves_ns, -150 * MS);
	assert_int_equal(result->plan[0].pays_rounds, 16);
	assert_int_equal(result->plan[0].app_wall_ns, 1000 * MS);
	/* what may pay in this run is asked first */
	struct xs_result_estimate *resident = add(phase, "resident", 10);
	resident->bound = "the host does not change the data";
	expect("pinned");
	xs_plan_opening(result);
	assert_has(
	    result->opening,
	    "first answer: could data stay on the GPU (about 400 ms here)? "
	    "If not, nothing pays in this run of 1.00 s; in longer runs");
	phase->estimate_count--;
	/* a run has what is outside of its steady part, or one round, once */
	phase->apart = true;
	expect("");
	phase->apart = false;
	phase->rounds = 1;
	expect("");
}

/* The setup is paid once: it is of the run, not of a round. */
TEST(a_setup_is_not_of_a_round)
{
	struct xs_result_estimate *pinned = add(phase, "pinned", 25);
	set(pinned, 25, 50);
	expect("pinned");
	assert_int_equal(result->plan[0].adds_saves_ns, 200 * MS);
	assert_int_equal(result->plan[0].round_ns, 25 * MS);
	assert_has(result->plan[0].text, "The setup takes about 50.0 ms");
	/* new memory takes more than the 200 that the run saves */
	assert_int_equal(result->plan[0].pays_rounds, XS_UNKNOWN);
	touch(pinned, 300);
	expect("pinned");
	assert_int_equal(result->plan[0].pays_rounds, 14);
	assert_int_equal(result->plan[0].adds_saves_ns, -100 * MS);
	assert_has(result->plan[0].text,
		   "A round saves 25.0 ms, but the setup takes "
		   "350 ms.");
	/* and this run is not made longer */
	assert_int_equal(result->plan[0].app_wall_ns, 1000 * MS);
	pinned->new_memory_ns = 0;
	/* less than the digits of the saving show */
	pinned->setup_ns = MS / 10;
	pinned->saves_ns = 250 * MS - pinned->setup_ns;
	expect("pinned");
	assert_has_not(result->plan[0].text, "The setup");
	pinned->setup_ns = pinned->saves_ns = 0;
	expect("");
}

/* Below 1 % of the steady part, or of the run for what comes once. However
 * long the rest of the run is, the steady part decides. */
TEST(a_small_saving_is_no_step)
{
	struct xs_result_estimate *row = add(phase, "pinned", 49);
	row->high_ns = row->known_high_ns = 49 * MS;
	result->run.wall_ns = 100000 * MS;
	result->verdict.steady_ns = 1000 * MS;
	expect("pinned");
	result->verdict.steady_ns = 1100 * MS;
	expect("");
	phase->apart = true;
	expect("");
	result->run.wall_ns = 1000 * MS;
	expect("pinned");
	/* what comes once has no further rounds to pay a setup that takes more
	 */
	row->setup_more_ns = row->saves_ns;
	expect("");
	row->setup_more_ns--;
	expect("pinned");
}

/* It saves 10 ms a round, and may be off by that. */
TEST(an_uncertain_saving_is_no_step)
{
	struct xs_result_estimate *row = add(phase, "pinned", 40);
	row->high_ns = 49 * MS;
	expect("pinned");
	row->high_ns = 50 * MS;
	expect("");
}

/* The rounds of another run, without the tracer, may be as short. */
TEST(the_first_step_saves_more_than_runs_differ)
{
	struct xs_result_estimate *as_is = add(phase, "as-is", 50);
	add(phase, "pinned", 40);
	as_is->known_low_ns = as_is->low_ns = 41 * MS;
	expect("pinned");
	assert_int_equal(result->plan[0].saves_low_ns, 90 * MS);
	/* at most what the verdict says */
	assert_int_equal(result->plan[0].saves_high_ns, 100 * MS);
	/* its setup is the same in all runs */
	set(&phase->estimates[1], 40, 50);
	expect("pinned");
	/* known causes decide; programs differ by as much with every change */
	as_is->low_ns = 39 * MS;
	expect("pinned");
	assert_int_equal(result->plan[0].saves_low_ns, 40 * MS);
	as_is->known_low_ns = 40 * MS;
	expect("");
	/* by how the rounds of one run differ: their mean does not */
	phase->round_low_ns = 41 * MS;
	expect("pinned");
	/* it is with tracing, what it is held against is not */
	phase->round_low_ns = 50 * MS;
	phase->tracer_ns = MS;
	expect("pinned");
	phase->round_low_ns = 51 * MS;
	expect("");
	phase->round_low_ns = 50 * MS;
	phase->tracer_ns = 0;
	add(phase, "double-buffer", 30);
	expect("double-buffer");
}

/* Who alternates buffers pins them anyway: that comes first, if it brings most,
 * whatever its interval. */
TEST(most_of_a_step_comes_before_it)
{
	struct xs_result_estimate *pinned = add(phase, "pinned", 25);
	pinned->high_ns = pinned->known_high_ns = 60 * MS;
	expect("");
	add(phase, "double-buffer", 10);
	expect("pinned double-buffer");
	assert_int_equal(result->plan[0].adds_saves_ns, 250 * MS);
	assert_int_equal(result->plan[1].adds_saves_ns, 150 * MS);
	assert_int_equal(result->plan[1].app_wall_ns, 600 * MS);
	assert_int_equal(result->plan[1].high_ns / 1000, 675663);
	set(pinned, 30, 0);
	expect("double-buffer");
}

/* Pieces gain 2 of the 42 ms that they and the host's code gain together. */
TEST(kernels_stay_where_host_code_gains_as_much)
{
	add(phase, "pinned", 10)->known_low_ns = 10 * MS;
	add(phase, "streams", 8)->known_high_ns = 8 * MS;
	expect("pinned");
	phase->estimates[1].round_ns = phase->estimates[1].known_high_ns =
	    7 * MS;
	phase->estimates[1].saves_ns = 430 * MS;
	expect("pinned streams");
}

/* Within 5 % of each other, or within the interval of the lesser effort. */
TEST(lesser_effort_wins_a_tie)
{
	add(phase, "pinned", 30);
	add(phase, "double-buffer", 28.6);
	expect("pinned");
	set(&phase->estimates[1], 25, 0);
	expect("pinned double-buffer");
	phase->estimates[0].known_low_ns = 24 * MS;
	expect("pinned");
}

/* A second set of buffers is pinned once, which few rounds pay back. */
TEST(more_effort_that_saves_more_is_named)
{
	struct xs_result_estimate *buffers = add(phase, "double-buffer", 20);
	struct xs_result_estimate *streams = add(phase, "streams", 21);

	expect("double-buffer");
	assert_has_not(result->plan[0].text, "In its place");
	set(buffers, 20, 100);
	expect("double-buffer");
	assert_has(result->plan[0].text,
		   "In its place, streams saves 90.0 ms more; effort: some.");
	streams->only_if = "rounds are independent";
	expect("double-buffer");
	assert_has(result->plan[0].text,
		   "In its place, streams may save 90.0 ms more, only if "
		   "rounds are independent; effort: some.");
	streams->only_if = NULL;
	/* by less than 5 %, too, unless it may be off by that */
	set(buffers, 20, 21);
	expect("double-buffer");
	assert_has(result->plan[0].text, "saves 11.0 ms more");
	set(buffers, 20, 19);
	expect("double-buffer");
	assert_has_not(result->plan[0].text, "In its place");
}

/* What pays in this run comes in the place of what only pays in longer ones. */
TEST(what_pays_in_this_run_comes_first)
{
	struct xs_result_estimate *buffers = add(phase, "double-buffer", 20);
	struct xs_result_estimate *streams = add(phase, "streams", 21);

	set(buffers, 20, 19);
	touch(buffers, 500);
	expect("streams");
	assert_int_equal(result->plan[0].pays_rounds, XS_UNKNOWN);
	assert_int_equal(result->plan[0].app_wall_ns, 710 * MS);
	/* a smaller part of that is no reason to split kernels */
	set(streams, 29, 0);
	expect("double-buffer");
	/* 519 for 30 a round */
	assert_int_equal(result->plan[0].pays_rounds, 18);
	assert_int_equal(result->plan[0].adds_saves_ns, -219 * MS);
	assert_int_equal(result->plan[0].round_before_ns, 50 * MS);
	assert_int_equal(result->plan[0].round_ns, 20 * MS);
	assert_int_equal(result->plan[0].app_wall_ns, 1000 * MS);
	assert_int_equal(result->plan[0].saves_low_ns, XS_UNKNOWN);
}

/* Unless that takes more effort than what it gains is worth. */
TEST(effort_stays_for_longer_runs)
{
	struct xs_result_estimate *buffers = add(phase, "double-buffer", 20);
	struct xs_result_estimate *streams = add(phase, "streams", 21);
	set(buffers, 20, 19);
	touch(buffers, 500);
	/* nobody rewrites kernels instead, */
	streams->effort_level = XS_EFFORT_REWRITE;
	expect("double-buffer");
	streams->effort_level = XS_EFFORT_SPLIT;
	/* or splits them for less than three quarters of its gain */
	streams->round_ns = streams->known_high_ns = streams->high_ns = 28 * MS;
	streams->saves_ns = 220 * MS;
	expect("double-buffer");
	assert_int_equal(result->plan[0].app_wall_ns, 1000 * MS);
	assert_has(result->plan[0].text,
		   "In its place, streams saves 220 ms in this run, than "
		   "which this step is better from 65 rounds on; effort");
	/* rounds of the start-up do not become more */
	phase->apart = true;
	expect("");
}

/* What pays in this run comes before what does not, in other phases too; the
 * same change of the same lines is told once. */
TEST(longer_runs_come_last)
{
	result->phase_count = 2;
	touch(add(phase, "double-buffer", 20), 500);
	add(phase + 1, "pinned", 45);
	expect("pinned double-buffer");
}

/* What orders copies otherwise replaces the order before. */
TEST(an_order_replaces_another)
{
	add(phase, "pinned", 30);
	add(phase, "prefetch", 22);
	expect("pinned prefetch");
	add(phase, "double-buffer", 10);
	expect("pinned double-buffer");
	assert_int_equal(result->plan[1].adds_saves_ns, 200 * MS);
	assert_int_equal(result->plan[1].round_before_ns, 30 * MS);
	/* unless most of it is done with less effort */
	set(&phase->estimates[1], 16, 0);
	expect("pinned prefetch");
}

/* 16 pieces are as fast as 8, as far as rounds differ. */
TEST(another_number_of_pieces_within_the_interval_is_none)
{
	struct xs_result_estimate *row = add(phase, "streams", 40);
	row->effort_level = XS_EFFORT_PLACE;
	row->n_streams = 16;
	phase->round_low_ns = 41 * MS;
	expect("streams"); /* it is not in pieces */
	phase->streams = phase->kernels = phase->h2d_ops = 8;
	expect("");
	row->known_high_ns = 41 * MS - 1;
	expect("streams");
}

/* Together no more is saved than the time in which data moved or the host
 * waited or allocated. */
TEST(all_together_save_no_more_than_there_is)
{
	phase->movable_ns = phase->transfer_ns = 30 * MS;
	add(phase, "pinned", 25);
	add(phase, "reuse", 35);
	expect("pinned reuse");
	assert_int_equal(result->plan[1].adds_saves_ns, 50 * MS);
	assert_int_equal(result->plan[1].round_ns, 20 * MS);
	/* nor is twice what allocations take less beside pinned copies */
	phase->movable_ns = XS_UNKNOWN;
	phase->estimates[0].calls_ns = 5 * MS;
	expect("pinned reuse");
	assert_int_equal(result->plan[1].adds_saves_ns, 100 * MS);
	phase->movable_ns = 30 * MS;
	phase->estimates[0].calls_ns = 0;
	/* what does not allocate less leaves the time of allocations */
	phase->transfer_ns = 27 * MS;
	phase->estimates[1].strategy = "async";
	expect("pinned async");
	assert_int_equal(result->plan[1].adds_saves_ns, 20 * MS);
	/* nor more than the round */
	phase->movable_ns = phase->transfer_ns = XS_UNKNOWN;
	phase->estimates[1].round_ns = 20 * MS;
	phase->estimates[1].saves_ns = 300 * MS;
	phase->estimates[1].strategy = "reuse";
	expect("pinned reuse");
	assert_int_equal(result->plan[1].adds_saves_ns, 250 * MS);
	assert_int_equal(result->plan[1].round_ns, 0);
	/* what may be made first is told as that */
	phase->estimates[1].saves_low_ns = 290 * MS;
	phase->estimates[1].saves_high_ns = 310 * MS;
	xs_plan_opening(result);
	assert_has(result->opening, "(step 2): alone saves 300 ms (290-310 ms) "
				    "of 1.00 s (30.0 % of the run)");
}

/* Start-up and end of the program are told beside a saving that is not little,
 * if they take most of the run and three times the saving. */
TEST(most_of_the_run_is_the_programs_own)
{
	result->verdict.startup_ns = 350 * MS;
	result->verdict.after_ns = 151 * MS;
	add(phase, "pinned", 40);
	expect("pinned");
	xs_plan_opening(result);
	assert_has(result->opening, "saves 100 ms");
	assert_has(result->opening, ". The program's own start-up and end take "
				    "50.1 % of the run.");
	result->verdict.after_ns = 150 * MS;
	xs_plan_opening(result);
	assert_null(strstr(result->opening, "start-up and end"));
	result->verdict.after_ns = 151 * MS;
	phase->estimates[0].round_ns = 30 * MS;
	phase->estimates[0].saves_ns = 200 * MS;
	expect("pinned");
	xs_plan_opening(result);
	assert_null(strstr(result->opening, "start-up and end"));
}

/* The range of a saving is of this run's rounds. */
TEST(rounds_of_other_runs_are_told_where_they_differ)
{
	struct xs_result_estimate *now = add(phase, "as-is", 50);

	add(phase, "pinned", 25);
	now->low_ns = now->known_low_ns = 40 * MS;
	now->high_ns = 130 * MS;
	expect("pinned");
	xs_plan_opening(result);
	assert_has(result->opening, "(25.0 % of the run; in others a round may "
				    "take 40-130 ms as it is)");
	now->high_ns = 110 * MS;
	xs_plan_opening(result);
	assert_has(result->opening, "(25.0 % of the run)");
}

/* What is no step may be what is left if the condition of one does not hold. */
TEST(what_is_left_without_a_condition_is_told)
{
	struct xs_result_estimate *reuse, *twice;

	add(phase, "pinned", 25);
	reuse = add(phase, "reuse", 40);
	reuse->high_ns = reuse->known_high_ns = 60 * MS;
	twice = add(phase, "double-buffer", 10);
	twice->only_if = "rounds are independent";
	expect("pinned double-buffer");
	assert_has(result->plan[1].text, "If its condition does not hold, "
					 "reuse saves about 100 ms; effort");
	set(reuse, 49.9, 0);
	expect("pinned double-buffer");
	assert_null(strstr(result->plan[1].text, "does not hold"));
}

/* What moves less data makes pinning needless, and replaces it. */
TEST(data_that_stays_needs_no_pinning)
{
	add(phase, "pinned", 40);
	add(phase, "resident", 10);
	expect("resident");
	assert_int_equal(result->plan[0].adds_saves_ns, 400 * MS);
}

/* The phase with more gain for its effort is first; start-up is last. */
TEST(phases_are_ranked_by_gain_and_effort)
{
	result->phase_count = 2;
	add(&phase[0], "pinned", 35);
	add(&phase[1], "reuse", 30);
	expect("pinned reuse");
	set(&phase[1].estimates[0], 10, 0);
	expect("reuse pinned");
	/* a condition that the trace does not show */
	phase[1].estimates[0].bound = "it may be";
	expect("pinned reuse");
	assert_string_equal(result->plan[1].condition, "it may be");
	phase[0].apart = true;
	expect("reuse pinned");
}

/* How often bytes cross the bus, nobody can tell from the program. */
TEST(what_nobody_can_check_is_no_step)
{
	struct xs_result_estimate *mapped = add(phase, "mapped", 10);
	expect("mapped");
	mapped->bound = "each byte crosses the bus once";
	mapped->assumes_once = true;
	expect("");
}

/* Data is copied again because it changed, unless its contents are the same. */
TEST(data_stays_only_if_its_contents_do)
{
	struct xs_result_estimate *resident = add(phase, "resident", 10);
	expect("resident");
	resident->bound = "the host does not change the data";
	expect("");
}

/* Rounds that copy in what they copied out are asked about, not advised. */
TEST(doubtful_rows_are_asked_for)
{
	add(phase, "pinned", 25);
	struct xs_result_estimate *row = add(phase, "double-buffer", 10);
	row->bound = "no round needs the results of the round before";
	expect("pinned double-buffer");
	row->doubtful = true;
	expect("pinned");
	assert_string_equal(result->asks, "are the rounds independent");
	assert_has(
	    result->question,
	    "Are the rounds independent? double-buffer may save 400 ms "
	    "(390-400 ms) of 1.00 s (40.0 % of the run), in place of step 1 "
	    "(250 ms), effort: some, only if no round");
}

/* What a round copies in, the one before copied out: pinning comes first. */
TEST(rows_of_returning_data_are_no_question)
{
	add(phase, "pinned", 25);
	struct xs_result_estimate *row = add(phase, "double-buffer", 10);
	row->bound = "the host fills each round's input anew";
	row->doubtful = row->returning = true;
	expect("pinned");
	assert_null(result->question);
}

static void says_why(const char *text)
{
	expect("");
	if (!strstr(result->no_step, text))
		fail_msg("\"%s\" does not say \"%s\"", result->no_step, text);
}

/* 8 ms of migrations, or 0.7 by one copy. */
TEST(managed_memory_is_prefetched)
{
	add(phase, "as-is", 50);
	result->totals.migrated_h2d_bytes = 32 << 20;
	result->totals.migrated_h2d_ns = 8 * MS;
	result->steady.totals = result->totals;
	result->verdict.prefetch_saves_ns = 7 * MS;
	says_why("prefetch managed memory: 32 MiB migrated in while kernels "
		 "waited for their pages, for 8.00 ms; cudaMemPrefetchAsync(");
	says_why("copies as much in about 1.00 ms");
	result->verdict.prefetch_saves_ns = 0;
	says_why("not known: no strategy could be predicted");
}

/* 25 ms of the only round, which another run may have 4 ms shorter or longer,
 * by what its range has beyond its known causes, and the row 3. */
TEST(the_only_round_differs_in_another_run)
{
	struct xs_result_estimate *as_is = add(phase, "as-is", 50);
	struct xs_result_estimate *row = add(phase, "pinned", 25);

	phase->rounds = 1;
	phase->total_ns = phase->wall_ns = 50 * MS;
	row->saves_ns = 25 * MS;
	row->low_ns -= 2 * MS;
	row->high_ns += 2 * MS;
	as_is->known_high_ns = as_is->round_ns + 3 * MS;
	as_is->high_ns = as_is->round_ns + 5 * MS;
	expect("pinned");
	assert_int_equal(result->plan[0].saves_low_ns, 20 * MS);
	row->strategy = "graph"; /* keeps the copies */
	row->effort_level = effort_of("graph");
	expect("graph");
	assert_int_equal(result->plan[0].saves_low_ns, 22 * MS);
}

/* Rounds differ by more than a change saves, but by the host's own time, which
 * is the same before and after. */
TEST(what_both_rounds_share_is_no_doubt)
{
	struct xs_result_estimate *as_is = add(phase, "as-is", 50);
	as_is->known_low_ns = 43 * MS;
	struct xs_result_estimate *row = add(phase, "double-buffer", 45);
	row->low_ns = row->known_low_ns = 38 * MS;
	row->high_ns = row->known_high_ns = 52 * MS;
	expect("");
	row->shared_low_ns = row->shared_high_ns = 6 * MS; /* 3.6 remain */
	expect("double-buffer");
	/* the unchanged round alone is as uncertain as it was */
	row->shared_low_ns = 0;
	expect("");
}

/* Nothing predicted, nothing worth it, or nothing that is sure to be right. */
TEST(no_step_has_a_reason)
{
	says_why("nothing: no data is copied");
	result->totals.h2d_bytes = 1;
	says_why("no strategy could be predicted");
	struct xs_result_estimate *row = add(phase, "pinned", 40);
	row->known_high_ns = 50 * MS;
	says_why("nothing: no change is predicted to save 1 % of the steady "
		 "part; the 100 ms of the verdict are a limit, and no "
		 "prediction");
	row = add(phase, "resident", 10);
	row->bound = "the host does not change the data";
	says_why(
	    "nothing for certain, but resident may save 400 ms (390-400 ms) "
	    "of 1.00 s (40.0 % of the run), effort: some, only if the "
	    "host does not change the data. Copy the data of ");
	/* in the start-up it is nothing to look for */
	phase->apart = true;
	says_why("nothing: no change is predicted to save 1 % of the run");
	result->verdict.missing = "the trace has no times";
	says_why("the verdict says what is missing");
}

/* The host waits 2 % of the steady part, and the row saves more. */
TEST(a_row_beyond_the_limit_is_not_denied)
{
	add(phase, "as-is", 50);
	add(phase, "graph", 45)->known_high_ns = 50 * MS;
	result->totals.h2d_bytes = 1;
	phase->host_blocked_ns = MS;
	says_why("not known: graph would save less than its uncertainty: "
		 "a round 50.0 ms (49.0-51.0 ms) -> 45.0 ms (44.0-46.0 ms), "
		 "which saves 2.0 % of the steady part");
}

/* Pinning takes longer than it saves of the one round. */
TEST(a_setup_that_does_not_pay_is_named)
{
	phase->rounds = 1;
	struct xs_result_estimate *row = add(phase, "pinned", 30);
	set(row, 30, 25);
	says_why(
	    "; pinned would shorten a round of phase 1 to 30.0 ms, but its "
	    "setup takes 25.0 ms, more than the phase's rounds save (1 in "
	    "all)");
}

static void says_no_pinning(const char *text)
{
	expect("reuse");
	if (!result->no_pinning || strcmp(result->no_pinning, text) != 0)
		fail_msg("\"%s\" is not \"%s\"", result->no_pinning, text);
}

/* Rounds of phase 1 take a tenth less with pinned memory. */
TEST(why_nothing_is_pinned_is_told)
{
	result->phase_count = 2;
	add(&phase[1], "reuse", 30);
	struct xs_result_estimate *as_is = add(phase, "as-is", 50);
	struct xs_result_estimate *row = add(phase, "pinned", 45);
	phase->rounds = 1;
	set(row, 45, 5);
	says_no_pinning("pinned is no step for phase 1: it saves 5.00 ms in 1 "
			"round, but pinning takes 5.00 ms once.");
	phase->rounds = 10;
	set(row, 45, 48);
	says_no_pinning("pinned is no step for phase 1: it saves 50.0 ms in 10 "
			"rounds, but pinning takes 48.0 ms once, which "
			"leaves 2.00 ms, less than 1 % of the steady part.");
	set(row, 45, 0);
	as_is->low_ns = as_is->known_low_ns = 44 * MS;
	says_no_pinning("pinned is no step for phase 1: it saves 50.0 ms in 10 "
			"rounds, but the rounds of another run may differ by "
			"more (now 44.0-51.0 ms, with it 44.0-46.0 ms).");
	row->only_if = "they are one set";
	says_no_pinning("pinned is no step for phase 1: it saves 50.0 ms in 10 "
			"rounds, but only if they are one set.");
	row->only_if = NULL;
	as_is->low_ns = as_is->known_low_ns = 49 * MS;
	expect("reuse pinned");
	assert_null(result->no_pinning);
}

/* As an engineer would before the steps, if it may save more than they do. */
TEST(data_that_may_stay_is_asked_for)
{
	add(phase, "pinned", 25);
	expect("pinned");
	assert_null(result->question);
	struct xs_result_estimate *resident = add(phase, "resident", 10);
	resident->bound = "the host does not change the data";
	expect("pinned");
	assert_has(
	    result->question,
	    "Could data stay on the GPU? resident may save 400 ms (390-400 "
	    "ms) of 1.00 s (40.0 % of the run), in place of step 1 (250 ms), "
	    "effort: some, only if the host does not");
	result->run.python = XS_LANGUAGE_NUMBA;
	expect("pinned");
	assert_has(result->question_code, "cuda.to_device(ary)");
	/* more than the steps may, with the first touch of new memory */
	resident->saves_ns = 261 * MS;
	expect("pinned");
	assert_has(result->question, "may save 261 ms");
	resident->saves_ns = 260 * MS;
	expect("pinned");
	assert_null(result->question);
	resident->saves_ns = 400 * MS;
	touch(resident, 80);
	expect("pinned");
	assert_has(result->question, "may save 320 ms");
	touch(resident, 70);
	expect("pinned");
	assert_null(result->question);
}

TEST(rows_with_a_pitch_are_copied_as_such)
{
	copies_at(phase, sites, 1);
	sites->call = "cudaMemcpy2D";
	sites->calls = 10;
	sites->bytes = 10 << 20;
	phase->h2d_ops = 1;
	phase->h2d_bytes = 1 << 20;
	add(phase, "pinned", 25);
	add(phase, "double-buffer", 10);
	expect("pinned double-buffer");
	assert_has(result->plan[1].code, "cudaMemcpy2DAsync(dev[k], in[k]");
}

TEST(steps_of_the_start_up_do_not_count)
{
	add(phase, "pinned", 25);
	expect("pinned");
	assert_null(result->no_step);
	phase->apart = true;
	expect("pinned");
	assert_non_null(result->no_step);
}

TEST(nothing_is_planned_without_a_verdict)
{
	add(phase, "pinned", 25);
	result->verdict.missing = "the trace has no times";
	expect("");
}

/* Equations explain; they are no predictions. */
TEST(equations_are_no_steps)
{
	add(phase, "pinned", 25)->model = "vanwerkhoven2014-explicit";
	expect("");
}

/* The lines are in the language of the sites. */
TEST(code_is_in_the_language_of_the_line)
{
	struct xs_result_estimate *row = add(phase, "pinned", 25);

	copies_at(phase, sites, 1);
	phase->h2d_bytes = 1000;
	expect("pinned");
	assert_string_equal(result->plan[0].code,
			    "cudaHostRegister(host, bytes, "
			    "cudaHostRegisterDefault); // after malloc");
	row->pins_new = true;
	expect("pinned");
	assert_string_equal(
	    result->plan[0].code,
	    "cudaMallocHost(&host, bytes); // once, in place of malloc(bytes)");
}

TEST(code_is_of_the_framework_of_the_line)
{
	add(phase, "pinned", 25)->pins_new = true;
	copies_at(phase, sites, 1);
	phase->h2d_bytes = 1000;
	sites->file = "/src/train.py";
	result->run.python = XS_LANGUAGES; /* which framework? */
	expect("pinned");
	assert_null(result->plan[0].code);
	result->run.python = XS_LANGUAGE_CUPY;
	expect("pinned");
	assert_has(result->plan[0].code, "cupyx.");
	result->run.python = XS_LANGUAGE_PYTORCH;
	expect("pinned");
	phase->h2d_bytes = 1000;
	phase->d2h_bytes = 0;
	expect("pinned");
	assert_has(result->plan[0].code, "pin_memory()");
	assert_has(result->plan[0].code, "DataLoader(data, pin_memory=True)");
	assert_has_not(result->plan[0].code, "out");
	phase->d2h_bytes = 1000;
	phase->src_memory = "pinned";
	expect("pinned");
	assert_string_equal(
	    result->plan[0].code,
	    "out = torch.empty(shape, pin_memory=True)  # once\n"
	    "out.copy_(result, non_blocking=True); s.synchronize()  # s: its "
	    "stream");
	result->run.python = XS_LANGUAGE_NUMBA;
	expect("pinned");
	assert_has(result->plan[0].code, "cuda.pinned_array(");
	sites->file = NULL; /* the framework's own library copies */
	expect("pinned");
	assert_has(result->plan[0].code, "cuda.pinned_array(");
	sites->file = "/src/a.cu";
	expect("pinned");
	assert_has(result->plan[0].code, "cudaMallocHost(");
}

/* What a program of the driver API can write. */
TEST(code_is_of_the_api_of_the_line)
{
	add(phase, "pinned", 25);
	add(phase, "double-buffer", 15);
	copies_at(phase, sites, 2);
	phase->h2d_bytes = sites[0].bytes = sites[1].bytes = 1000;
	sites[0].call = "cuMemcpyHtoD_v2";
	sites[1].call = "cuMemcpyDtoH_v2";
	expect("pinned double-buffer");
	assert_has(result->plan[0].code, "cuMemHostRegister(host, bytes, 0)");
	assert_has(result->plan[1].code, "cuMemcpyHtoDAsync(d[k], in[k], n");
	assert_has(result->plan[1].code, "cuMemcpyDtoHAsync(out[k], res[k]");
	assert_has(result->plan[1].code, "cuStreamSynchronize(");
	assert_has_not(result->plan[1].code, "cuda");
	assert_has_not(result->plan[1].code, "<<<");
	sites[0].file = "/src/cudaFilter.cpp";
	sites[0].function = "cudaRun";
	expect("pinned double-buffer");
	assert_has(result->plan[0].text, "cudaFilter.cpp");
	assert_has(result->plan[0].text, "in cudaRun");
	sites[1].call = "cudaMemcpy";
	expect("pinned double-buffer");
	assert_has(result->plan[0].code, "cudaHostRegister(");
}

/* Without a copy out, the host waits for the results itself. */
TEST(mapped_results_are_waited_for)
{
	add(phase, "mapped", 25);
	copies_at(phase, sites, 1);
	phase->h2d_bytes = 1000;
	expect("mapped");
	assert_has(result->plan[0].code, "cudaHostRegisterMapped); // once");
	assert_has_not(result->plan[0].code, "Synchronize");
	phase->d2h_bytes = 1000;
	expect("mapped");
	assert_has(result->plan[0].code,
		   "cudaDeviceSynchronize(); // where the copy out was");
}

/* Copies of one direction are gathered before the copy, or spread behind it, by
 * the call that the program uses. */
TEST(merged_copies_keep_their_direction)
{
	struct xs_result_estimate *row = add(phase, "batch", 25);

	row->setup_ns = MS;
	copies_at(phase, sites, 1);
	sites->call = "cudaMemcpy";
	sites->bytes = 1000;
	phase->h2d_ops = 4;
	expect("batch");
	assert_has(result->plan[0].code, "cudaMemcpy(dev, pinned, ");
	assert_has_not(result->plan[0].code, "cudaMemcpy(pinned, dev");
	sites->step = "d2h";
	sites->call = "cudaMemcpyAsync";
	phase->h2d_ops = 0;
	phase->d2h_ops = 4;
	expect("batch");
	assert_has(result->plan[0].code, "cudaMemcpyAsync(pinned, dev, ");
	assert_has(result->plan[0].code, "part_bytes); // after a wait");
	assert_has_not(result->plan[0].code, "dev, pinned");
	phase->h2d_ops = 4;
	expect("batch");
	assert_has(result->plan[0].code, "memcpy(pinned + offset, part, ");
	assert_has(result->plan[0].code, "memcpy(part, pinned + offset, ");
	sites->call = "cuMemcpyDtoHAsync_v2";
	row->setup_ns = 0;
	expect("batch");
	assert_has(result->plan[0].code, "cuMemcpyAsync(first_to, ");
	sites->call = "cuMemcpy2DAsync_v2";
	expect("batch");
	assert_null(result->plan[0].code);
}

/* Small copies are merged at one place before each buffer is pinned by a call,
 * if that saves more; half of it, on a condition. */
TEST(merging_comes_before_pinning_many_buffers)
{
	struct xs_result_estimate *batch = add(phase, "batch", 25);

	add(phase, "pinned", 25.5);
	expect("pinned");
	set(batch, 20, 0);
	batch->low_ns = batch->known_low_ns = 19 * MS;
	batch->high_ns = batch->known_high_ns = 21 * MS;
	expect("batch");
	batch->bound = batch->only_if = "only issues";
	expect("pinned batch");
}

/* Rounds side by side copy each buffer on its own: they take the place of
 * merged copies if they add as much again. */
TEST(rounds_side_by_side_replace_merged_copies)
{
	struct xs_result_estimate *both;

	add(phase, "batch", 30);
	both = add(phase, "double-buffer", 9);
	expect("batch double-buffer");
	assert_has(result->plan[0].text, "double-buffer, a later step, takes "
					 "its place: this code is then not "
					 "needed.");
	set(both, 11, 0);
	expect("batch");
}

/* Four threads, whose rounds take a quarter of the run each. */
TEST(rounds_side_by_side_are_counted)
{
	add(phase, "pinned", 25);
	expect("pinned");
	assert_int_equal(result->plan[0].side_by_side, 1);
	phase->concurrent_ns = 480 * MS;
	phase->wall_ns = 125 * MS;
	expect("pinned");
	assert_int_equal(result->plan[0].side_by_side, 4);
}

/* Buffers that two phases copy at the same lines are pinned once. */
TEST(the_same_lines_are_changed_once)
{
	result->phase_count = 2;
	for (size_t i = 0; i < 2; i++) {
		copies_at(&phase[i], sites, 1);
		add(&phase[i], "pinned", 25);
	}
	expect("pinned");
	assert_int_equal(result->plan[0].adds_saves_ns, 500 * MS);
	assert_int_equal(result->plan[0].app_wall_ns, 500 * MS);
	assert_int_equal(result->plan[0].saves_low_ns, 480 * MS);
	assert_has(result->plan[0].text, "for phase");
	phase[1].apart = true; /* of the start: its saving counts there */
	expect("pinned");
	assert_int_equal(result->plan[0].adds_saves_ns, 250 * MS);
	assert_int_equal(result->plan[0].saves_low_ns, 240 * MS);
	assert_null(strstr(result->plan[0].text, "for phase"));
	phase[1].apart = false;
	phase[1].sites = &sites[1];
	expect("pinned pinned");
}

/* Each has a graph of its own at the same lines, and its setup. */
TEST(graphs_are_set_up_for_each_phase)
{
	result->phase_count = 2;
	for (size_t i = 0; i < 2; i++) {
		sites[i].step = "kernel";
		copies_at(&phase[i], sites, 1);
		set(add(&phase[i], "graph", 25), 25, 3);
	}
	expect("graph");
	assert_int_equal(result->plan[0].adds_saves_ns, 2 * (250 - 3) * MS);
	assert_int_equal(result->plan[0].more_count, 1);
	assert_has(result->plan[0].text, "of these phases takes about 6.00 ms");
}

TEST(the_setup_of_the_same_lines_is_paid_once)
{
	result->phase_count = 2;
	for (size_t i = 0; i < 2; i++)
		copies_at(&phase[i], sites, 1);
	set(add(&phase[0], "pinned", 25), 25, 20);
	set(add(&phase[1], "pinned", 48), 48, 30);
	expect("pinned");
	assert_int_equal(result->plan[0].adds_saves_ns, 250 * MS);
	assert_null(result->no_pinning);
	phase[1].rounds = 1;
	expect("pinned");
	assert_int_equal(result->plan[0].adds_saves_ns, 250 * MS);
	phase[1].sites = &sites[1];
	expect("pinned");
	assert_int_equal(result->plan[0].adds_saves_ns, 230 * MS);
}

/* Without a line it is the call in the program; a call in a library serves many
 * lines. The step is of the longer phase, or of one that saves twice as much,
 * or with more lines. */
TEST(the_same_calls_are_changed_once)
{
	result->phase_count = 2;
	for (size_t i = 0; i < 2; i++) {
		sites[i] = (struct xs_result_site){.module = "app",
						   .offset = 8 + (int64_t)i,
						   .line = XS_UNKNOWN,
						   .step = "h2d"};
		copies_at(&phase[i], sites, 1);
		add(&phase[i], "pinned", 35 - 23 * (double)i);
	}
	expect("pinned");
	assert_ptr_equal(result->plan[0].phase, phase + 1);
	assert_int_equal(result->plan[0].adds_saves_ns, 530 * MS);
	phase[1].estimate_count = 0;
	add(&phase[1], "pinned", 22);
	expect("pinned");
	assert_ptr_equal(result->plan[0].phase, phase);
	phase[0].site_count = 2;
	expect("pinned");
	assert_ptr_equal(result->plan[0].phase, phase);
	phase[0].site_count = 1;
	sites[0].module = "lib.so.1";
	expect("pinned pinned");
	sites[0].module = NULL;
	sites[0].function = "the backward pass";
	expect("pinned");
}

/* Two phases copy in one function, at lines of their own. */
static void near_each_other(void)
{
	result->phase_count = 2;
	for (size_t i = 0; i < 2; i++) {
		sites[i] = (struct xs_result_site){.function = "f",
						   .file = "a.cu",
						   .line = 7 + (int64_t)i,
						   .step = "h2d"};
		copies_at(&phase[i], &sites[i], 1);
	}
}

/* The first has more lines than the second, which saves more than the third,
 * which saves more than the first. */
TEST(a_step_of_several_phases_is_told_once)
{
	struct xs_result_phase phases[3] = {*phase, *phase, *phase};
	struct xs_result_site lines[3];

	near_each_other();
	lines[0] = lines[1] = lines[2] = sites[0];
	lines[1].line = 8;
	lines[2].line = 9;
	for (size_t i = 0; i < 3; i++) {
		phases[i].id = (int64_t)i + 1;
		phases[i].estimates = calloc(1, sizeof(*phases[i].estimates));
		add(&phases[i], "pinned", i == 1 ? 10 : i == 2 ? 30 : 45);
	}
	copies_at(&phases[0], lines, 2);
	copies_at(&phases[1], lines, 1);
	copies_at(&phases[2], lines + 2, 1);
	result->phases = phases;
	result->phase_count = 3;
	expect("pinned");
	assert_int_equal(result->plan[0].adds_saves_ns, 650 * MS);
	for (size_t i = 0; i < 3; i++)
		free(phases[i].estimates);
}

/* A step of several phases saves of each what it adds beside those before. */
TEST(a_step_of_several_phases_tells_each)
{
	near_each_other();
	for (size_t i = 0; i < 2; i++) {
		add(&phase[i], "pinned", 40);
		add(&phase[i], "streams", 20);
	}
	expect("pinned streams");
	assert_int_equal(result->plan[1].adds_saves_ns, 400 * MS);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(
		    xs_result_step_saves_ns(&result->plan[1], &phase[i]),
		    200 * MS);
}

/* A step of several phases saves and, if its condition fails, loses in each,
 * and is set up for each. */
TEST(a_loss_is_of_all_phases)
{
	near_each_other();
	for (size_t i = 0; i < 2; i++) {
		struct xs_result_estimate *row = add(&phase[i], "graph", 25);

		sites[i].step = "kernel";
		row->bound = row->only_if = "it only issues";
		set(row, 25, 3);
		row->otherwise_ns = 51 * MS;
	}
	expect("graph");
	assert_int_equal(result->plan[0].adds_saves_ns, 2 * (250 - 3) * MS);
	assert_int_equal(result->plan[0].if_not_ns, 2 * (10 + 3) * MS);
	assert_has(result->plan[0].text, "of these phases takes about 6.00 ms");
}

/* A graph of two rounds fits no other of three that differ at the same lines,
 * nor does one kernel for both. */
TEST(a_graph_is_of_equal_rounds)
{
	struct xs_result_phase phases[4];

	sites[0].step = "kernel";
	copies_at(phase, sites, 1);
	phase->rounds = 2;
	add(phase, "graph", 2);
	for (size_t i = 0; i < 4; i++) {
		phases[i] = *phase;
		phases[i].id = (int64_t)i + 1;
	}
	for (size_t i = 1; i < 4; i++) {
		phases[i].rounds = 1;
		phases[i].estimate_count = 0;
	}
	result->phases = phases;
	result->phase_count = 3;
	expect("graph");
	result->rest.phases = 2;
	expect("");
	result->rest.phases = 0;
	result->phase_count = 4;
	expect("");
	phases[0].estimates[0].strategy = "device-initiated";
	expect("");
	phases[3].apart = true;
	expect("device-initiated");
	phases[0].estimates[0].strategy = "graph";
	expect("graph");
}

/* There is no next step to copy ahead for. */
TEST(nothing_is_ahead_of_a_single_round)
{
	add(phase, "prefetch", 25);
	expect("prefetch");
	phase->rounds = 1;
	phase->total_ns = phase->wall_ns = 50 * MS;
	result->verdict.steady_ns = 50 * MS;
	set(&phase->estimates[0], 25, 0);
	expect("");
	phase->estimates[0].strategy = "async";
	expect("");
	phase->estimates[0].other_advice = true;
	expect("async");
}

/* Nor is one for longer runs left out that is another change. */
TEST(longer_runs_have_all_their_steps)
{
	near_each_other();
	for (size_t i = 0; i < 2; i++)
		touch(add(&phase[i], "double-buffer", 20), 500);
	expect("double-buffer");
	assert_int_equal(result->plan[0].more_count, 1);
	assert_ptr_equal(result->plan[0].more_phases[0].phase, phase + 1);
	assert_int_equal(result->plan[0].adds_saves_ns, -400 * MS);
	assert_has(result->plan[0].text, "The same for a.cu:8 (in f).");
	phase[1].estimates[0].n_streams = 8;
	expect("double-buffer double-buffer");
	/* at lines of the first phase it is made with that one, not counted */
	copies_at(&phase[0], sites, 2);
	expect("double-buffer");
	assert_int_equal(result->plan[0].more_count, 0);
	assert_int_equal(result->plan[0].adds_saves_ns, -200 * MS);
	assert_has(result->plan[0].text, "The same for phase 2.");
}

/* Allocations take 52.5 ms of the 250 ms of the steady part that were recorded:
 * 105 ms of all of it. */
TEST(allocations_save_no_more_than_they_take)
{
	struct xs_result_part allocations = {.part = XS_PART_ALLOCATION,
					     .ns = 105 * MS / 2};

	add(phase, "reuse", 40);
	result->verdict.at_most_saves_ns = 500 * MS;
	result->verdict.recorded_ns = 250 * MS;
	result->verdict.part_count = 1;
	result->verdict.parts = &allocations;
	phase->host_blocked_ns = 40 * MS;
	expect("reuse");
	assert_int_equal(result->plan[0].adds_saves_ns, 100 * MS);
	assert_int_equal(result->plan[0].saves_high_ns, 105 * MS);
	/* 10 of the 100 ms are in the steady part, as are 12 of allocations */
	phase->outside = 0.9;
	allocations.ns = 6 * MS;
	expect("reuse");
	assert_int_equal(result->plan[0].saves_high_ns, (12 + 90) * MS);
}

/* The run as it is has the interval of its rounds, and of what no step changes:
 * 15 % of the other 500 ms. */
TEST(the_run_now_has_an_interval)
{
	struct xs_result_estimate *now = add(phase, "as-is", 50);
	now->low_ns = 40 * MS;
	now->high_ns = 60 * MS;
	expect("");
	assert_int_equal(result->verdict.run_low_ns, XS_UNKNOWN);
	add(phase, "pinned", 25);
	expect("pinned");
	assert_int_equal(result->verdict.run_low_ns, 875 * MS);
	assert_int_equal(result->verdict.run_high_ns, 1125 * MS);
}

/* A question is about what saves more than each step that it replaces may, and
 * than all of them do by a step's worth. */
TEST(a_question_is_of_what_saves_more)
{
	add(phase, "pinned", 40);
	struct xs_result_estimate *row = add(phase, "resident", 39.5);
	row->bound = "it stays";
	expect("pinned");
	assert_null(result->question);
	add(phase, "streams", 20);
	set(row, 25, 0);
	expect("pinned streams");
	assert_null(result->question);
	/* and no more than the verdict says */
	row->saves_ns = 400 * MS;
	expect("pinned streams");
	assert_null(result->question);
	row->round_ns = row->low_ns = row->high_ns = 10 * MS;
	expect("pinned streams");
	assert_has(result->question,
		   ", in place of steps 1, 2 (300 ms), effort: some, only if "
		   "it stays.");
}

/* Its range reaches to what it saves of the mean round, here 52 of 50 ms. Less
 * effort that saves as much is told first. */
TEST(a_question_has_the_range_of_a_step)
{
	struct xs_result_estimate *row = add(phase, "resident", 25), *streams;

	row->bound = "it stays";
	row->effort_level = XS_EFFORT_REWRITE;
	row->saves_high_ns = 255 * MS;
	phase->total_ns = phase->wall_ns = 520 * MS;
	phase->host_blocked_ns = 45 * MS;
	says_why("resident may save 250 ms (240-270 ms)");
	/* the host works on what is copied out */
	phase->d2h_bytes = 1;
	phase->host_ns = 26 * MS;
	says_why("nothing: no change is predicted to save 1 %");
	phase->host_ns = 25 * MS;
	says_why("resident may save 250 ms (240-270 ms)");
	streams = add(phase, "streams", 25);
	streams->only_if = "pieces are independent";
	streams->known_high_ns = 60 * MS;
	says_why("nothing without a condition");
}

/* Each phase saves 3 ms of a steady part of 500 ms, and may be off by more;
 * with the same line in both, 6 ms may be off by 4.5 ms. */
TEST(the_same_lines_are_worth_it_together)
{
	result->phase_count = 2;
	for (size_t i = 0; i < 2; i++) {
		struct xs_result_estimate *row = add(&phase[i], "pinned", 49.7);

		row->known_high_ns = 499 * MS / 10;
		row->high_ns = row->round_ns + 32 * MS / 100;
		copies_at(&phase[i], &sites[i], 1);
	}
	expect("");
	phase[1].sites = sites;
	expect("pinned");
	assert_int_equal(result->plan[0].adds_saves_ns, 6 * MS);
	assert_has(result->plan[0].text,
		   "The same for phase 2: 3.00 ms of the saving.");
	/* 6 ms may be off by 6.1 ms */
	phase[0].estimates[0].high_ns = phase[1].estimates[0].high_ns =
	    phase[0].estimates[0].round_ns + 43 * MS / 100;
	expect("");
}

/* At the lines of a longer phase's steps, the shorter one has these only. */
TEST(lines_are_changed_in_one_way)
{
	result->phase_count = 2;
	for (size_t i = 0; i < 2; i++) {
		copies_at(&phase[i], sites, 1);
	}
	add(&phase[0], "pinned", 25);
	add(&phase[1], "pinned", 25);
	add(&phase[1], "double-buffer", 10);
	expect("pinned");
	add(&phase[0], "double-buffer", 12);
	expect("pinned double-buffer");
	assert_int_equal(result->plan[1].adds_saves_ns, 280 * MS);
	/* a longer phase without steps */
	phase[0].estimate_count = 0;
	expect("pinned double-buffer");
}

/* Two phases share a line: it is not cut into pieces and alternated, too. */
TEST(lines_have_one_order)
{
	sites[0].step = "d2h";
	result->phase_count = 2;
	for (size_t i = 0; i < 2; i++) {
		copies_at(&phase[i], sites, i + 1);
	}
	add(&phase[0], "streams", 30);
	add(&phase[1], "double-buffer", 30);
	expect("double-buffer");
	phase[0].estimates[0].strategy = "reuse";
	expect("double-buffer reuse");
}

/* Nor is what may save much "nothing", or what cannot be predicted. */
TEST(what_is_not_known_is_not_nothing)
{
	add(phase, "as-is", 50);
	struct xs_result_estimate *pinned = add(phase, "pinned", 45);
	pinned->high_ns = pinned->known_high_ns = 60 * MS;
	phase->host_blocked_ns = 20 * MS;
	says_why("not known: pinned would save less than its uncertainty");
	set(pinned, 49.7, 0);
	says_why("nothing: no change is predicted to save 1 % of the steady "
		 "part; pinned is the nearest: it saves 0.6 % of the steady "
		 "part; the 200 ms of the verdict are a limit, and no");
	pinned->applies = false;
	pinned->unmeasured = true;
	pinned->why = "the profile lacks the rate";
	says_why("not known: pinned memory, and overlap with it, could not be "
		 "predicted: the profile lacks the rate");
	/* beside a step, too */
	add(phase, "batch", 30);
	expect("batch");
	assert_has(result->no_pinning, "lacks the rate");
}

TEST(overlap_may_not_be_predicted)
{
	struct xs_result_estimate *streams;

	add(phase, "as-is", 50);
	add(phase, "pinned", 49.7);
	streams = add(phase, "streams", 50);
	streams->effort_level = XS_EFFORT_REWRITE;
	streams->applies = false;
	streams->unmeasured = true;
	streams->why = "the profile lacks the rate";
	says_why("not known: overlap of copies and kernels could not be "
		 "predicted: the profile lacks the rate");
}

RUN_TESTS(set_up, tear_down)
