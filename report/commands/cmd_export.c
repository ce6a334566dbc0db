/* SPDX-License-Identifier: MIT */
/* xferspy export: writes a trace for other viewers and tools. */
#include "analyzer/symbols/symbols.h"
#include "analyzer/timeline/cuda_startup.h"
#include "analyzer/timeline/load_trace.h"
#include "report/commands/cli.h"
#include "report/commands/unfinished.h"
#include "report/export/export.h"

#include <errno.h>
#include <ftw.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct export_options {
	const struct xs_exporter *exporter;
	const char *output;
};

static void write_targets(char *out, size_t size)
{
	int used = 0;

	for (size_t i = 0; xs_exporters[i].name && used < (int)size; i++)
		used += snprintf(out + used, size - (size_t)used, "%s%s: %s",
				 i ? ";\n" : "", xs_exporters[i].name,
				 xs_exporters[i].help);
}

static int bad_target(const char *what, const char *why)
{
	char names[128] = "use one of";
	int used = (int)strlen(names);

	for (size_t i = 0; xs_exporters[i].name && used < (int)sizeof(names);
	     i++)
		used += snprintf(names + used, sizeof(names) - (size_t)used,
				 "%s%s", i ? ", " : ": ", xs_exporters[i].name);
	return xs_cli_misuse(what, why, names);
}

static int parse_exporter(const char *name, const char *value, void *into)
{
	for (size_t i = 0; xs_exporters[i].name; i++) {
		if (strcmp(xs_exporters[i].name, value) == 0) {
			*(const struct xs_exporter **)into = &xs_exporters[i];
			return 0;
		}
	}
	return bad_target(name, "unknown target");
}

static const struct xs_cli_option options[] = {
    {"--to", 0, "TARGET", parse_exporter,
     offsetof(struct export_options, exporter), NULL},
    {"--output", 'o', "FILE", xs_cli_parse_text,
     offsetof(struct export_options, output),
     "write to FILE, a new folder for otf2"},
    {0}};

static int export_main(int argc, char **argv);

const struct xs_cli_command xs_cmd_export = {
    .name = "export",
    .function = export_main,
    .summary = "write a trace for another tool",
    .usage = "Usage: xferspy export --to TARGET TRACE -o FILE\n"
	     "Writes the calls, GPU work and NVTX ranges of a trace in the "
	     "format of another\n"
	     "tool. TRACE may be - for standard input.\n",
    .options = options,
    .write_help = write_targets,
    .words = XS_CLI_WORDS_FILES,
    .single = "trace",
};

static int check_output(const struct export_options *given, char **trace)
{
	const char *what_to_do = NULL, *why = NULL;

	if (given->exporter->refuse)
		why = given->exporter->refuse(given->output, &what_to_do);
	if (why)
		return xs_cli_fail(given->output, why, what_to_do);
	return xs_cli_check_output(given->output, trace, 1);
}

static int parse(int argc, char **argv, struct export_options *out)
{
	int code = xs_cli_parse(&xs_cmd_export, argc, argv, out);

	if (code)
		return code;
	if (!out->exporter)
		return bad_target("--to TARGET", "it is missing");
	if (!out->output || strcmp(out->output, "-") == 0)
		return xs_cli_misuse(
		    "export",
		    out->output ? "it does not write to standard output"
				: "no file was given to write to",
		    "name it with -o FILE");
	return check_output(out, argv + optind);
}

static int delete_one(const char *path, const struct stat *status, int type,
		      struct FTW *where)
{
	(void)status, (void)type, (void)where;
	return remove(path);
}

/* Opens the output: a stream, or NULL for a folder, which is made. Returns 0 or
 * an exit code. */
static int open_output(const struct export_options *given, FILE **out)
{
	*out = NULL;
	if (!given->exporter->folder)
		return xs_cli_open(given->output, out);
	return mkdir(given->output, 0777)
		   ? xs_cli_fail(given->output, strerror(errno),
				 errno == EEXIST
				     ? "delete it, or give -o another folder"
				     : "give -o a folder that can be made")
		   : 0;
}

/* Nothing was or could be written. */
static void discard_output(const struct export_options *given, FILE *out)
{
	if (out)
		xs_cli_discard(out);
	else
		nftw(given->output, delete_one, 16, FTW_DEPTH | FTW_PHYS);
}

static int close_output(const struct export_options *given, FILE *out, int err)
{
	if (out)
		return xs_cli_close(given->output, out, err);
	if (!err)
		return 0;
	discard_output(given, NULL);
	return xs_cli_fail(given->output, strerror(-err),
			   err == -ENOSPC || err == -EDQUOT || err == -EFBIG
			       ? "check the free space and try again"
			       : "give -o another folder");
}

/* Reads the trace and writes it. Returns the exit code; the output is closed.
 */
static int export_trace(const struct export_options *given, const char *path,
			FILE *out)
{
	struct xs_trace *trace = NULL;
	const char *error = NULL;
	int err, code;

	err = xs_trace_read(path, &trace, &error);
	if (!err)
		xs_symbols_resolve(trace);
	if (!err)
		xs_cuda_startup_restore(trace);
	if (err) {
		discard_output(given, out);
		xs_trace_free(trace);
		return xs_cli_read_error(path, err, error);
	}
	err = given->exporter->write(
	    trace, out, out ? xs_unfinished_name() : given->output);
	code = close_output(given, out, err);
	if (!code)
		code = xs_cli_tell_damage(path, trace->defect_count > 0);
	xs_trace_free(trace);
	return code;
}

static int export_main(int argc, char **argv)
{
	struct export_options given = {0};
	FILE *out;
	int code = parse(argc, argv, &given);

	if (code)
		return code;
	code = open_output(&given, &out);
	if (code)
		return code;
	code = export_trace(&given, argv[optind], out);
	return code;
}
