/* SPDX-License-Identifier: MIT */
/* xferspy export: writes a trace for other viewers and tools. */
#include "analyzer/symbols/symbols.h"
#include "analyzer/timeline/load_trace.h"
#include "report/commands/cli.h"
#include "report/commands/progress.h"
#include "report/commands/unfinished.h"
#include "report/export/export.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct export_options {
	const struct xs_exporter *exporter;
	const char *output;
};

static int parse_exporter(const char *name, const char *value, void *into)
{
	for (size_t i = 0; xs_exporters[i]; i++) {
		if (strcmp(xs_exporters[i]->name, value) == 0) {
			*(const struct xs_exporter **)into = xs_exporters[i];
			return 0;
		}
	}
	return xs_cli_error(XS_EXIT_USAGE, name, "unknown target",
			    "use one of: perfetto, sqlite");
}

static const struct xs_cli_option options[] = {
    {"--to", 0, "TARGET", parse_exporter,
     offsetof(struct export_options, exporter),
     "perfetto: a trace for ui.perfetto.dev;\n"
     "sqlite: a database with tables and views"},
    {"--output", 'o', "FILE", xs_cli_parse_text,
     offsetof(struct export_options, output), "write to FILE"},
    {0}};

static int export_main(int argc, char **argv);

const struct xs_cli_command xs_cmd_export = {
    .name = "export",
    .function = export_main,
    .summary = "write a trace for Perfetto or SQLite",
    .usage = "Usage: xferspy export --to TARGET TRACE -o FILE\n"
	     "Writes the calls, GPU work and NVTX ranges of a trace in the "
	     "format of another\n"
	     "tool. TRACE may be - for standard input.\n",
    .options = options,
    .words = XS_CLI_WORDS_FILES,
};

/* SQLite would apply the log to the new database. */
static bool has_log(const char *output)
{
	static const char *const ends[] = {"-wal", "-journal"};
	char path[PATH_MAX];
	bool found = false;

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		snprintf(path, sizeof(path), "%s%s", output, ends[i]);
		found |= access(path, F_OK) == 0;
	}
	return found;
}

static int parse(int argc, char **argv, struct export_options *out)
{
	int code = xs_cli_parse(&xs_cmd_export, argc, argv, out);

	if (code)
		return code;
	if (optind != argc - 1)
		return xs_cli_error(XS_EXIT_USAGE, "export",
				    "it takes exactly one trace",
				    "see xferspy export --help");
	if (!out->exporter)
		return xs_cli_error(XS_EXIT_USAGE, "--to TARGET",
				    "it is missing",
				    "use one of: perfetto, sqlite");
	if (!out->output || strcmp(out->output, "-") == 0)
		return xs_cli_error(XS_EXIT_USAGE, "export",
				    "no file was given to write to",
				    "name it with -o FILE");
	if (has_log(out->output))
		return xs_cli_error(XS_EXIT_INPUT, out->output,
				    "a log of an earlier database is beside it",
				    "delete FILE-wal and FILE-journal first");
	return xs_cli_check_output(out->output, argv + optind, 1);
}

/* Reads the trace and writes it. Returns the exit code; the output is closed.
 */
static int export_trace(const struct export_options *given, const char *path,
			FILE *out)
{
	struct xs_trace *trace = NULL;
	const char *error = NULL;
	int err = xs_trace_read(path, &trace, &error);

	if (!err)
		err = xs_symbols_resolve(trace);
	if (err) {
		xs_cli_discard(out);
		xs_trace_free(trace);
		return xs_cli_read_error(path, err, error);
	}
	xs_progress_set("writing", 0, 0);
	err = given->exporter->write(trace, out, xs_unfinished_name());
	xs_trace_free(trace);
	return xs_cli_close(given->output, out, err);
}

static int export_main(int argc, char **argv)
{
	struct export_options given = {0};
	FILE *out;
	int code = parse(argc, argv, &given);

	if (code)
		return code == XS_CLI_DONE ? XS_EXIT_DONE : code;
	code = xs_cli_open(given.output, &out);
	if (code)
		return code;
	xs_progress_begin(argv[optind], "reading");
	code = export_trace(&given, argv[optind], out);
	xs_progress_end();
	return code;
}
