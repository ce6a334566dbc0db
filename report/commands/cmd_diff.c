/* SPDX-License-Identifier: MIT */
/* xferspy diff: compares two traces, and fails above a limit. */
#include "report/commands/cli.h"
#include "report/commands/diff_jobs.h"
#include "report/commands/screen.h"
#include "report/diff/compare.h"
#include "report/diff/gate.h"
#include "report/diff/runs.h"
#include "report/timeline/timeline.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int parse_percent(const char *name, const char *value, void *into)
{
	if (xs_units_parse_number(value, into) == 0)
		return 0;
	return xs_cli_bad_number(name, value, "give a number such as 5");
}

static const struct xs_cli_option options[] = {
    {"--format", 0, "FORMAT", NULL, offsetof(struct xs_diff_options, renderer),
     "one of: " XS_CLI_FORMATS " (default: text)"},
    XS_CLI_OUTPUT_ROW(struct xs_diff_options, output),
    {"--machine", 0, "FILE|NAME", xs_cli_parse_machine,
     offsetof(struct xs_diff_options, machine),
     "machine profile for predictions, such as h200;\n"
     "the name list prints all names"},
    {"--fail-above", 0, "PCT", parse_percent,
     offsetof(struct xs_diff_options, fail_above),
     "exit with code 3 if AFTER takes more than PCT\n"
     "percent longer than BEFORE, or if they are of\n"
     "different programs, GPUs or amounts of work; with\n"
     "several runs, only beyond their spread, and with 4\n"
     "if that is too large to tell; with 2 if times cannot\n"
     "be compared, as of a part of a run"},
    {"--allow-different", 0, NULL, NULL,
     offsetof(struct xs_diff_options, allow_different),
     "with --fail-above: do not fail because programs,\n"
     "GPUs, work or the ranks of two jobs differ"},
    {"--after", 0, NULL, NULL, offsetof(struct xs_diff_options, after),
     "the traces before it are runs of BEFORE, those after\n"
     "it runs of AFTER"},
    XS_SCREEN_COLOR_ROW(struct xs_diff_options, color),
    {0}};

static int diff_main(int argc, char **argv);

const struct xs_cli_command xs_cmd_diff = {
    .name = "diff",
    .function = diff_main,
    .summary = "compare two traces; can fail a CI job",
    .usage = "Usage: xferspy diff BEFORE AFTER [OPTIONS]\n"
	     "       xferspy diff BEFORE... --after AFTER... [OPTIONS]\n"
	     "Compares the totals and phases of two traces, largest change "
	     "first. If\n"
	     "AFTER uses another strategy, compares it with the prediction "
	     "from BEFORE.\n"
	     "Of several runs of each, it compares medians.\n"
	     "If BEFORE and AFTER are folders or digests, compares two jobs.\n",
    .options = options,
    .words = XS_CLI_WORDS_FILES,
    .has_formats = true,
    .formats = XS_RENDER_DIFF,
};

/* The traces of one side, and what they give. */
struct side {
	char **traces;
	int count;
	struct xs_result **runs;
};

/* Returns the index of the word --after; argc if there is none. */
static int find_after(int argc, char **argv)
{
	int at = 1;

	while (at < argc && strcmp(argv[at], "--after") != 0)
		at++;
	return at;
}

/* Parses the options of some words, of which the first is no option, and stores
 * where the others are. */
static int parse_side(int argc, char **argv, struct xs_diff_options *out,
		      struct side *side)
{
	int code;

	optind = 0; /* begins anew */
	code = xs_cli_parse(&xs_cmd_diff, argc, argv, out);
	side->traces = argv + optind;
	side->count = argc - optind;
	return code;
}

static int parse(int argc, char **argv, struct xs_diff_options *out,
		 struct side *before, struct side *after)
{
	const int at = find_after(argc, argv);
	int code = parse_side(at, argv, out, before);

	if (code)
		return code;
	if (at < argc) {
		code = parse_side(argc - at, argv + at, out, after);
	} else if (before->count == 2) {
		after->traces = before->traces + 1;
		before->count = after->count = 1;
	} else {
		return xs_cli_misuse(
		    "diff", "it takes one trace before and one after",
		    "put --after between the runs before and after");
	}
	if (!code && (!before->count || !after->count || out->after))
		code = xs_cli_misuse("--after",
				     "it is between the runs before and after",
				     "name one trace or more on both sides");
	return code;
}

/* Whether a trace of a side is none, but a job. */
static bool has_job(const struct side *side)
{
	for (int i = 0; i < side->count; i++)
		if (xs_diff_jobs_is(side->traces[i]))
			return true;
	return false;
}

/* The first of a side that is not there; NULL: all are. */
static const char *missing_of(const struct side *side)
{
	for (int i = 0; i < side->count; i++)
		if (strcmp(side->traces[i], "-") != 0 &&
		    access(side->traces[i], F_OK) != 0)
			return side->traces[i];
	return NULL;
}

static int compare_jobs(const struct xs_diff_options *given,
			const struct side *before, const struct side *after,
			const struct xs_result_options *how)
{
	const char *missing = missing_of(before);

	if (!missing)
		missing = missing_of(after);
	if (missing)
		return xs_cli_fail(missing, strerror(errno),
				   "name a folder or a digest");
	if (before->count != 1 || after->count != 1 || !has_job(before) ||
	    !has_job(after))
		return xs_cli_misuse(
		    "diff", "a job is compared with one other job",
		    "name one folder or digest before and one after");
	return xs_diff_jobs(before->traces[0], after->traces[0], given, how);
}

/* The n of the longest phase with streams, which before has to predict. */
static unsigned streams_of(const struct xs_result *after)
{
	for (size_t i = 0; i < after->phase_count; i++)
		if (after->phases[i].streams > 1)
			return (unsigned)after->phases[i].streams;
	return 0;
}

/* Why the change of the run is unknown. */
static int unknown_change(const struct xs_diff *diff)
{
	if (diff->before->coverage.lacking || diff->after->coverage.lacking)
		return xs_cli_fail("--fail-above",
				   "times of an incomplete trace are not "
				   "compared",
				   "its line marked ! says what to do");
	if (diff->uncompared)
		return xs_cli_fail("--fail-above", diff->uncompared,
				   "give traces of whole runs by one tool, or "
				   "of XFERSPY_RANGE=profiler");
	if (diff->shared)
		return xs_cli_fail("--fail-above",
				   "a run is compared with itself",
				   "name each trace on one side");
	return xs_cli_fail("--fail-above", "the run times are unknown",
			   "one trace has no timed run; see its report");
}

static const char compared[] = "compare two traces of one program with one "
			       "input on one GPU, or add --allow-different";

static int gate(const struct xs_diff_options *given, const struct xs_diff *diff)
{
	const char *different = given->allow_different ? NULL : diff->different;
	char why[512];

	if (isnan(given->fail_above))
		return XS_EXIT_DONE;
	switch (xs_diff_gate(diff, given->fail_above)) {
	case XS_GATE_UNKNOWN:
		return unknown_change(diff);
	case XS_GATE_DIFFERENT:
		return xs_cli_error(XS_EXIT_GATE, "--fail-above",
				    diff->different, compared);
	case XS_GATE_NOISY:
		return xs_cli_error(XS_EXIT_NOISY, "--fail-above",
				    "the runs spread too much to tell",
				    "record more runs of each, at least three");
	case XS_GATE_EXCEEDED:
		snprintf(why, sizeof(why), "the run is %.1f %% slower (%s)%s%s",
			 diff->change_percent, diff->parts,
			 different ? "; " : "", different ? different : "");
		return xs_cli_error(XS_EXIT_GATE, "--fail-above", why,
				    different ? compared
				    : xs_gate_is_single(diff)
					? "three runs of each tell noise "
					  "apart"
					: "see what changed most in it");
	default:
		return XS_EXIT_DONE;
	}
}

/* Tells which traces of a side are damaged. */
static int tell_damage(const struct side *side)
{
	int code = 0;

	for (int i = 0; i < side->count; i++)
		code |= xs_cli_tell_damage(side->runs[i]->run.path,
					   side->runs[i]->coverage.damaged);
	return code;
}

static int compare(const struct xs_diff_options *given,
		   const struct side *before, const struct side *after)
{
	struct xs_diff diff;
	struct xs_screen screen;
	int code = xs_screen_open(&screen, given->output, given->color);

	if (code)
		return code;
	xs_diff_build_runs(before->runs, (size_t)before->count, after->runs,
			   (size_t)after->count, &diff);
	diff.allow_different = given->allow_different;
	code = xs_cli_close(screen.path, screen.out,
			    given->renderer->diff(&diff, given->fail_above,
						  &screen.display, screen.out));
	if (!code) {
		const int damage = tell_damage(before) | tell_damage(after);

		code = gate(given, &diff);
		code = code ? code : damage;
	}
	xs_diff_free(&diff);
	return code;
}

static int read_side(struct side *side, const struct xs_result_options *how)
{
	int code = 0;

	side->runs = xs_calloc((size_t)side->count, sizeof(struct xs_result *));
	for (int i = 0; i < side->count && !code; i++)
		code = xs_cli_read(side->traces[i], how, &side->runs[i]);
	return code;
}

static void free_side(struct side *side)
{
	for (int i = 0; side->runs && i < side->count; i++)
		xs_result_free(side->runs[i]);
	free(side->runs);
}

static int diff_main(int argc, char **argv)
{
	struct xs_diff_options given = {
	    .renderer = xs_renderers[0], .machine.most = 1, .fail_above = NAN};
	struct side before = {0}, after = {0};
	struct xs_result_options how = {.most_phases = XS_DIFF_PHASES_MAX};
	struct xs_machine machine;
	int code = parse(argc, argv, &given, &before, &after);

	if (code)
		return code;
	code = xs_cli_check_output(given.output, before.traces, before.count);
	if (!code)
		code = xs_cli_check_output(given.output, after.traces,
					   after.count);
	if (!code)
		code = xs_cli_check_output(given.output,
					   (char *const *)given.machine.names,
					   (int)given.machine.count);
	if (given.renderer->timeline)
		how.timeline = xs_timeline_of_result;
	if (!code && given.machine.count) {
		code = xs_cli_machine(given.machine.names[0], &machine);
		how.machine = &machine;
	}
	if (!code && (has_job(&before) || has_job(&after))) {
		how.timeline = NULL;
		return compare_jobs(&given, &before, &after, &how);
	}
	if (!code)
		code = read_side(&after, &how);
	if (!code) {
		how.streams = streams_of(
		    after.runs[xs_runs_sort(after.runs, (size_t)after.count)]);
		code = read_side(&before, &how);
	}
	if (!code)
		code = compare(&given, &before, &after);
	free_side(&before);
	free_side(&after);
	return code;
}
