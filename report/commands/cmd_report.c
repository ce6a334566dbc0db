/* SPDX-License-Identifier: MIT */
/* xferspy report: predicts what each strategy saves. */
#include "analyzer/read/trace.h"
#include "analyzer/timeline/load_trace.h"
#include "report/commands/cli.h"
#include "report/commands/job_inputs.h"
#include "report/commands/report_machines.h"
#include "report/commands/screen.h"
#include "report/diff/runs.h"
#include "report/job/digest.h"
#include "report/result/result.h"
#include "report/timeline/timeline.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>

/* Upper limit of --streams. */
#define STREAMS_MAX 4096

struct report_options {
	const struct xs_renderer *renderer;
	const char *output;
	struct xs_cli_machines machines;
	unsigned streams;
	const char *counters;
	int64_t pinned_budget;
	bool atgpu, all, dataflow, by_range, runs, each;
	enum xs_screen_color color;
};

static int parse_streams(const char *name, const char *value, void *into)
{
	(void)name;
	if (xs_units_parse_count(value, STREAMS_MAX, into) == 0)
		return 0;
	return xs_cli_misuse(value, "not a number of streams",
			     "give a whole number from 1 to 4096");
}

static int parse_budget(const char *name, const char *value, void *into)
{
	int64_t *bytes = into;

	if (xs_units_parse_bytes(value, bytes) == 0 && *bytes > 0)
		return 0;
	return xs_cli_misuse(name, value, "give bytes, such as 8G or 512MiB");
}

static const struct xs_cli_option options[] = {
    {"--format", 0, "FORMAT", NULL, offsetof(struct report_options, renderer),
     "one of: " XS_CLI_FORMATS " (default: text);\n"
     "html is a page with the timeline, csv has the\n"
     "estimates, dot the graph of --dataflow"},
    XS_CLI_OUTPUT_ROW(struct report_options, output),
    {"--machine", 0, "FILE|NAME", xs_cli_parse_machine,
     offsetof(struct report_options, machines),
     "machine profile, such as h200; the name list\n"
     "prints all names, and fitted is one from the\n"
     "trace alone. Default: this user's calibration of\n"
     "the GPU and host, or the shipped profile of the\n"
     "GPU model, or fitted. Repeat it to predict the\n"
     "unchanged run on further machines"},
    {"--streams", 0, "N", parse_streams,
     offsetof(struct report_options, streams),
     "also predict exactly N streams"},
    {"--counters", 0, "TRACE", xs_cli_parse_text,
     offsetof(struct report_options, counters),
     "add what kernels read, write and execute, from\n"
     "a run of xferspy run --counters"},
    {"--pinned-budget", 0, "N", parse_budget,
     offsetof(struct report_options, pinned_budget),
     "also show which buffers to pin first, within N bytes\n"
     "of pinned memory, such as 8G"},
    {"--all", 0, NULL, NULL, offsetof(struct report_options, all),
     "show all steps, phases, numbers of streams and reasons"},
    {"--atgpu", 0, NULL, NULL, offsetof(struct report_options, atgpu),
     "also show each phase in the ATGPU model (JSON\n"
     "always has it)"},
    {"--by-range", 0, NULL, NULL, offsetof(struct report_options, by_range),
     "also show what each NVTX range of the program issued,\n"
     "by name"},
    {"--dataflow", 0, NULL, NULL, offsetof(struct report_options, dataflow),
     "also show which op needs what another one wrote, in\n"
     "rounds of the leading phase, and the least time of a\n"
     "round"},
    {"--each", 0, NULL, NULL, offsetof(struct report_options, each),
     "several traces: a report on each, one after another"},
    {"--runs", 0, NULL, NULL, offsetof(struct report_options, runs),
     "the traces are of runs of one program: report the\n"
     "median one, and medians and spread of all"},
    XS_SCREEN_COLOR_ROW(struct report_options, color),
    {0}};

static int report_main(int argc, char **argv);

const struct xs_cli_command xs_cmd_report = {
    .name = "report",
    .function = report_main,
    .summary = "predict how much time each strategy saves",
    .usage = "Usage: xferspy report TRACE|DIGEST|FOLDER... [OPTIONS]\n"
	     "Shows where the time of a run went, and predicts how much time "
	     "of the\n"
	     "whole run other ways of moving its data would save.\n",
    .notes =
	"Several traces, or digests of traces, are those of a job: they "
	"get one\n"
	"report. If some of them cannot be read, it is on the others; then, "
	"and if a\n"
	"file is cut or damaged, the exit code is 2.\n"
	"A place such as app+0x1f3c has no source line: compile app with "
	"-g, or run\n"
	"addr2line -fCie app 0x1f3c if it was.\n",
    .options = options,
    .words = XS_CLI_WORDS_FILES,
    .has_formats = true,
    .formats = XS_RENDER_REPORT,
};

static int parse(int argc, char **argv, struct report_options *out)
{
	int code = xs_cli_parse(&xs_cmd_report, argc, argv, out);

	if (!code && optind == argc)
		code = xs_cli_misuse(
		    "report", "no trace was given",
		    "name the file that the traced program wrote (*.xspy)");
	if (!code && (out->runs || out->by_range) && !out->renderer->runs)
		code = xs_cli_misuse(out->runs ? "--runs" : "--by-range",
				     "this format does not show it",
				     "use --format text, json or html");
	if (!code && out->dataflow && out->renderer->lacks_dataflow)
		code =
		    xs_cli_misuse("--dataflow", "this format does not show it",
				  "use --format text, json or dot");
	return code;
}

/* Reads the traces. Stores how many could be read, which come first; the others
 * stay NULL. Returns 0, or XS_EXIT_INPUT after printing what is wrong with each
 * of these, or that one is damaged. */
static int read_traces(const struct xs_result_options *how, char *const *traces,
		       int count, struct xs_result **results, int *readable)
{
	int damaged = 0;

	*readable = 0;
	for (int i = 0; i < count; i++) {
		struct xs_result **to = &results[*readable];

		if (xs_cli_read(traces[i], how, to))
			continue;
		damaged |=
		    xs_cli_tell_damage(traces[i], (*to)->coverage.damaged);
		++*readable;
	}
	return xs_job_inputs_tell(count - *readable, count) | damaged;
}

/* Writes the reports, or that of the median run. */
static int write_reports(const struct report_options *given,
			 struct xs_result **results, size_t count,
			 const struct xs_screen *screen)
{
	struct xs_result *median;

	if (given->runs) {
		median = xs_runs_build(results, count);
		results = &median;
		count = 1;
	}
	return given->renderer->report(results, count, &screen->display,
				       screen->out);
}

/* Checks that the output is none of the inputs, and opens it. */
static int open_output(const struct report_options *given, char *const *traces,
		       int trace_count, struct xs_screen *screen)
{
	int code = xs_cli_check_output(given->output, traces, trace_count);

	if (!code && given->counters)
		code = xs_cli_check_output(given->output,
					   (char *const *)&given->counters, 1);
	if (!code)
		code = xs_cli_check_output(given->output,
					   (char *const *)given->machines.names,
					   (int)given->machines.count);
	return code ? code
		    : xs_screen_open(screen, given->output, given->color);
}

/* Reads the traces and writes the reports of all that can be read. */
static int report(const struct report_options *given,
		  const struct xs_result_options *how, char *const *traces,
		  int trace_count)
{
	struct xs_result **results = NULL;
	struct xs_screen screen;
	int code = open_output(given, traces, trace_count, &screen);
	int err = 0, readable = 0;

	if (code)
		return code;
	results = xs_calloc((size_t)trace_count, sizeof(*results));
	code = read_traces(how, traces, trace_count, results, &readable);
	if (readable)
		err = write_reports(
		    given, results,
		    (size_t)(given->runs ? readable : trace_count), &screen);
	if (!readable)
		xs_cli_discard(screen.out);
	else if (xs_cli_close(screen.path, screen.out, err) && !code)
		code = XS_EXIT_INPUT;
	for (int i = 0; i < readable; i++)
		xs_result_free(results[i]);
	free(results);
	return code;
}

/* Whether the traces get one report, as those of a job. */
static bool is_job(const struct report_options *given,
		   const struct xs_job_inputs *inputs)
{
	return !given->each && !given->runs &&
	       (inputs->count > 1 ||
		(inputs->count && xs_digest_is(inputs->paths[0])));
}

/* Refuses what only a report on one trace has. */
static int check_job(const struct report_options *given)
{
	const char *option = given->streams		 ? "--streams"
			     : given->counters		 ? "--counters"
			     : given->pinned_budget	 ? "--pinned-budget"
			     : given->by_range		 ? "--by-range"
			     : given->dataflow		 ? "--dataflow"
			     : given->atgpu		 ? "--atgpu"
			     : given->machines.count > 1 ? "a second --machine"
							 : NULL;

	if (!given->renderer->job)
		return xs_cli_misuse("--format",
				     "this format is of single traces",
				     "add --each, or use another format");

	return option ? xs_cli_misuse(option, "this option is of single traces",
				      "add --each")
		      : 0;
}

/* Reads the files and writes one report on all that can be read. */
static int report_job(const struct report_options *given,
		      const struct xs_result_options *how,
		      const struct xs_job_inputs *inputs)
{
	struct xs_screen screen;
	struct xs_job *job = NULL;
	int code = check_job(given);

	if (!code)
		code = xs_job_inputs_check_machine(inputs, how);
	if (!code)
		code =
		    open_output(given, inputs->paths, inputs->count, &screen);
	if (code)
		return code;
	code = xs_job_inputs_build(inputs, how, &job);
	if (!job)
		xs_cli_discard(screen.out);
	else if (xs_cli_close(screen.path, screen.out,
			      given->renderer->job(job, given->all,
						   &screen.display,
						   screen.out)))
		code = XS_EXIT_INPUT;
	xs_job_free(job);
	return code;
}

/* Loads the trace of --counters, if given. */
static int load_counted(const char *path, struct xs_trace **counted)
{
	const char *error = NULL;
	int err = path ? xs_trace_read(path, counted, &error) : 0;

	if (err < 0)
		return xs_cli_read_error(path, err, error);
	if (path && !(*counted)->counter_count)
		return xs_cli_fail(path, "no kernel was counted in this run",
				   "its own report says why; record it with "
				   "xferspy run --counters");
	return 0;
}

static void set_options(const struct report_options *given, bool job,
			struct xs_result_options *how)
{
	how->streams = given->streams;
	how->atgpu = given->atgpu;
	how->pinned_budget = given->pinned_budget;
	how->by_range = given->by_range;
	how->dataflow = given->dataflow || given->renderer->dataflow;
	if (given->renderer->timeline && !job)
		how->timeline = xs_timeline_of_result;
	how->most_phases = given->all && !job ? SIZE_MAX : 0;
}

static int report_main(int argc, char **argv)
{
	struct report_options given = {.renderer = xs_renderers[0],
				       .machines.most = 16};
	struct xs_result_options how = {0};
	struct xs_report_machines machines = {0};
	struct xs_job_inputs inputs = {0};
	struct xs_trace *counted = NULL;
	bool job;
	int code = parse(argc, argv, &given);

	if (code)
		return code;
	code = xs_job_inputs_list(argv + optind, argc - optind, false, &inputs);
	job = is_job(&given, &inputs);
	set_options(&given, job, &how);
	if (!code)
		code = xs_report_machines_load(given.machines.names,
					       given.machines.count, &machines,
					       &how);
	if (!code)
		code = load_counted(given.counters, &counted);
	how.counted = counted;
	if (!code && job)
		code = report_job(&given, &how, &inputs);
	else if (!code)
		code = report(&given, &how, inputs.paths, inputs.count);
	xs_trace_free(counted);
	free(machines.others);
	xs_job_inputs_free(&inputs);
	return code;
}
