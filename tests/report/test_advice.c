/* SPDX-License-Identifier: MIT */
/* Which advice is given, in which order, with which savings. */
#include "model/strategies/strategies.h"
#include "report/build/advice.h"
#include "report/build/advice_text.h"
#include "report/result/best.h"
#include "report/result/estimate.h"
#include "report/result/site.h"
#include "tests/report/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#define MS 1000000LL

static struct xs_result_estimate *find(struct xs_result_phase *phase,
				       const char *strategy, int64_t n)
{
	for (size_t i = 0; i < phase->estimate_count; i++)
		if (strcmp(phase->estimates[i].strategy, strategy) == 0 &&
		    phase->estimates[i].n_streams == n)
			return &phase->estimates[i];
	fail_msg("no row for %s", strategy);
	return NULL;
}

/* Ranks again after a test changed a row. */
static void rank_again(struct xs_result *result)
{
	result->advice_count = 0;
	assert_int_equal(xs_advice_build(result), 0);
}

/*
 * A run of 10 s with 412 rounds of 16 ms, predicted 12 ms after a setup of
 * 68 ms: it saves 412 * 4 ms - 68 ms = 1580 ms and leaves 8420 ms.
 */
static void whole_run_is_worked_out(void **state)
{
	struct xs_result result = {.run.wall_ns = 10000 * MS};
	struct xs_result_phase phase = {.rounds = 412, .round_ns = 16 * MS};
	struct xs_result_estimate out;
	const struct xs_estimate in = {.strategy = "streams",
				       .model = "replay",
				       .n_streams = 8,
				       .order = XS_ORDER_DEPTH,
				       .effort = XS_EFFORT_SPLIT,
				       .applies = true,
				       .round_ns = 12e6,
				       .low_ns = 11.8e6,
				       .high_ns = 12.2e6,
				       .setup_ns = 68e6,
				       .breakeven_rounds = 17,
				       .assumes = {"one", "two"}};

	(void)state;
	xs_result_set_estimate(&result, &phase, &in, &out);
	assert_int_equal(out.saves_ns, 1580 * MS);
	assert_int_equal(out.app_wall_ns, 8420 * MS);
	assert_true(fabs(out.speedup - 16.0 / 12.0) < 1e-12);
	assert_string_equal(out.order, "depth");
	assert_int_equal(out.assume_count, 2);
	assert_int_equal(out.breakeven_rounds, 17);
	xs_arena_free(&result.arena);
}

static void what_abstains_has_no_numbers(void **state)
{
	struct xs_result result = {.run.wall_ns = 10000 * MS};
	struct xs_result_phase phase = {.rounds = 412, .round_ns = 16 * MS};
	struct xs_result_estimate out;
	const struct xs_estimate in = {.strategy = "mapped",
				       .model = "replay",
				       .why = "no",
				       .round_ns = NAN,
				       .low_ns = NAN,
				       .high_ns = NAN,
				       .setup_ns = NAN,
				       .breakeven_rounds = NAN};

	(void)state;
	xs_result_set_estimate(&result, &phase, &in, &out);
	assert_true(out.round_ns == XS_UNKNOWN);
	assert_true(out.app_wall_ns == XS_UNKNOWN);
	assert_true(out.saves_ns == XS_UNKNOWN);
	assert_true(out.n_streams == XS_UNKNOWN);
	assert_true(out.breakeven_rounds == XS_UNKNOWN);
	assert_true(isnan(out.speedup));
	assert_string_equal(out.why, "no");
	xs_arena_free(&result.arena);
}

/* mapped saves most, but only as an upper bound. */
static void a_bound_is_never_first(void **state)
{
	struct xs_result *result = fixture_result();

	(void)state;
	assert_int_equal(result->advice_count, 4);
	assert_string_equal(result->advice[0].estimate->strategy, "streams");
	assert_string_equal(result->advice[1].estimate->strategy, "pinned");
	assert_string_equal(result->advice[2].estimate->strategy, "mapped");
	assert_true(result->advice[2].estimate->saves_ns >
		    result->advice[0].estimate->saves_ns);
	assert_non_null(strstr(result->advice[2].text, "upper bound"));
	fixture_free(result);
}

/* With counted accesses it is a normal prediction. */
static void a_counted_one_may_be_first(void **state)
{
	struct xs_result *result = fixture_result();

	(void)state;
	find(&result->phases[0], "mapped", XS_UNKNOWN)->bound = NULL;
	rank_again(result);
	assert_string_equal(result->advice[0].estimate->strategy, "mapped");
	fixture_free(result);
}

/* A bound that saves without its condition is ranked by that saving. */
static void a_bound_with_a_floor_is_ranked_by_it(void **state)
{
	struct xs_result *result = fixture_result();
	struct xs_result_estimate *mapped =
	    find(&result->phases[0], "mapped", XS_UNKNOWN);
	const int64_t best_ns = result->advice[0].estimate->saves_ns;

	(void)state;
	mapped->least_saves_ns = best_ns - 1;
	rank_again(result);
	assert_string_equal(result->advice[1].estimate->strategy, "mapped");
	assert_non_null(
	    strstr(result->advice[1].text, "; otherwise it saves "));
	mapped->least_saves_ns = best_ns + 1;
	rank_again(result);
	assert_string_equal(result->advice[0].estimate->strategy, "mapped");
	mapped->least_saves_ns = -1;
	rank_again(result);
	assert_string_equal(result->advice[2].estimate->strategy, "mapped");
	fixture_free(result);
}

static void a_bound_alone_is_no_advice(void **state)
{
	struct xs_result *result = fixture_result();
	struct xs_result_phase *phase = &result->phases[0];

	(void)state;
	for (size_t i = 0; i < phase->estimate_count; i++)
		if (strcmp(phase->estimates[i].strategy, "mapped") != 0)
			phase->estimates[i].applies = false;
	rank_again(result);
	for (size_t i = 0; i < result->advice_count; i++)
		assert_string_not_equal(result->advice[i].estimate->strategy,
					"mapped");
	fixture_free(result);
}

static void a_saving_within_the_noise_is_none(void **state)
{
	struct xs_result *result = fixture_result();
	struct xs_result_phase *phase = &result->phases[0];

	(void)state;
	find(phase, "pinned", XS_UNKNOWN)->high_ns = phase->round_ns;
	rank_again(result);
	for (size_t i = 0; i < result->advice_count; i++)
		assert_false(result->advice[i].phase == phase &&
			     strcmp(result->advice[i].estimate->strategy,
				    "pinned") == 0);
	fixture_free(result);
}

/* The interval of a bound is wider than its time without the condition. */
static void a_bound_is_sure_where_it_saves_without(void **state)
{
	struct xs_result *result = fixture_result();
	struct xs_result_phase *phase = &result->phases[0];
	struct xs_result_estimate *mapped = find(phase, "mapped", XS_UNKNOWN);

	(void)state;
	mapped->high_ns = 2 * phase->round_ns;
	mapped->otherwise_ns = phase->round_ns - 1;
	assert_ptr_equal(xs_result_best(phase, "mapped", true), mapped);
	mapped->otherwise_ns = phase->round_ns;
	assert_null(xs_result_best(phase, "mapped", true));
	fixture_free(result);
}

static void equations_are_not_advised(void **state)
{
	struct xs_result *result = fixture_result();

	(void)state;
	for (size_t i = 0; i < result->advice_count; i++)
		assert_string_equal(result->advice[i].estimate->model,
				    "replay");
	fixture_free(result);
}

/* 3 rounds gain 20 ms each, pinning costs 200 ms: 10 rounds are needed. */
static void what_does_not_pay_is_last_and_says_when(void **state)
{
	struct xs_result *result = fixture_result();
	const struct xs_result_advice *last = &result->advice[3];

	(void)state;
	assert_int_equal(last->phase->id, 2);
	assert_int_equal(last->estimate->saves_ns, 3 * 20 * MS - 200 * MS);
	assert_non_null(strstr(last->text, "only after 10 rounds"));
	assert_non_null(strstr(last->text, "this run has 3"));
	fixture_free(result);
}

/* 12.05 ms with 4 streams are within 1 % of 12 ms with 8. */
static void few_streams_are_preferred(void **state)
{
	struct xs_result *result = fixture_result();
	struct xs_result_phase *phase = &result->phases[0];
	struct xs_result_estimate *two = find(phase, "streams", 2);

	(void)state;
	assert_int_equal(xs_result_best(phase, "streams", true)->n_streams, 8);
	two->round_ns = 12050000;
	two->high_ns = 12100000;
	assert_int_equal(xs_result_best(phase, "streams", true)->n_streams, 2);
	two->round_ns = 12130000;
	assert_int_equal(xs_result_best(phase, "streams", true)->n_streams, 8);
	assert_null(xs_result_best(phase, "hybrid", false));
	fixture_free(result);
}

/* 8 are 4 % faster than 2 if their bound holds; what they lose otherwise, in
 * ms: 13 against 13, against 12.8, and against 12.4. */
static void a_bound_is_weighed_against_what_it_is_otherwise(void **state)
{
	struct xs_result *result = fixture_result();
	struct xs_result_phase *phase = &result->phases[0];
	struct xs_result_estimate *two = find(phase, "streams", 2);
	struct xs_result_estimate *eight = find(phase, "streams", 8);

	(void)state;
	eight[1].applies = false; /* stage by stage */
	two->bound = eight->bound = "held";
	eight->otherwise_ns = 13 * MS;
	two->otherwise_ns = 13 * MS;
	assert_ptr_equal(xs_result_best(phase, "streams", true), eight);
	two->otherwise_ns = 128 * MS / 10;
	assert_ptr_equal(xs_result_best(phase, "streams", true), eight);
	two->otherwise_ns = 124 * MS / 10;
	assert_ptr_equal(xs_result_best(phase, "streams", true), two);
	fixture_free(result);
}

static void advice_names_places_and_shares(void **state)
{
	struct xs_result *result = fixture_result();
	const struct xs_result_advice *first = &result->advice[0];

	(void)state;
	assert_int_equal(first->rank, 1);
	assert_true(fabs(first->saves_percent - 15.8) < 1e-9);
	assert_non_null(strstr(first->text, "main.cu:88, main.cu:91 (step)"));
	assert_non_null(strstr(first->text, "17 of 412 rounds"));
	assert_int_equal(first->site_count, 3);
	/* pinning concerns the copies only */
	assert_int_equal(result->advice[1].site_count, 2);
	fixture_free(result);
}

/* Each strategy has its own sentence. */
static void each_strategy_has_its_sentence(void **state)
{
	static const char *const ids[] = {"pinned", "streams",	"double-buffer",
					  "batch",  "resident", "async",
					  "mapped", "hybrid"};
	struct xs_result *result = fixture_result();

	(void)state;
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		struct xs_result_estimate row = {.strategy = ids[i],
						 .n_streams = 8};
		const char *text =
		    xs_advice_text(&result->arena, &result->phases[0], &row);

		assert_non_null(strstr(text, "main.cu:88"));
		assert_true(strncmp(text, "Use ", 4) != 0);
	}
	fixture_free(result);
}

/* Advice on allocations names the lines that allocate, not those that copy. */
static void allocations_have_their_own_places(void **state)
{
	struct xs_result *result = fixture_result();
	const struct xs_result_estimate row = {.strategy = "reuse",
					       .why = "because"};
	const char *text;

	(void)state;
	result->phases[0].sites[0].step = "allocate";
	text = xs_advice_text(&result->arena, &result->phases[0], &row);
	assert_non_null(strstr(text, "main.cu:88"));
	assert_null(strstr(text, "main.cu:91"));
	assert_non_null(strstr(text, "because"));
	fixture_free(result);
}

/* A line is enough; without one the label has the function and the address. */
static void places_are_named_by_what_is_known(void **state)
{
	static const struct {
		struct xs_result_site site;
		const char *label;
	} cases[] = {
	    {{.file = "/src/a.cu", .line = 8, .function = "up", .call = "copy"},
	     "a.cu:8"},
	    {{.module = "/bin/app",
	      .offset = 0x1f3c,
	      .function = "up(float*)",
	      .call = "copy"},
	     "copy in up (app+0x1f3c)"},
	    {{.module = "/bin/app", .offset = 0x1f3c, .call = "copy"},
	     "copy in app+0x1f3c"},
	    {{.function = "(anonymous namespace)::up<int>(int*)"},
	     "a call in (anonymous namespace)::up"},
	    {{.function = "<module>", .call = "copy"}, "copy in <module>"},
	    {{.function = "a_name_that_is_too_long_for_a_line_of_text()"},
	     "a call in a_name_that_is_too_long_for_a_line_of..."},
	    {{.call = "copy"}, "copy"},
	    {{.call = NULL}, "an unknown call"},
	};
	struct xs_arena arena = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct xs_result_site site = cases[i].site;

		if (!site.file)
			site.line = XS_UNKNOWN;
		assert_string_equal(xs_result_site_label(&arena, &site),
				    cases[i].label);
	}
	xs_arena_free(&arena);
}

static void a_place_is_a_line_or_an_address(void **state)
{
	const struct xs_result_site line = {.file = "a.cu",
					    .line = 8,
					    .module = "app",
					    .offset = 16,
					    .call = "copy",
					    .step = "h2d"};
	const struct xs_result_site address = {.line = XS_UNKNOWN,
					       .module = "app",
					       .offset = 16,
					       .call = "copy",
					       .step = "h2d"};
	struct xs_result_site other = line;

	(void)state;
	other.offset = 32;
	assert_true(xs_result_same_place(&line, &other));
	other.step = "d2h";
	assert_false(xs_result_same_place(&line, &other));
	assert_false(xs_result_same_place(&line, &address));
	other = address;
	assert_true(xs_result_same_place(&address, &other));
	other.offset = 32;
	assert_false(xs_result_same_place(&address, &other));
	other = address;
	other.module = "library";
	assert_false(xs_result_same_place(&address, &other));
	other.module = NULL; /* an unknown place equals no other */
	assert_false(xs_result_same_place(&other, &other));
}

/* The report knows each {name} that a strategy's advice has. */
static void advice_has_no_unknown_names(void **state)
{
	struct xs_arena arena = {0};
	const struct xs_result_phase phase = {.rounds = 1};

	(void)state;
	for (size_t i = 0; i < xs_strategy_count; i++) {
		struct xs_result_estimate row = {
		    .strategy = xs_strategies[i]->id, .why = "measured"};
		const char *text = xs_advice_text(&arena, &phase, &row);

		assert_non_null(text);
		assert_null(strchr(text, '{'));
		row.why = NULL;
		text = xs_advice_text(&arena, &phase, &row);
		assert_non_null(text);
		assert_null(strchr(text, '{'));
	}
	xs_arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(whole_run_is_worked_out),
	    cmocka_unit_test(what_abstains_has_no_numbers),
	    cmocka_unit_test(a_bound_is_never_first),
	    cmocka_unit_test(a_counted_one_may_be_first),
	    cmocka_unit_test(a_bound_with_a_floor_is_ranked_by_it),
	    cmocka_unit_test(a_bound_alone_is_no_advice),
	    cmocka_unit_test(each_strategy_has_its_sentence),
	    cmocka_unit_test(allocations_have_their_own_places),
	    cmocka_unit_test(a_saving_within_the_noise_is_none),
	    cmocka_unit_test(a_bound_is_sure_where_it_saves_without),
	    cmocka_unit_test(equations_are_not_advised),
	    cmocka_unit_test(what_does_not_pay_is_last_and_says_when),
	    cmocka_unit_test(few_streams_are_preferred),
	    cmocka_unit_test(a_bound_is_weighed_against_what_it_is_otherwise),
	    cmocka_unit_test(advice_names_places_and_shares),
	    cmocka_unit_test(places_are_named_by_what_is_known),
	    cmocka_unit_test(a_place_is_a_line_or_an_address),
	    cmocka_unit_test(advice_has_no_unknown_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
