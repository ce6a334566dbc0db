/* SPDX-License-Identifier: MIT */
/* xferspy dump: prints a trace as text and reads it back. */
#include "analyzer/read/text_dump.h"
#include "analyzer/symbols/symbols.h"
#include "analyzer/text/trace_text.h"
#include "analyzer/timeline/load_trace.h"
#include "report/commands/cli.h"
#include "report/commands/unfinished.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

struct dump_options {
	const char *output;
	bool read, resolve;
};

static const struct xs_cli_option options[] = {
    {"--read", 0, NULL, NULL, offsetof(struct dump_options, read),
     "read TEXT and write a trace"},
    {"--resolve", 0, NULL, NULL, offsetof(struct dump_options, resolve),
     "write a copy of TRACE with functions, files and\n"
     "lines, so that reports do not need the program's\n"
     "files. Its name: that of -o, or for a.xspy,\n"
     "a.resolved.xspy"},
    {"--output", 'o', "FILE", xs_cli_parse_text,
     offsetof(struct dump_options, output), "write to FILE"},
    {0}};

static int dump_main(int argc, char **argv);

const struct xs_cli_command xs_cmd_dump = {
    .name = "dump",
    .function = dump_main,
    .summary = "print a trace as text and read it back",
    .usage = "Usage: xferspy dump TRACE [-o TEXT]\n"
	     "       xferspy dump --read TEXT -o TRACE\n"
	     "       xferspy dump --resolve TRACE [-o TRACE]\n"
	     "Prints every record of a trace as one line of text. --read "
	     "writes the same\n"
	     "bytes from that text. - stands for standard input or output.\n",
    .options = options,
    .words = XS_CLI_WORDS_FILES,
    .single = "file",
};

static int parse(int argc, char **argv, struct dump_options *out)
{
	int code = xs_cli_parse(&xs_cmd_dump, argc, argv, out);

	if (code)
		return code;
	if (out->resolve && out->read)
		return xs_cli_misuse("dump --resolve",
				     "it cannot be combined with --read",
				     "give one of the two");
	if (out->resolve && strcmp(argv[optind], "-") == 0)
		return xs_cli_misuse("dump --resolve",
				     "standard input is no trace to copy",
				     "name the file");
	if (out->read && !out->output)
		return xs_cli_misuse("dump --read",
				     "no file was given for the trace",
				     "name it with -o TRACE");
	return 0;
}

static int dump(const char *path, const char *output)
{
	const char *error = NULL;
	bool damaged = false;
	FILE *out;
	int code = xs_cli_open(output, &out), err;

	if (code)
		return code;
	err = xs_text_dump(path, out, &damaged, &error);
	if (!err || err == -EIO) {
		code = xs_cli_close(output, out, err);
		return code ? code : xs_cli_tell_damage(path, damaged);
	}
	xs_cli_discard(out);
	return xs_cli_read_error(path, err, error);
}

static int read_back(const char *path, const char *output)
{
	bool standard = strcmp(path, "-") == 0;
	FILE *in = standard ? stdin : fopen(path, "r"), *out = NULL;
	struct xs_text_error at = {0};
	char where[PATH_MAX + 32];
	int code, err;

	if (!in)
		return xs_cli_read_error(path, -errno, NULL);
	code = xs_cli_open(output, &out);
	if (code)
		goto out;
	err = xs_text_parse(in, out, &at);
	if (err == -EPROTO || err == -EPROTONOSUPPORT) {
		snprintf(where, sizeof(where), "%s: line %lu", path, at.line);
		code = xs_cli_fail(where, at.text,
				   "give what xferspy dump printed");
		xs_cli_discard(out);
	} else {
		code = xs_cli_close(output, out, err);
	}
out:
	if (!standard)
		fclose(in);
	return code;
}

/* "a.xspy" becomes "a.resolved.xspy". Returns 0 or -ENAMETOOLONG. */
static int name_resolved(const char *path, char *out, size_t size)
{
	const size_t length = strlen(path);
	const bool suffix =
	    length > 5 && strcmp(path + length - 5, ".xspy") == 0;
	const int written = snprintf(out, size, "%.*s.resolved.xspy",
				     (int)(suffix ? length - 5 : length), path);

	return written < 0 || (size_t)written >= size ? -ENAMETOOLONG : 0;
}

/* Nobody may read the copy who may not read the trace. Returns 0 or -errno. */
static int copy_file(const char *from, int to)
{
	int file = open(from, O_RDONLY | O_CLOEXEC), err = 0;
	struct stat status, copy;
	off_t at = 0;

	if (file < 0)
		return -errno;
	if (fstat(file, &status) != 0 || fstat(to, &copy) != 0 ||
	    (S_ISREG(copy.st_mode) &&
	     fchmod(to, copy.st_mode & (status.st_mode | S_IWUSR) & 0777) != 0))
		err = -errno;
	while (!err && at < status.st_size) {
		const ssize_t sent =
		    sendfile(to, file, &at, (size_t)(status.st_size - at));

		if (sent <= 0)
			err = sent < 0 ? -errno : -EIO;
	}
	close(file);
	return err;
}

/* Why call sites of a file, whose names may be there, have no function and
 * line; NULL: they have. */
static const char *why_unresolved(const struct xs_trace *trace,
				  const char **file)
{
	XS_EACH(site, trace->sites, trace->site_count) {
		if (site->module == XS_NONE || site->symbol || site->file)
			continue;
		*file = trace->strings[trace->modules[site->module].path];
		if (trace->modules[site->module].changed)
			return "it has changed since the run";
		if (**file == '/' && access(*file, F_OK) != 0)
			return "it is not on this machine";
	}
	return NULL;
}

/* Writes a copy of path with the resolved call sites. Returns 0 or -errno. */
static int write_resolved(const char *path, const char *output,
			  struct xs_trace *trace)
{
	const int file = xs_unfinished_open(output);
	int err;

	if (file < 0)
		return file;
	err = copy_file(path, file);
	close(file);
	if (!err)
		err = xs_symbols_append(xs_unfinished_name(), trace);
	if (!err)
		return xs_unfinished_rename();
	xs_unfinished_delete();
	return err;
}

static int resolve(const char *path, const char *output)
{
	struct xs_trace *trace = NULL;
	const char *error = NULL, *file, *why;
	char name[PATH_MAX];
	int code = XS_EXIT_DONE;
	int err = xs_trace_read(path, &trace, &error);

	if (err)
		return xs_cli_read_error(path, err, error);
	if (!output) {
		err = name_resolved(path, name, sizeof(name));
		output = name;
	}
	if (!err && !trace->file_bytes) /* of a text, or of another tool */
		err = -EINVAL;
	if (!err)
		xs_symbols_resolve(trace);
	if (!err)
		err = write_resolved(path, output, trace);
	why = err ? NULL : why_unresolved(trace, &file);
	if (why)
		code =
		    xs_cli_fail(file, why,
				"the copy lacks its lines; make it where the "
				"program is as it ran");
	xs_trace_free(trace);
	if (err == -EINVAL)
		return xs_cli_read_error(
		    path, err,
		    "it is compressed (write it with `zcat FILE >NEW.xspy`), "
		    "or not a binary trace of a run that ended normally");
	if (err)
		return xs_cli_write_error(output, err,
					  "give -o a file that can be written");
	xs_cli_print("%s", output);
	return code;
}

static int dump_main(int argc, char **argv)
{
	struct dump_options given = {0};
	int code = parse(argc, argv, &given);

	if (code)
		return code;
	code = xs_cli_check_output(given.output, argv + optind, 1);
	if (code)
		return code;
	if (given.resolve)
		return resolve(argv[optind], given.output);
	if (given.read)
		return read_back(argv[optind], given.output);
	return dump(argv[optind], given.output);
}
