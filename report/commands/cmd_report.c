/* SPDX-License-Identifier: MIT */
/* xferspy report: predicts what each strategy saves. */
#include "analyzer/read/trace.h"
#include "analyzer/timeline/load_trace.h"
#include "model/strategies/model.h"
#include "report/build/read.h"
#include "report/commands/cli.h"
#include "report/result/result.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

/* Upper limits of --streams and --machine. */
#define STREAMS_MAX  4096
#define MACHINES_MAX 16

static const char usage[] =
    "Usage: xferspy report TRACE... [OPTIONS]\n"
    "Shows where the time of a run went, and predicts how much time of the\n"
    "whole run other ways of moving its data would save.\n"
    "\n"
    "  --format FORMAT      one of: " XS_CLI_FORMATS " (default: text);\n"
    "                       csv has the estimates\n"
    "  -o, --output FILE    write to FILE instead of standard output\n"
    "  --machine FILE|NAME  machine profile, such as h200. Without it, or\n"
    "                       with the name fitted, a profile is fitted from\n"
    "                       each trace. Repeat it to predict the unchanged\n"
    "                       run on further machines\n"
    "  --streams N          also predict exactly N streams\n"
    "  --counters TRACE     add what kernels read, write and execute, from\n"
    "                       a run of xferspy run --counters\n"
    "  --all-phases         show all phases, not only the longest\n"
    "  --atgpu              also show each phase in the ATGPU model (JSON\n"
    "                       always has it)\n"
    "  -h, --help           print this text\n"
    "\n"
    "Several traces give one report after another, in JSON an array.\n";

struct report_options {
	const struct xs_renderer *renderer;
	const char *output;
	const char *machines[MACHINES_MAX];
	size_t machine_count;
	unsigned streams;
	const char *counters;
	bool atgpu, all_phases;
};

static int parse_format(const char *name, const char *value, void *into)
{
	(void)name;
	return xs_cli_format(value, XS_RENDER_REPORT, into);
}

static int parse_streams(const char *name, const char *value, void *into)
{
	(void)name;
	if (xs_units_parse_count(value, STREAMS_MAX, into) == 0)
		return 0;
	return xs_cli_error(XS_EXIT_USAGE, value, "not a number of streams",
			    "give a whole number from 1 to 4096");
}

static int parse_machine(const char *name, const char *value, void *into)
{
	struct report_options *out = into;

	if (out->machine_count == MACHINES_MAX)
		return xs_cli_error(XS_EXIT_USAGE, name,
				    "more than 16 machines",
				    "report on fewer machines at a time");
	out->machines[out->machine_count++] = value;
	return 0;
}

static int parse(int argc, char **argv, struct report_options *out)
{
	static const struct xs_cli_syntax syntax = {
	    .command = "report", .usage = usage, .formats = XS_RENDER_REPORT};
	const struct xs_cli_option options[] = {
	    {"--format", 0, parse_format, &out->renderer},
	    {"--output", 'o', xs_cli_parse_text, &out->output},
	    {"--machine", 0, parse_machine, out},
	    {"--streams", 0, parse_streams, &out->streams},
	    {"--counters", 0, xs_cli_parse_text, &out->counters},
	    {"--all-phases", 0, NULL, &out->all_phases},
	    {"--atgpu", 0, NULL, &out->atgpu},
	    {0}};
	int code = xs_cli_parse(&syntax, options, argc, argv);

	if (!code && optind == argc)
		code =
		    xs_cli_error(XS_EXIT_USAGE, "report", "no trace was given",
				 "name the file that the traced program "
				 "wrote (*.xspy)");
	return code;
}

/* The loaded profiles. */
struct machines {
	struct xs_machine first; /* for the estimates */
	struct xs_other_machine *others;
	size_t other_count;
};

/* Rows use the profile's name, so names must differ. */
static int add_other(const char *given, struct machines *out)
{
	struct xs_other_machine *other = &out->others[out->other_count];
	struct xs_machine machine;
	int code = xs_cli_machine(given, &machine);

	if (code)
		return code;
	xs_other_machine_set(other, &machine);
	for (size_t i = 0; i < out->other_count; i++)
		if (strcmp(out->others[i].strategy, other->strategy) == 0)
			return xs_cli_error(XS_EXIT_USAGE, given,
					    "two profiles have this name",
					    "change \"name\" in the file");
	out->other_count++;
	return 0;
}

/* Loads the first profile, unless it is "fitted", and the others. */
static int load_machines(const struct report_options *options,
			 struct machines *out, struct xs_result_options *how)
{
	const char *const *names = options->machines;
	int code = 0;

	if (!options->machine_count)
		return 0;
	if (strcmp(names[0], "fitted") != 0) {
		code = xs_cli_machine(names[0], &out->first);
		how->machine = &out->first;
	}
	out->others = calloc(options->machine_count, sizeof(*out->others));
	if (!code && !out->others)
		code = xs_cli_error(XS_EXIT_INPUT, "--machine",
				    strerror(ENOMEM), "free some memory");
	for (size_t i = 1; i < options->machine_count && !code; i++)
		code = add_other(names[i], out);
	how->elsewhere = out->others;
	how->elsewhere_count = out->other_count;
	return code;
}

/* Reads the traces and writes their reports. */
static int report(const struct report_options *options,
		  const struct xs_result_options *how, char *const *traces,
		  int trace_count)
{
	struct xs_result **results = NULL;
	size_t count = 0;
	FILE *out = NULL;
	int code, err = 0;

	code = xs_cli_check_output(options->output, traces, trace_count);
	if (!code && options->counters)
		code = xs_cli_check_output(
		    options->output, (char *const *)&options->counters, 1);
	if (!code)
		code = xs_cli_open(options->output, &out);
	if (code)
		return code;
	results = calloc((size_t)trace_count, sizeof(*results));
	if (!results)
		err = -ENOMEM;
	for (int i = 0; i < trace_count && !code && !err; i++) {
		code = xs_cli_read(traces[i], how, &results[count]);
		count += !code;
	}
	if (!code && !err)
		err = options->renderer->report(results, count,
						xs_cli_color(out), out);
	if (xs_cli_close(options->output, out, err) && !code)
		code = XS_EXIT_INPUT;
	for (size_t i = 0; i < count; i++)
		xs_result_free(results[i]);
	free(results);
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
		return xs_cli_error(XS_EXIT_INPUT, path,
				    "no kernel was counted in this run",
				    "its own report says why; record it with "
				    "xferspy run --counters");
	return 0;
}

int xs_cmd_report(int argc, char **argv)
{
	struct report_options options = {.renderer = xs_renderers[0]};
	struct xs_result_options how = {0};
	struct machines machines = {0};
	struct xs_trace *counted = NULL;
	int code;

	code = parse(argc, argv, &options);
	if (code)
		return code == XS_CLI_HELP_PRINTED ? XS_EXIT_DONE : code;
	how.streams = options.streams;
	how.atgpu = options.atgpu;
	how.most_phases = options.all_phases ? SIZE_MAX : 0;
	code = load_machines(&options, &machines, &how);
	if (!code)
		code = load_counted(options.counters, &counted);
	how.counted = counted;
	if (!code)
		code = report(&options, &how, argv + optind, argc - optind);
	xs_trace_free(counted);
	free(machines.others);
	return code;
}
