/* SPDX-License-Identifier: MIT */
/* xferspy diff: compares two traces, and fails above a limit. */
#include "report/commands/cli.h"
#include "report/commands/progress.h"
#include "report/commands/screen.h"
#include "report/diff/comparable.h"
#include "report/diff/compare.h"
#include "report/timeline/timeline.h"

#include <getopt.h>
#include <math.h>
#include <string.h>

struct diff_options {
	const struct xs_renderer *renderer;
	const char *output, *machine;
	double fail_above; /* NAN: no limit */
	bool allow_different;
	enum xs_screen_color color;
};

static int parse_format(const char *name, const char *value, void *into)
{
	(void)name;
	return xs_cli_format(value, XS_RENDER_DIFF, into);
}

static int parse_percent(const char *name, const char *value, void *into)
{
	if (xs_units_parse_number(value, into) == 0)
		return 0;
	return xs_cli_bad_number(name, value, "give a number such as 5");
}

static int parse_machine(const char *name, const char *value, void *into)
{
	if (xs_cli_list_machines(value))
		return XS_CLI_DONE;
	return xs_cli_parse_text(name, value, into);
}

static const struct xs_cli_option options[] = {
    {"--format", 0, "FORMAT", parse_format,
     offsetof(struct diff_options, renderer),
     "one of: " XS_CLI_FORMATS " (default: text)"},
    {"--output", 'o', "FILE", xs_cli_parse_text,
     offsetof(struct diff_options, output),
     "write to FILE instead of standard output"},
    {"--machine", 0, "FILE|NAME", parse_machine,
     offsetof(struct diff_options, machine),
     "machine profile for predictions, such as h200;\n"
     "the name list prints all names"},
    {"--fail-above", 0, "PCT", parse_percent,
     offsetof(struct diff_options, fail_above),
     "exit with code 3 if AFTER takes more than PCT\n"
     "percent longer than BEFORE, or if they are of\n"
     "different programs or GPUs"},
    {"--allow-different", 0, NULL, NULL,
     offsetof(struct diff_options, allow_different),
     "with --fail-above: do not fail because programs\n"
     "or GPUs differ"},
    XS_SCREEN_COLOR_ROW(struct diff_options, color),
    {0}};

static int diff_main(int argc, char **argv);

const struct xs_cli_command xs_cmd_diff = {
    .name = "diff",
    .function = diff_main,
    .summary = "compare two traces; can fail a CI job",
    .usage =
	"Usage: xferspy diff BEFORE AFTER [OPTIONS]\n"
	"Compares the totals and phases of two traces, largest change first. "
	"If\n"
	"AFTER uses another strategy, compares it with the prediction from "
	"BEFORE.\n",
    .options = options,
    .words = XS_CLI_WORDS_FILES,
    .has_formats = true,
    .formats = XS_RENDER_DIFF,
};

static int parse(int argc, char **argv, struct diff_options *out)
{
	int code = xs_cli_parse(&xs_cmd_diff, argc, argv, out);

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

static int gate(const struct diff_options *given, const struct xs_diff *diff)
{
	char why[128];

	if (isnan(given->fail_above))
		return XS_EXIT_DONE;
	if (diff->other_tools)
		return xs_cli_error(XS_EXIT_INPUT, "--fail-above",
				    diff->other_tools,
				    "give two traces of one tool");
	if (isnan(diff->change_percent))
		return xs_cli_error(
		    XS_EXIT_INPUT, "--fail-above", "the run times are unknown",
		    "one trace has no timed run; see its report");
	if (xs_diff_passes(diff, given->fail_above))
		return XS_EXIT_DONE;
	if (diff->change_percent <= given->fail_above)
		return xs_cli_error(XS_EXIT_GATE, "--fail-above",
				    diff->warnings[0],
				    "compare two traces of one program on one "
				    "GPU, or add --allow-different");
	snprintf(why, sizeof(why), "the run is %.1f %% slower",
		 diff->change_percent);
	return xs_cli_error(XS_EXIT_GATE, "--fail-above", why,
			    "the first phase listed changed most");
}

static int compare(const struct diff_options *given, struct xs_result *before,
		   struct xs_result *after)
{
	struct xs_diff diff;
	struct xs_screen screen;
	int code = xs_screen_open(&screen, given->output, given->color), err;

	if (code)
		return code;
	err = xs_diff_build(before, after, &diff);
	diff.allow_different = given->allow_different;
	if (!err)
		err = given->renderer->diff(&diff, given->fail_above,
					    &screen.display, screen.out);
	code = xs_screen_close(&screen, err);
	if (!code)
		code = gate(given, &diff);
	xs_diff_free(&diff);
	return code;
}

static int diff_main(int argc, char **argv)
{
	struct diff_options given = {.renderer = xs_renderers[0],
				     .fail_above = NAN};
	struct xs_result *before = NULL, *after = NULL;
	struct xs_result_options how = {.most_phases = XS_DIFF_PHASES_MAX,
					.progress = xs_progress_set};
	struct xs_machine machine;
	int code = parse(argc, argv, &given);

	if (code)
		return code == XS_CLI_DONE ? XS_EXIT_DONE : code;
	code = xs_cli_check_output(given.output, argv + optind, 2);
	if (code)
		return code;
	if (given.renderer->timeline)
		how.timeline = xs_timeline_of_result;
	if (given.machine) {
		code = xs_cli_run_machine(given.machine, &machine);
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
	code = compare(&given, before, after);
out:
	xs_result_free(before);
	xs_result_free(after);
	return code;
}
