/* SPDX-License-Identifier: MIT */
#include "tests/unit.h"

#include "preload/trace_name.h"
#include "preload/util/config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

TEST(pattern_is_expanded)
{
	char path[256], host[128] = "", expected[300];

	setenv("OMPI_COMM_WORLD_RANK", "7", 1);
	gethostname(host, sizeof(host) - 1);
	assert_int_equal(
	    xs_trace_name_expand("/t/%p-%r.%h%%%z%", 42, path, sizeof(path)),
	    0);
	snprintf(expected, sizeof(expected), "/t/42-7.%s%%%%z%%", host);
	assert_string_equal(path, expected);
	unsetenv("OMPI_COMM_WORLD_RANK");
}

TEST(default_names_host_and_pid)
{
	char path[256], host[128] = "", expected[300];

	gethostname(host, sizeof(host) - 1);
	snprintf(expected, sizeof(expected), "xferspy.%s.9.xspy", host);
	assert_int_equal(xs_trace_name_expand(NULL, 9, path, sizeof(path)), 0);
	assert_string_equal(path, expected);
	assert_int_equal(xs_trace_name_expand("", 9, path, sizeof(path)), 0);
	assert_string_equal(path, expected);
	/* in a folder, with and without a slash */
	snprintf(expected, sizeof(expected), "/tmp/xferspy.%s.9.xspy", host);
	assert_int_equal(xs_trace_name_expand("/tmp", 9, path, sizeof(path)),
			 0);
	assert_string_equal(path, expected);
	assert_int_equal(xs_trace_name_expand("/tmp/", 9, path, sizeof(path)),
			 0);
	assert_string_equal(path, expected);
}

TEST(overlong_path_is_refused)
{
	char path[8] = "";

	assert_int_equal(xs_trace_name_expand("1234567", 1, path, 8), 0);
	assert_string_equal(path, "1234567");
	assert_int_equal(xs_trace_name_expand("12345678", 1, path, 8),
			 -ENAMETOOLONG);
	assert_int_equal(xs_trace_name_expand("12345%p", 123, path, 8),
			 -ENAMETOOLONG);
}

static const char *const launchers[][4] = {
    {"RANK", "WORLD_SIZE", "LOCAL_RANK", "TORCHELASTIC_RUN_ID"},
    {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_STEP_ID", "SLURM_JOB_ID"},
    {"PMIX_RANK", "SLURM_NTASKS", "", "PMIX_NAMESPACE"},
    {"PMI_RANK", "PMI_SIZE", "SLURM_STEP_ID", "SLURM_JOB_ID"},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "", ""},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "", "PMIX_NAMESPACE"},
};

static void unset_launchers(void)
{
	for (size_t i = 0; i < sizeof(launchers) / sizeof(*launchers); i++)
		for (size_t k = 0; k < 4; k++)
			unsetenv(launchers[i][k]);
}

TEST(rank_comes_from_any_launcher)
{
	const size_t count = sizeof(launchers) / sizeof(*launchers);

	unset_launchers();
	assert_string_equal(xs_trace_name_launcher().rank, "0");
	assert_null(xs_trace_name_launcher().ranks);
	for (size_t i = 0; i < count; i++) {
		const char rank[] = {(char)('1' + i), '\0'};
		const char size[] = {(char)('2' + i), '\0'};

		unsetenv(launchers[i][1]);
		setenv(launchers[i][0], rank, 1);
		assert_string_equal(xs_trace_name_launcher().rank, rank);
		assert_null(xs_trace_name_launcher().ranks);
		setenv(launchers[i][1], size, 1);
		assert_string_equal(xs_trace_name_launcher().rank, rank);
		assert_string_equal(xs_trace_name_launcher().ranks, size);
	}
	/* what is no number is of no launcher */
	setenv(launchers[count - 1][0], "../3", 1);
	assert_string_equal(xs_trace_name_launcher().rank, "5");
	setenv(launchers[count - 1][0], "6", 1);
	/* torchrun or DeepSpeed, started once a node */
	setenv("LOCAL_RANK", "0", 1);
	assert_string_equal(xs_trace_name_launcher().rank, "1");
	assert_string_equal(xs_trace_name_launcher().ranks, "2");
	unset_launchers();
}

/* Only a step of Slurm's own is told apart: mpiexec may have one on each node.
 */
TEST(a_job_comes_from_its_launcher)
{
	for (size_t i = 0; i < sizeof(launchers) / sizeof(*launchers); i++) {
		const bool is_step =
		    strcmp(launchers[i][0], "SLURM_PROCID") == 0;

		unset_launchers();
		setenv(launchers[i][0], "1", 1);
		assert_string_equal(xs_trace_name_launcher().job, "");
		for (size_t k = 2; k < 4; k++)
			setenv(launchers[i][k], "7", 1); /* "" fails */
		assert_string_equal(xs_trace_name_launcher().job,
				    launchers[i][3][0] ? "7" : "");
		assert_string_equal(xs_trace_name_launcher().step,
				    is_step ? "7" : "");
		setenv(launchers[i][3], "none", 1);
		assert_string_equal(xs_trace_name_launcher().job, "");
	}
	unset_launchers();
}

/* A list that is not valid leaves rank 0 alone. */
TEST(ranks_are_chosen)
{
	static const struct {
		const char *list, *rank;
		bool off;
	} cases[] = {
	    {"0,7,64-71", "0", false},	{"0,7,64-71", "1", true},
	    {"0,7,64-71", "7", false},	{"0,7,64-71", "63", true},
	    {"0,7,64-71", "64", false}, {"0,7,64-71", "71", false},
	    {"0,7,64-71", "72", true},	{"71-64", "65", true},
	    {"71-64", "0", false},	{"", "5", false},
	    {"5,", "5", true},		{"5-", "5", true},
	    {"all", "5", true},		{"all", "0", false},
	    {"5 6", "5", true},		{"-5", "5", true},
	    {"0, 5", "5", false},	{"0 ,5 ", "5", false},
	    {"0, 5", "6", true},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		setenv("XFERSPY_RANKS", cases[i].list, 1);
		setenv("PMI_RANK", cases[i].rank, 1);
		assert_int_equal(xs_config_is_off(), cases[i].off);
	}
	unsetenv("PMI_RANK");
	setenv("XFERSPY_RANKS", "1", 1); /* without a launcher it is 0 */
	assert_true(xs_config_is_off());
	unsetenv("XFERSPY_RANKS");
	assert_false(xs_config_is_off());
}

TEST(modes)
{
	unsetenv("XFERSPY_MODE");
	assert_int_equal(xs_config_mode(), XS_MODE_TRACE);
	setenv("XFERSPY_MODE", "off", 1);
	assert_int_equal(xs_config_mode(), XS_MODE_OFF);
	setenv("XFERSPY_MODE", "events", 1);
	assert_int_equal(xs_config_mode(), XS_MODE_EVENTS);
	setenv("XFERSPY_MODE", "calls", 1);
	assert_int_equal(xs_config_mode(), XS_MODE_CALLS);
	setenv("XFERSPY_MODE", "counters", 1);
	assert_int_equal(xs_config_mode(), XS_MODE_COUNTERS);
	assert_string_equal(xs_config_mode_name(XS_MODE_COUNTERS), "counters");
	setenv("XFERSPY_MODE", "of", 1);
	assert_int_equal(xs_config_mode(), XS_MODE_TRACE);
	unsetenv("XFERSPY_MODE");
}

TEST(graphs)
{
	unsetenv("XFERSPY_GRAPHS");
	assert_false(xs_config_graphs_by_node());
	setenv("XFERSPY_GRAPHS", "nodes", 1);
	assert_true(xs_config_graphs_by_node());
	setenv("XFERSPY_GRAPHS", "launch", 1);
	assert_false(xs_config_graphs_by_node());
	setenv("XFERSPY_GRAPHS", "node", 1);
	assert_false(xs_config_graphs_by_node());
	unsetenv("XFERSPY_GRAPHS");
}

static void expect_size(const char *text, uint64_t bytes)
{
	setenv("XFERSPY_MAX_SIZE", text, 1);
	assert_int_equal(xs_config_max_bytes(), bytes);
}

TEST(sizes)
{
	unsetenv("XFERSPY_MAX_SIZE");
	assert_int_equal(xs_config_max_bytes(), 0);
	expect_size("2097152", 2097152);
	expect_size("64M", 64u << 20);
	expect_size("3000K", 3000u << 10);
	expect_size("1G", 1u << 30);
	expect_size("2097151", 0);
	expect_size("4", 0);
	expect_size("4X", 0);
	expect_size("4MB", 0);
	expect_size("-4M", 0);
	expect_size("M", 0);
	expect_size("99999999999999999999G", 0);
	unsetenv("XFERSPY_MAX_SIZE");
}

static void expect_range(const char *text, enum xs_range_kind kind,
			 uint64_t from_ns, uint64_t for_ns)
{
	setenv("XFERSPY_RANGE", text, 1);
	struct xs_config_range range = xs_config_range();
	assert_int_equal(range.kind, kind);
	assert_int_equal(range.from_ns, from_ns);
	assert_int_equal(range.for_ns, for_ns);
	assert_string_equal(range.text, text);
}

TEST(ranges)
{
	static const char *const wrong[] = {"x",  "1+",	   "1+2+3",
					    "-1", "1e300", "nan"};

	unsetenv("XFERSPY_RANGE");
	assert_int_equal(xs_config_range().kind, XS_RANGE_ALL);
	expect_range("profiler", XS_RANGE_PROFILER, 0, UINT64_MAX);
	expect_range("signal", XS_RANGE_SIGNAL, 0, UINT64_MAX);
	expect_range("10", XS_RANGE_TIMED, 10000000000u, UINT64_MAX);
	expect_range("0.5+2.25", XS_RANGE_TIMED, 500000000u, 2250000000u);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		setenv("XFERSPY_RANGE", wrong[i], 1);
		assert_int_equal(xs_config_range().kind, XS_RANGE_ALL);
	}
	unsetenv("XFERSPY_RANGE");
}

TEST(dataflow)
{
	unsetenv("XFERSPY_DATAFLOW");
	assert_int_equal(xs_config_dataflow(), XS_DATAFLOW_SAMPLE);
	setenv("XFERSPY_DATAFLOW", "sample", 1);
	assert_int_equal(xs_config_dataflow(), XS_DATAFLOW_SAMPLE);
	setenv("XFERSPY_DATAFLOW", "all", 1);
	assert_int_equal(xs_config_dataflow(), XS_DATAFLOW_ALL);
	setenv("XFERSPY_DATAFLOW", "off", 1);
	assert_int_equal(xs_config_dataflow(), XS_DATAFLOW_OFF);
	setenv("XFERSPY_DATAFLOW", "some", 1);
	assert_int_equal(xs_config_dataflow(), XS_DATAFLOW_SAMPLE);
	unsetenv("XFERSPY_DATAFLOW");
}

TEST(hashes)
{
	unsetenv("XFERSPY_HASH");
	assert_int_equal(xs_config_hash(), XS_HASH_OFF);
	setenv("XFERSPY_HASH", "1", 1);
	assert_int_equal(xs_config_hash(), XS_HASH_SAMPLED);
	setenv("XFERSPY_HASH", "full", 1);
	assert_int_equal(xs_config_hash(), XS_HASH_FULL);
	setenv("XFERSPY_HASH", "2", 1);
	assert_int_equal(xs_config_hash(), XS_HASH_OFF);
	unsetenv("XFERSPY_HASH");
}

TEST(stack_is_bounded)
{
	static const struct {
		const char *text;
		unsigned frames;
		bool hooked;
	} cases[] = {
	    {"", 8, false},	{"off", 0, false},	{"0", 0, false},
	    {"leaf", 1, false}, {"1", 1, false},	{"2", 2, true},
	    {"64", 64, true},	{"65", 8, false},	{"-1", 8, false},
	    {"Leaf", 8, false}, {"8 frames", 8, false},
	};

	unsetenv("XFERSPY_STACK");
	assert_int_equal(xs_config_stack().frames, 8);
	assert_false(xs_config_stack().hooked);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		setenv("XFERSPY_STACK", cases[i].text, 1);
		assert_int_equal(xs_config_stack().frames, cases[i].frames);
		assert_int_equal(xs_config_stack().hooked, cases[i].hooked);
	}
	unsetenv("XFERSPY_STACK");
}

static char wrong_text[64]; /* the last wrong variable */
static bool wrong_is_known;
static size_t wrong_count;

static void note_wrong(const char *assignment,
		       const struct xs_config_variable *variable)
{
	snprintf(wrong_text, sizeof(wrong_text), "%s", assignment);
	wrong_is_known = variable != NULL;
	if (variable) {
		assert_non_null(variable->values);
		assert_non_null(variable->otherwise);
	}
	wrong_count++;
}

static const struct {
	const char *name, *value;
	bool is_wrong, is_known;
} cases[] = {
    {"XFERSPY_MODE", "fast", true, true},
    {"XFERSPY_MODE", "", false, true},
    {"XFERSPY_MODE", "off", false, true},
    {"XFERSPY_MODES", "light", true, false},
    {"XFERSPY_MODES", "", true, false},
    {"XFERSPY_MOD", "light", true, false},
    {"XFERSPY_", "x", true, false},
    {"XFERSP", "x", false, false},
    {"XFERSPY_HASH", "2", true, true},
    {"XFERSPY_HASH", "0", false, true},
    {"XFERSPY_HASH", "full", false, true},
    {"XFERSPY_DATAFLOW", "1", true, true},
    {"XFERSPY_DATAFLOW", "sample", false, true},
    {"XFERSPY_RANGE", "1+", true, true},
    {"XFERSPY_RANGE", "1+2", false, true},
    {"XFERSPY_MAX_SIZE", "1M", true, true},
    {"XFERSPY_MAX_SIZE", "2M", false, true},
    {"XFERSPY_GRAPHS", "node", true, true},
    {"XFERSPY_GRAPHS", "launch", false, true},
    {"XFERSPY_STACK", "65", true, true},
    {"XFERSPY_STACK", "leaf", false, true},
    {"XFERSPY_SUMMARY", "no", true, true},
    {"XFERSPY_SUMMARY", "0", false, true},
    {"XFERSPY_OUTPUT", "a=b", false, true},
    {"XFERSPY_MACHINES", "/none", false, true},
};

TEST(wrong_variables_are_found)
{

	xs_config_check(note_wrong);
	assert_int_equal(wrong_count, 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char assignment[64];

		snprintf(assignment, sizeof(assignment), "%s=%s", cases[i].name,
			 cases[i].value);
		setenv(cases[i].name, cases[i].value, 1);
		wrong_count = 0;
		xs_config_check(note_wrong);
		unsetenv(cases[i].name);
		assert_int_equal(wrong_count, cases[i].is_wrong);
		if (!cases[i].is_wrong)
			continue;
		assert_string_equal(wrong_text, assignment);
		assert_int_equal(wrong_is_known, cases[i].is_known);
	}
}
