/* SPDX-License-Identifier: MIT */
/* The JSON report has every documented key, and null for unknown. */
#include "report/render/renderer.h"
#include "report/result/columns.h"
#include "tests/report/fixture.h"
#include "tests/unit.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static struct xs_result *result;

FIXTURE(set_up)
{
	result = fixture_result();
	return 0;
}

FIXTURE(tear_down)
{
	xs_result_free(result);
	return 0;
}

static json_t *parse(void)
{
	char *text = fixture_json(result);
	json_t *root = json_loads(text, 0, NULL);

	assert_non_null(root);
	free(text);
	return root;
}

/* keys: separated by blanks; those ending in _ns or _bytes are integers or
 * null. */
static void has_keys(const json_t *object, const char *keys)
{
	char *list = strdup(keys), *rest = NULL;

	for (char *key = strtok_r(list, " ", &rest); key;
	     key = strtok_r(NULL, " ", &rest))
		if (!json_object_get(object, key))
			fail_msg("no key '%s'", key);
	free(list);
}

static void numbers_are_whole(json_t *object)
{
	const char *key;
	json_t *value;

	json_object_foreach(object, key, value)
	{
		size_t length = strlen(key);

		if (length > 3 && strcmp(key + length - 3, "_ns") == 0 &&
		    !json_is_integer(value) && !json_is_null(value))
			fail_msg("'%s' is no integer", key);
	}
}

static void the_run_has_every_key(json_t *root)
{
	has_keys(root, "schema trace coverage machine totals waits phases "
		       "verdict plan no_step question question_code");
	assert_int_equal(json_integer_value(json_object_get(root, "schema")),
			 1);
	has_keys(json_object_get(root, "trace"),
		 "app host pid started_utc wall_ns devices cupti_version "
		 "driver_version max_connections max_copy_connections");
	has_keys(json_object_get(root, "coverage"),
		 "api_calls_seen gpu_ops_seen matched lost untimed mode rung "
		 "gaps notes calls ops driver_calls early_ops cudarts remarks "
		 "graphs_as_one graphs_by_node graphs_unknown");
	has_keys(json_object_get(root, "machine"), "name source");
	has_keys(
	    json_object_get(root, "totals"),
	    "h2d_bytes d2h_bytes h2d_ns d2h_ns kernel_ns gpu_busy_ns "
	    "overlap_ns host_blocked_ns pinned_alloc_ns init_ns init_at_most "
	    "d2d_bytes d2d_ops d2d_ns p2p_bytes p2p_ops p2p_ns");
	has_keys(json_array_get(json_object_get(root, "device_totals"), 0),
		 "index h2d_bytes d2h_bytes p2p_bytes h2d_ops d2h_ops p2p_ops "
		 "kernels h2d_ns d2h_ns p2p_ns kernel_ns busy_ns overlap_ns");
	assert_true(json_is_array(json_object_get(root, "gpu_links")));
}

TEST(every_key_is_there)
{
	json_t *root = parse();
	json_t *phase = json_array_get(json_object_get(root, "phases"), 0);
	json_t *row = json_array_get(json_object_get(phase, "estimates"), 0);
	json_t *wait = json_array_get(json_object_get(root, "waits"), 1);

	the_run_has_every_key(root);
	has_keys(wait, "function file line call kind hidden pageable calls "
		       "gpu_calls bytes waited_ns own_ns h2d_ns kernel_ns "
		       "d2h_ns other_ns latency_ns host_ns minor_faults "
		       "major_faults touched_bytes touched_ns text");
	has_keys(phase,
		 "id rounds signature device beside_ns h2d_bytes d2h_bytes "
		 "h2d_ops d2h_ops kernels round_ns between_ns h2d_ns kernel_ns "
		 "d2h_ns src_memory dst_memory sites estimates");
	has_keys(json_array_get(json_object_get(phase, "sites"), 0),
		 "function file line calls bytes");
	has_keys(row, "strategy n_streams order model round_ns low_ns high_ns "
		      "speedup app_wall_ns applies why assumes "
		      "breakeven_rounds between_ns needs new_memory_ns");
	has_keys(json_object_get(root, "verdict"),
		 "known repeats startup_ns steady_ns recorded_ns gpu_ns bounds "
		 "at_most_saves_ns host_place text");
	has_keys(
	    json_array_get(json_object_get(root, "plan"), 0),
	    "step phase strategy n_streams order adds_saves_ns saves_low_ns "
	    "saves_high_ns round_before_ns round_ns app_wall_ns low_ns high_ns "
	    "effort effort_level condition assumes text code sites");
	numbers_are_whole(json_object_get(root, "totals"));
	numbers_are_whole(wait);
	numbers_are_whole(phase);
	numbers_are_whole(row);
	json_decref(root);
}

TEST(unknown_is_null)
{
	json_t *root, *row;

	result->totals.kernel_ns = XS_UNKNOWN;
	root = parse();
	assert_true(json_is_null(
	    json_object_get(json_object_get(root, "totals"), "kernel_ns")));
	assert_true(json_is_null(
	    json_object_get(json_object_get(root, "trace"), "driver_version")));
	assert_true(json_is_null(json_object_get(json_object_get(root, "trace"),
						 "max_connections")));
	/* the last row of phase 1 abstains */
	row = json_array_get(
	    json_object_get(json_array_get(json_object_get(root, "phases"), 0),
			    "estimates"),
	    7);
	assert_true(json_is_false(json_object_get(row, "applies")));
	assert_true(json_is_null(json_object_get(row, "round_ns")));
	assert_true(json_is_null(json_object_get(row, "speedup")));
	assert_true(json_is_null(json_object_get(row, "n_streams")));
	assert_true(json_is_string(json_object_get(row, "why")));
	json_decref(root);
}

TEST(several_traces_are_an_array)
{
	struct xs_result *results[] = {fixture_result(), fixture_after()};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(xs_renderer_find("json", XS_RENDER_REPORT)
			     ->report(results, 2, NULL, out),
			 0);
	fclose(out);
	json_t *root = json_loads(text, 0, NULL);
	assert_int_equal(json_array_size(root), 2);
	json_decref(root);
	free(text);
	xs_result_free(results[0]);
	xs_result_free(results[1]);
}

/* Names in a damaged trace may be any bytes. */
TEST(bytes_that_are_not_utf8_are_written)
{
	result->run.app = "/bin/\xff\xfe \"x\"";
	json_t *root = parse();
	assert_string_equal(json_string_value(json_object_get(
				json_object_get(root, "trace"), "app")),
			    "/bin/?? \"x\"");
	json_decref(root);
}

/* A CSV row has as many fields as the heading has names. */
TEST(csv_has_a_row_an_estimate)
{
	char *text = NULL;
	size_t size = 0, lines = 0, commas = 0;
	FILE *out = open_memstream(&text, &size);

	result->phases[0].estimates[7].why = "a, \"b\"";
	assert_int_equal(xs_renderer_find("csv", XS_RENDER_REPORT)
			     ->report(&result, 1, NULL, out),
			 0);
	fclose(out);
	for (const char *at = text; *at; at++)
		lines += *at == '\n';
	for (const char *at = text; *at != '\n'; at++)
		commas += *at == ',';
	assert_int_equal(lines, 1 + 8 + 4 + 1);
	assert_int_equal(commas, 2 + xs_estimate_column_count);
	assert_has(text, "before.xspy,1,412,as-is,,,replay,16000000,15680000,"
			 "16320000,1.0000,");
	assert_has(text, ",\"a, \"\"b\"\"\",false,,,,,0,0,0,0,0,,0,0\n");
	free(text);
}

RUN_TESTS(set_up, tear_down)
