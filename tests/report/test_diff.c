/* SPDX-License-Identifier: MIT */
/* Two results compared, and predictions checked against measurements. */
#include "report/diff/compare.h"
#include "report/diff/gate.h"
#include "report/render/renderer.h"
#include "tests/report/fixture.h"
#include "tests/unit.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct {
	struct xs_result *before, *after;
	struct xs_diff diff;
} pair;

FIXTURE(open_pair)
{
	pair.before = fixture_result();
	pair.after = fixture_after();
	return 0;
}

static void build_pair(void)
{
	xs_diff_build_runs(&pair.before, 1, &pair.after, 1, &pair.diff);
}

FIXTURE(close_pair)
{
	xs_diff_free(&pair.diff);
	xs_result_free(pair.before);
	xs_result_free(pair.after);
	return 0;
}

static char *text_of(double gate, bool json)
{
	const struct xs_display display = {.columns = XS_DISPLAY_COLUMNS};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(
	    xs_renderer_find(json ? "json" : "text", XS_RENDER_DIFF)
		->diff(&pair.diff, gate, &display, out),
	    0);
	fclose(out);
	return text;
}

/* 10 s to 8 s. Phase 1 goes from 412 * 16 to 412 * 11.9 ms: -1689.2 ms. */
TEST(changes_are_ordered)
{
	pair.after->totals.h2d_ns -= 1000;
	pair.after->totals.d2h_ns -= 3000;
	pair.after->totals.h2d_bytes += 1;
	build_pair();
	assert_int_equal(pair.diff.wall.change, -2000000000);
	assert_true(fabs(pair.diff.change_percent + 20) < 1e-9);
	assert_string_equal(pair.diff.totals[4].name, "copies out");
	assert_int_equal(pair.diff.totals[4].change, -3000);
	assert_string_equal(pair.diff.totals[5].name, "copies in");
	assert_int_equal(pair.diff.phase_count, 3);
	assert_int_equal(pair.diff.phases[0].before->id, 1);
	assert_int_equal(pair.diff.phases[0].change_ns, -1689200000);
}

static const struct xs_diff_total *total_of(const char *name,
					    enum xs_diff_unit unit)
{
	for (size_t i = 0; i < pair.diff.total_count; i++)
		if (pair.diff.totals[i].unit == unit &&
		    strcmp(pair.diff.totals[i].name, name) == 0)
			return &pair.diff.totals[i];
	fail_msg("no total %s", name);
	return NULL;
}

static void expect_total(const char *name, enum xs_diff_unit unit,
			 int64_t before, int64_t after, int64_t change)
{
	const struct xs_diff_total *total = total_of(name, unit);

	assert_true(total->before.median == before);
	assert_true(total->after.median == after);
	assert_true(total->change == change);
}

/* Each total is its own, and an unknown one has no change. */
TEST(totals_are_compared_by_name)
{
	struct xs_result_totals *before = &pair.before->totals;
	struct xs_result_totals *after = &pair.after->totals;
	before->h2d_bytes = 1000, after->h2d_bytes = 1001;
	before->d2h_bytes = 2000, after->d2h_bytes = 2002;
	before->h2d_ops = 10, after->h2d_ops = 13;
	before->d2h_ops = 20, after->d2h_ops = 24;
	before->kernels = 30, after->kernels = 35;
	before->h2d_ns = 100, after->h2d_ns = 106;
	before->d2h_ns = 200, after->d2h_ns = 207;
	before->kernel_ns = XS_UNKNOWN, after->kernel_ns = 308;
	before->overlap_ns = 400, after->overlap_ns = XS_UNKNOWN;
	build_pair();
	expect_total("bytes in", XS_DIFF_BYTES, 1000, 1001, 1);
	expect_total("bytes out", XS_DIFF_BYTES, 2000, 2002, 2);
	expect_total("copies in", XS_DIFF_COUNT, 10, 13, 3);
	expect_total("copies out", XS_DIFF_COUNT, 20, 24, 4);
	expect_total("kernels", XS_DIFF_COUNT, 30, 35, 5);
	expect_total("copies in", XS_DIFF_NS, 100, 106, 6);
	expect_total("copies out", XS_DIFF_NS, 200, 207, 7);
	expect_total("kernels", XS_DIFF_NS, XS_UNKNOWN, 308, XS_UNKNOWN);
	expect_total("overlap", XS_DIFF_NS, 400, XS_UNKNOWN, XS_UNKNOWN);
}

/* What changed in a phase is said with both values. */
TEST(changes_of_a_phase_are_told)
{
	static const char *const told[] = {
	    "bytes in 3 MiB -> 1 MiB", "bytes out 2 MiB -> 5 MiB",
	    "copies in 7 -> 8", "copies out 9 -> 6", "kernels 3 -> 4"};
	struct xs_result_phase *before, *after;

	before = &pair.before->phases[0];
	after = &pair.after->phases[0];
	before->h2d_bytes = 3 << 20, after->h2d_bytes = 1 << 20;
	before->d2h_bytes = 2 << 20, after->d2h_bytes = 5 << 20;
	before->h2d_ops = 7, after->h2d_ops = 8;
	before->d2h_ops = 9, after->d2h_ops = 6;
	before->kernels = 3, after->kernels = 4;
	build_pair();
	const struct xs_diff_phase *phase = &pair.diff.phases[0];
	assert_ptr_equal(phase->before, before);
	assert_ptr_equal(phase->after, after);
	for (size_t i = 0; i < sizeof(told) / sizeof(*told); i++) {
		bool found = false;

		for (size_t k = 0; k < phase->changed_count; k++)
			found |= strcmp(phase->changed[k], told[i]) == 0;
		if (!found)
			fail_msg("not told: %s", told[i]);
	}
}

TEST(phases_match_by_signature_then_kernels)
{
	build_pair();
	assert_string_equal(pair.diff.phases[0].match, "kernels");
	assert_string_equal(pair.diff.phases[1].match, "signature");
}

/* Two candidates have the same signature; the one with the same memory is
 * matched. */
TEST(the_same_memory_is_matched)
{
	pair.after->phases[1] = pair.after->phases[0];
	pair.after->phases[1].id = 2;
	for (size_t i = 0; i < 2; i++)
		pair.after->phases[i].signature_hash =
		    pair.before->phases[0].signature_hash;
	pair.after->phases[1].src_memory = pair.before->phases[0].src_memory;
	pair.after->phases[1].dst_memory = pair.before->phases[0].dst_memory;
	build_pair();
	for (size_t i = 0; i < pair.diff.phase_count; i++)
		if (pair.diff.phases[i].before &&
		    pair.diff.phases[i].before->id == 1)
			assert_int_equal(pair.diff.phases[i].after->id, 2);
}

/* Two candidates have the same kernels; the nearer size is matched. */
TEST(the_nearest_size_is_matched)
{
	pair.after->phases[1] = pair.after->phases[0];
	pair.after->phases[1].id = 2;
	pair.after->phases[0].h2d_bytes *= 4;
	build_pair();
	for (size_t i = 0; i < pair.diff.phase_count; i++)
		if (pair.diff.phases[i].before &&
		    pair.diff.phases[i].before->id == 1)
			assert_int_equal(pair.diff.phases[i].after->id, 2);
}

TEST(what_has_no_pair_is_told)
{
	pair.after->phase_count = 2;
	build_pair();
	assert_int_equal(pair.diff.phase_count, 3);
	char *text = text_of(NAN, false);
	assert_has(text, "only in before");
	free(text);
}

/*
 * after runs phase 1 with 8 streams, chunk by chunk, in 11.9 ms; before said
 * 12 ms (11.76 to 12.24): off by 12 / 11.9 - 1 = 0.84 %.
 */
TEST(a_prediction_is_scored)
{
	build_pair();
	const struct xs_diff_phase *phase = &pair.diff.phases[0];
	assert_non_null(phase->predicted);
	assert_string_equal(phase->predicted->strategy, "streams");
	assert_int_equal(phase->predicted->n_streams, 8);
	assert_string_equal(phase->predicted->order, "depth");
	assert_true(fabs(phase->error_percent - 100 * (12 / 11.9 - 1)) < 1e-6);
	assert_true(phase->within);
	char *text = text_of(NAN, false);
	assert_has(text, "predicted for streams (n=8, depth): 12.0 ms");
	free(text);
}

/* The parts of the run add up to it, and come first. */
TEST(parts_add_up_to_the_run)
{
	pair.after->verdict.startup_ns += 700000000;
	pair.after->verdict.after_ns -= 700000000;
	pair.after->totals.pinned_alloc_ns = 100000000;
	pair.after->totals.pinned_free_ns = 60000000;
	build_pair();
	const char *const names[] = {"afterwards", "start-up", "steady part",
				     "tracing"};
	int64_t sum = 0;

	for (size_t i = 0; i < XS_DIFF_PARTS; i++) {
		assert_string_equal(pair.diff.totals[i].name, names[i]);
		sum += pair.diff.totals[i].change;
	}
	assert_int_equal(sum, pair.diff.wall.change);
	assert_string_equal(pair.diff.parts,
			    "afterwards -2.70 s, start-up +700 ms; of these "
			    "pinning +100 ms, unpinning +60.0 ms");
}

TEST(no_saving_of_the_run_is_scored_for_other_work)
{
	build_pair();
	assert_non_null(pair.diff.saving.text);
	xs_diff_free(&pair.diff);
	pair.after->phases[0].rounds *= 2;
	build_pair();
	assert_null(pair.diff.saving.text);
}

/* The run, too: of 10 s it saves 2 s, or takes 1 s more. */
TEST(the_saving_of_the_run_is_scored)
{
	struct xs_result_phase *phase = &pair.before->phases[0];
	const struct xs_result_estimate *row;
	char *text;

	for (size_t i = 0; i < phase->estimate_count; i++) {
		row = &phase->estimates[i];
		if (row->saves_ns == XS_UNKNOWN)
			continue;
		phase->estimates[i].saves_low_ns = row->saves_ns - 1000000;
		phase->estimates[i].saves_high_ns = row->saves_ns + 1000000;
	}
	build_pair();
	row = pair.diff.phases[0].predicted;
	assert_true(row->saves_ns > 0 && row->saves_ns < 2000000000);
	assert_int_equal(pair.diff.saving.saves_ns, row->saves_ns);
	assert_int_equal(pair.diff.saving.measured_ns, 2000000000);
	assert_false(pair.diff.saving.within);
	xs_diff_free(&pair.diff);
	pair.after->run.wall_ns = pair.before->run.wall_ns - row->saves_ns;
	build_pair();
	assert_true(pair.diff.saving.within);
	xs_diff_free(&pair.diff);
	pair.after->run.wall_ns = 11000000000;
	pair.after->verdict.startup_ns += 3000000000;
	pair.after->verdict.after_ns = 508000000;
	build_pair();
	assert_has(pair.diff.saving.text,
		   "measured: takes 1.00 s more, outside the interval: "
		   "start-up +3.00 s, afterwards -2.00 s.");
	text = text_of(NAN, true);
	assert_has(text, "\"measured_ns\": -1000000000");
	free(text);
	xs_diff_free(&pair.diff);
	pair.before->coverage.imported = "Nsight Systems 2025.3";
	build_pair();
	assert_null(pair.diff.saving.text);
}

TEST(a_loss_of_the_run_is_told_as_one)
{
	struct xs_result_phase *phase = &pair.before->phases[0];

	for (size_t i = 0; i < phase->estimate_count; i++) {
		phase->estimates[i].saves_ns = -5000000;
		phase->estimates[i].saves_low_ns = -7000000;
		phase->estimates[i].saves_high_ns = -4000000;
	}
	build_pair();
	assert_has(pair.diff.saving.text,
		   "predicted: takes 5.00 ms (4.00-7.00 ms) more");
}

/* after launches a graph where before launched its kernels. */
TEST(a_graph_is_recognised)
{
	struct xs_result_phase *before = &pair.before->phases[0];
	struct xs_result_phase *after = &pair.after->phases[0];
	before->estimates[0].strategy = "graph";
	before->estimates[0].model = "replay";
	before->estimates[0].applies = true;
	assert_string_equal(after->sites[1].step, "kernel");
	after->sites[1].call = "cudaGraphLaunch";
	build_pair();
	assert_ptr_equal(pair.diff.phases[0].predicted, &before->estimates[0]);
	before->sites[1].call = "cuGraphLaunch";
	xs_diff_free(&pair.diff);
	build_pair();
	assert_string_equal(pair.diff.phases[0].predicted->strategy, "streams");
}

/* An estimate that does not apply says why. */
TEST(a_missing_prediction_is_explained)
{
	struct xs_result_phase *before = &pair.before->phases[0];
	for (size_t i = 0; i < before->estimate_count; i++) {
		before->estimates[i].applies = false;
		before->estimates[i].why = "no rate is known";
	}
	build_pair();
	assert_null(pair.diff.phases[0].predicted);
	char *text = text_of(NAN, false);
	assert_has(text, "no prediction for streams: no rate is known");
	free(text);
	text = text_of(NAN, true);
	assert_has(text, "\"unpredicted\": \"no prediction for");
	free(text);
}

/* They record from other moments on: their rounds are compared. */
TEST(traces_of_other_tools_have_other_spans)
{
	pair.before->coverage.imported = "Nsight Systems 2025.3";
	build_pair();
	assert_true(isnan(pair.diff.change_percent));
	char *text = text_of(NAN, false);
	assert_has(text, "! recorded by different tools (Nsight Systems 2025.3 "
			 "before, xferspy after)");
	assert_has(text, "\nThe runs are not compared; rounds of a phase are, "
			 "above.\n");
	assert_has_not(text, "-2.00 s");
	free(text);
	xs_diff_free(&pair.diff);
	pair.after->coverage.imported = "Nsight Systems 2025.1";
	build_pair();
	assert_false(isnan(pair.diff.change_percent));
	assert_null(pair.diff.uncompared);
}

TEST(a_part_of_a_run_is_noted)
{
	pair.after->run.ignored_ns = 2000000000;
	pair.before->run.app = "./heat --n 16";
	pair.after->run.app = "/tmp/heat --n 48";
	build_pair();
	char *text = text_of(NAN, false);
	assert_has(text,
		   "! the arguments differ: --n 16 before, --n 48 after\n");
	assert_has(text, ": only 8.00 s of 10.0 s were traced\n");
	assert_has(text, "\nThe runs are not compared; rounds of a phase are, "
			 "above.\n");
	assert_has_not(text, "! before: ");
	assert_false(pair.diff.different);
	assert_int_equal(xs_diff_gate(&pair.diff, 1e6), XS_GATE_UNKNOWN);
	free(text);
	xs_diff_free(&pair.diff);
	/* both programs call cudaProfilerStart() at the same place */
	pair.before->run.range = pair.after->run.range = "profiler";
	build_pair();
	assert_null(pair.diff.uncompared);
	xs_diff_free(&pair.diff);
	/* the other direction */
	pair.before->run.ignored_ns = 2000000000;
	pair.after->run.ignored_ns = 0;
	pair.after->run.range = NULL;
	build_pair();
	assert_non_null(pair.diff.uncompared);
}

TEST(pinning_is_scored_too)
{
	pair.after->phases[0].streams = 1;
	pair.after->phases[0].order = NULL;
	pair.after->phases[0].round_ns = 20000000;
	build_pair();
	for (size_t i = 0; i < pair.diff.phase_count; i++)
		if (pair.diff.phases[i].before->id == 1) {
			assert_string_equal(
			    pair.diff.phases[i].predicted->strategy, "pinned");
			assert_false(pair.diff.phases[i].within);
		}
}

/* As cupy.asarray() copies: the driver sees a copy of pinned memory before and
 * after. A result of 4 bytes stays in pageable memory. */
TEST(pinning_what_the_host_copied_is_scored)
{
	struct xs_result_phase *before = &pair.before->phases[0];
	struct xs_result_phase *after = &pair.after->phases[0];
	after->streams = 1;
	after->order = NULL;
	before->src_memory = after->src_memory = "pinned";
	before->dst_memory = after->dst_memory = "pageable";
	before->d2h_bytes = after->d2h_bytes = 4;
	build_pair();
	assert_null(pair.diff.phases[0].predicted);
	xs_diff_free(&pair.diff);
	before->staged = true;
	build_pair();
	assert_string_equal(pair.diff.phases[0].predicted->strategy, "pinned");
	assert_string_equal(pair.diff.phases[0].changed[0],
			    "source memory pageable -> pinned");
}

/* Four rounds of 80 ms, and 20 ms between them, become one of 200 ms, and 40
 * ms: (200 + 40) / 4 - 20 = 40 ms. */
TEST(rounds_that_became_one_are_scored)
{
	struct xs_result_phase *before = &pair.before->phases[0];
	struct xs_result_phase *after = &pair.after->phases[0];
	before->estimates[0].model = "replay";
	before->estimates[0].strategy = "double-buffer";
	before->estimates[0].applies = true;
	before->estimates[0].round_ns = 44000000;
	before->between_ns = 20000000;
	before->src_memory = before->dst_memory = "pinned";
	after->kernels = 4 * before->kernels;
	after->h2d_bytes = 4 * before->h2d_bytes;
	after->d2h_bytes = 4 * before->d2h_bytes;
	after->round_ns = 200000000;
	after->between_ns = 40000000;
	build_pair();
	assert_ptr_equal(pair.diff.phases[0].predicted, &before->estimates[0]);
	assert_true(fabs(pair.diff.phases[0].error_percent - 10) < 1e-6);
	char *text = text_of(NAN, false);
	assert_has(text, "measured: 40.0 ms");
	free(text);
	xs_diff_free(&pair.diff);
	after->streams = 1;
	build_pair();
	assert_null(pair.diff.phases[0].predicted);
}

/* As JAX puts the next batch while this one is computed: in another order of
 * calls, or on a stream for copies, nothing differs but where the batches go.
 */
TEST(a_second_set_of_buffers_is_scored)
{
	struct xs_result_phase *before = &pair.before->phases[0];
	struct xs_result_phase *after = &pair.after->phases[0];
	before->estimates[0].model = "replay";
	before->estimates[0].strategy = "double-buffer";
	before->estimates[0].applies = true;
	before->src_memory = before->dst_memory = "pinned";
	before->kernels = after->kernels = 1;
	before->h2d_ops = after->h2d_ops = 1;
	before->streams = 1;
	before->in_sets = 1;
	after->in_sets = 2;
	for (after->streams = 1; after->streams <= 2; after->streams++) {
		build_pair();
		assert_ptr_equal(pair.diff.phases[0].predicted,
				 &before->estimates[0]);
		xs_diff_free(&pair.diff);
	}
	/* the pieces of a round */
	after->h2d_ops = 8;
	after->streams = 8;
	build_pair();
	assert_string_equal(pair.diff.phases[0].predicted->strategy, "streams");
	xs_diff_free(&pair.diff);
	after->h2d_ops = 1;
	after->streams = 1;
	before->in_sets = 2;
	build_pair();
	assert_null(pair.diff.phases[0].predicted);
}

/* Different work does not test a prediction. */
TEST(other_sizes_are_not_scored)
{
	pair.after->phases[0].h2d_bytes /= 2;
	build_pair();
	for (size_t i = 0; i < pair.diff.phase_count; i++)
		assert_null(pair.diff.phases[i].predicted);
	xs_diff_free(&pair.diff);
	pair.after->phases[0].h2d_bytes *= 2;
	assert_true(pair.after->phases[0].d2h_bytes > 0);
	pair.after->phases[0].d2h_bytes /= 2;
	build_pair();
	for (size_t i = 0; i < pair.diff.phase_count; i++)
		assert_null(pair.diff.phases[i].predicted);
}

TEST(equal_runs_are_no_gain)
{
	pair.after->run.wall_ns = pair.before->run.wall_ns - 1000;
	build_pair();
	char *text = text_of(NAN, false);
	assert_has(text, ", as fast as before\n");
	assert_has_not(text, "-0.0 %");
	assert_has(text, " 0.0 %");
	assert_has_not(text, "faster");
	free(text);
}

/* The round after took 11.9 ms, 0.9 ms of them for the tracer. Both runs were
 * traced, so their times are compared as recorded. */
TEST(predictions_are_untraced)
{
	pair.after->phases[0].tracer_ns = 900000;
	build_pair();
	const struct xs_diff_phase *phase = &pair.diff.phases[0];
	assert_int_equal(phase->after->round_ns, 11900000);
	assert_true(
	    fabs(phase->error_percent -
		 100 * ((double)phase->predicted->round_ns / 11e6 - 1)) < 1e-9);
	char *text = text_of(NAN, false);
	assert_has(text, "without");
	free(text);
}

TEST(json_says_the_same)
{
	char *text;

	build_pair();
	text = text_of(5, true);
	json_t *root = json_loads(text, 0, NULL);
	assert_non_null(root);
	assert_int_equal(json_integer_value(json_object_get(root, "change_ns")),
			 -2000000000);
	json_t *phase = json_array_get(json_object_get(root, "phases"), 0);
	json_t *prediction = json_object_get(phase, "prediction");
	assert_int_equal(
	    json_integer_value(json_object_get(prediction, "measured_ns")),
	    11900000);
	assert_true(json_is_true(json_object_get(prediction, "within")));
	assert_true(json_is_true(
	    json_object_get(json_object_get(root, "gate"), "passed")));
	json_decref(root);
	free(text);
}

RUN_TESTS(open_pair, close_pair)
