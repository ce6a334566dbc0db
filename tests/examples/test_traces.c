/* SPDX-License-Identifier: MIT */
/* Checks the traces recorded on an H200 by examples/validate/measure.sh: they
 * contain what the programs are known to move. recorded.sh checks the
 * predictions from them. */
#include "tests/report/program.h"
#include "tests/unit.h"

#include <jansson.h>
#include <stdio.h>

#define STENCIL_BYTES  536870912 /* 512^3 ints */
#define STENCIL_ROUNDS 11	 /* 10, and one warm-up */
#define VECADD_BYTES   40000000	 /* 10,000,000 floats */
#define VECADD_ROUNDS  11
#define TENSOR_BYTES   1048576 /* 262,144 floats */
#define TENSORS	       40

static json_t *report_of(const char *trace)
{
	char arguments[512];
	struct program program;
	json_error_t error;
	json_t *report;

	snprintf(arguments, sizeof(arguments),
		 "report %s/examples/traces/%s.xspy --machine "
		 "%s/examples/validate/results/h200-machine.json --format json",
		 XS_SOURCE_DIR, trace, XS_SOURCE_DIR);
	program = program_run(arguments);
	assert_int_equal(program.code, 0);
	report = json_loads(program.out, 0, &error);
	if (!report)
		fail_msg("%s: %s", trace, error.text);
	program_free(&program);
	return report;
}

static long long number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_integer(value))
		fail_msg("%s is not an integer", key);
	return json_integer_value(value);
}

struct known {
	const char *trace;
	long long rounds, h2d_bytes, d2h_bytes, h2d_ops, d2h_ops, sets;
};

/* Each round copies in, computes and copies out; the set-up sets the device's
 * buffers once. */
static const struct known known[] = {
    {"stencil-512-pageable", STENCIL_ROUNDS, STENCIL_BYTES, STENCIL_BYTES, 1, 1,
     2},
    {"stencil-512-pageable-static", STENCIL_ROUNDS, STENCIL_BYTES,
     STENCIL_BYTES, 1, 1, 2},
    {"stencil-512-pinned", STENCIL_ROUNDS, STENCIL_BYTES, STENCIL_BYTES, 1, 1,
     2},
    {"vecadd-10000000-pageable", VECADD_ROUNDS, 2 * VECADD_BYTES, VECADD_BYTES,
     2, 1, 3},
    {"vecadd-10000000-pinned", VECADD_ROUNDS, 2 * VECADD_BYTES, VECADD_BYTES, 2,
     1, 3},
    {"tensors-40", 1, TENSORS *TENSOR_BYTES, TENSORS *TENSOR_BYTES, TENSORS,
     TENSORS, 0},
};

TEST(traces_hold_what_the_programs_move)
{

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const struct known *k = &known[i];
		json_t *report = report_of(k->trace);
		const json_t *totals = json_object_get(report, "totals");
		const json_t *coverage = json_object_get(report, "coverage");
		const json_t *phase =
		    json_array_get(json_object_get(report, "phases"), 0);
		long long kernels = k->rounds * (k->h2d_ops > 2 ? TENSORS : 1);

		assert_int_equal(number(phase, "rounds"), k->rounds);
		assert_int_equal(number(phase, "h2d_bytes"), k->h2d_bytes);
		assert_int_equal(number(phase, "d2h_bytes"), k->d2h_bytes);
		assert_int_equal(number(phase, "h2d_ops"), k->h2d_ops);
		assert_int_equal(number(phase, "d2h_ops"), k->d2h_ops);
		assert_int_equal(number(totals, "h2d_bytes"),
				 k->rounds * k->h2d_bytes);
		assert_int_equal(number(totals, "d2h_bytes"),
				 k->rounds * k->d2h_bytes);
		assert_int_equal(number(coverage, "gpu_ops_seen"),
				 k->rounds * (k->h2d_ops + k->d2h_ops) +
				     kernels + k->sets);
		assert_int_equal(number(coverage, "matched"),
				 number(coverage, "gpu_ops_seen"));
		assert_int_equal(number(coverage, "lost"), 0);
		json_decref(report);
	}
}

/* The source line of each copy in a trace. */
TEST(static_and_shared_name_the_same_lines)
{
	json_t *reports[2] = {report_of("stencil-512-pageable"),
			      report_of("stencil-512-pageable-static")};
	json_t *sites[2];

	for (int i = 0; i < 2; i++)
		sites[i] = json_object_get(
		    json_array_get(json_object_get(reports[i], "phases"), 0),
		    "sites");
	assert_true(json_array_size(sites[0]) >= 3);
	assert_int_equal(json_array_size(sites[0]), json_array_size(sites[1]));
	for (size_t i = 0; i < json_array_size(sites[0]); i++) {
		const json_t *a = json_array_get(sites[0], i);
		const json_t *b = json_array_get(sites[1], i);

		assert_non_null(json_string_value(json_object_get(a, "file")));
		assert_true(json_equal(json_object_get(a, "file"),
				       json_object_get(b, "file")));
		assert_int_equal(number(a, "line"), number(b, "line"));
		assert_int_equal(number(a, "bytes"), number(b, "bytes"));
	}
	json_decref(reports[0]);
	json_decref(reports[1]);
}
