/* SPDX-License-Identifier: MIT */
/* xferspy diff: compares two traces, and fails above a limit. */
#include "report/commands/cli.h"
#include "report/diff/compare.h"

#include <getopt.h>
#include <math.h>
#include <string.h>

static const char usage[] =
    "Usage: xferspy diff BEFORE AFTER [OPTIONS]\n"
    "Compares the totals and phases of two traces, largest change first. If\n"
    "AFTER uses another strategy, compares it with the prediction from "
    "BEFORE.\n"
    "\n"
    "  --format FORMAT      one of: " XS_CLI_FORMATS " (default: text)\n"
    "  -o, --output FILE    write to FILE instead of standard output\n"
    "  --machine FILE|NAME  machine profile for predictions, such as h200\n"
    "  --fail-above PCT     exit with code 3 if AFTER takes more than PCT\n"
    "                       percent longer than BEFORE\n"
    "  -h, --help           print this text\n";

struct diff_options {
	const struct xs_renderer *renderer;
	const char *output, *machine;
	double fail_above; /* NAN: no limit */
};

static int parse_format(const char *name, const char *value, void *into)
{
	(void)name;
	return xs_cli_format(value, XS_RENDER_DIFF, into);
}

static int parse_percent(const char *name, const char *value, void *into)
{
	(void)name;
	if (xs_units_parse_number(value, into) == 0)
		return 0;
	return xs_cli_error(XS_EXIT_USAGE, value, "not a percentage",
			    "give a number such as 5");
}

static int parse(int argc, char **argv, struct diff_options *out)
{
	static const struct xs_cli_syntax syntax = {
	    .command = "diff", .usage = usage, .formats = XS_RENDER_DIFF};
	const struct xs_cli_option options[] = {
	    {"--format", 0, parse_format, &out->renderer},
	    {"--output", 'o', xs_cli_parse_text, &out->output},
	    {"--machine", 0, xs_cli_parse_text, &out->machine},
	    {"--fail-above", 0, parse_percent, &out->fail_above},
	    {0}};
	int code = xs_cli_parse(&syntax, options, argc, argv);

	if (!code && optind != argc - 2)
		code = xs_cli_error(
		    XS_EXIT_USAGE, "diff", "it takes exactly two traces",
		    "name the trace before and the trace after");
	return code;
}

/* The n of the longest phase with streams, which before has to predict. */
static unsigned streams_of(const struct xs_result *after)
{
	for (size_t i = 0; i < after->phase_count; i++)
		if (after->phases[i].streams > 1)
			return (unsigned)after->phases[i].streams;
	return 0;
}

static int gate(const struct diff_options *options, const struct xs_diff *diff)
{
	char why[128];

	if (isnan(options->fail_above))
		return XS_EXIT_DONE;
	if (isnan(diff->change_percent))
		return xs_cli_error(
		    XS_EXIT_INPUT, "--fail-above", "the run times are unknown",
		    "compare traces of runs that ended normally");
	if (diff->change_percent <= options->fail_above)
		return XS_EXIT_DONE;
	snprintf(why, sizeof(why), "the run is %.1f %% slower",
		 diff->change_percent);
	return xs_cli_error(XS_EXIT_GATE, "--fail-above", why,
			    "the first phase listed changed most");
}

static int compare(const struct diff_options *options,
		   const struct xs_result *before,
		   const struct xs_result *after)
{
	struct xs_diff diff;
	FILE *out;
	int code = xs_cli_open(options->output, &out), err;

	if (code)
		return code;
	err = xs_diff_build(before, after, &diff);
	if (!err)
		err = options->renderer->diff(&diff, options->fail_above,
					      xs_cli_color(out), out);
	code = xs_cli_close(options->output, out, err);
	if (!code)
		code = gate(options, &diff);
	xs_diff_free(&diff);
	return code;
}

int xs_cmd_diff(int argc, char **argv)
{
	struct diff_options options = {.renderer = xs_renderers[0],
				       .fail_above = NAN};
	struct xs_result *before = NULL, *after = NULL;
	struct xs_result_options how = {.most_phases = XS_DIFF_PHASES_MAX};
	struct xs_machine machine;
	int code = parse(argc, argv, &options);

	if (code)
		return code == XS_CLI_HELP_PRINTED ? XS_EXIT_DONE : code;
	code = xs_cli_check_output(options.output, argv + optind, 2);
	if (code)
		return code;
	if (options.machine) {
		code = xs_cli_machine(options.machine, &machine);
		if (code)
			return code;
		how.machine = &machine;
	}
	code = xs_cli_read(argv[optind + 1], &how, &after);
	if (code)
		goto out;
	how.streams = streams_of(after);
	code = xs_cli_read(argv[optind], &how, &before);
	if (code)
		goto out;
	code = compare(&options, before, after);
out:
	xs_result_free(before);
	xs_result_free(after);
	return code;
}
