/* SPDX-License-Identifier: MIT */
#include "report/commands/cli.h"

#include "analyzer/util/escape.h"
#include "report/build/read.h"
#include "report/commands/unfinished.h"
#include "report/job/digest.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Names and files may contain any character. */
static void print_escaped(FILE *out, const char *format, va_list args)
{
	char *text = NULL;

	if (vasprintf(&text, format, args) >= 0)
		xs_escape_write(text, strlen(text), "", out);
	fputc('\n', out);
	free(text);
}

/* Prints a line to stderr. */
__attribute__((format(printf, 1, 2))) static void
print_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_escaped(stderr, format, args);
	va_end(args);
}

void xs_cli_print(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_escaped(stdout, format, args);
	va_end(args);
}

int xs_cli_error(enum xs_exit code, const char *what, const char *why,
		 const char *what_to_do)
{
	print_error("xferspy: %s: %s; %s", what, why, what_to_do);
	return code;
}

int xs_cli_bad_number(const char *name, const char *value,
		      const char *what_to_do)
{
	char why[128], *end;
	const bool negative = strtod(value, &end) <= 0 && value[0] == '-';

	snprintf(why, sizeof(why), "%.64s is %s", value,
		 negative && end != value		     ? "negative"
		 : isdigit((unsigned char)value[0]) && !*end ? "not allowed"
							     : "not a number");
	return xs_cli_misuse(name, why, what_to_do);
}

int xs_cli_parse_text(const char *name, const char *value, void *into)
{
	(void)name;
	*(const char **)into = value;
	return 0;
}

/* Profiles that are listed. */
#define LISTED_MAX 128

static void list_machines(void)
{
	char names[LISTED_MAX][XS_MACHINE_NAME_MAX];
	const int count = xs_machine_names(names, LISTED_MAX);

	for (int i = 0; i < count; i++) {
		struct xs_machine machine;
		char error[512];
		const bool valid = xs_machine_load(names[i], &machine, error,
						   sizeof(error)) == 0;

		xs_cli_print("%-12s  %s", names[i],
			     valid ? machine.gpu : "(cannot be read)");
	}
}

int xs_cli_parse_machine(const char *name, const char *value, void *into)
{
	struct xs_cli_machines *to = into;

	if (strcmp(value, "list") == 0) {
		list_machines();
		return XS_CLI_DONE;
	}
	if (to->count == to->most)
		return xs_cli_misuse(name, "too many machines",
				     to->most == 1 ? "give one"
						   : "give fewer at a time");
	to->names[to->count++] = value;
	return 0;
}

int xs_cli_machine(const char *name, struct xs_machine *machine)
{
	char error[512] = "";
	const int err = xs_machine_load(name, machine, error, sizeof(error));

	if (err == 0)
		return 0;
	/* the text of the loader is complete */
	print_error("xferspy: %s%s", error,
		    err == -ENOENT ? "; --machine list prints the names" : "");
	return XS_EXIT_INPUT;
}

int xs_cli_read_error(const char *path, int err, const char *error)
{
	if (xs_digest_is(path))
		return xs_cli_fail(path, "it is a digest, not a trace",
				   "give it to xferspy report, without --each "
				   "or --runs, or to xferspy merge");
	if (!error)
		return xs_cli_fail(path, strerror(-err), "name a trace");
	/* the text of the reader is complete */
	print_error("xferspy: %s: %s", path, error);
	return XS_EXIT_INPUT;
}

int xs_cli_read(const char *path, const struct xs_result_options *options,
		struct xs_result **result)
{
	static bool standard_was_read;
	const char *error = NULL;
	int err;

	if (strcmp(path, "-") == 0) {
		if (standard_was_read)
			return xs_cli_fail(path,
					   "standard input is read already",
					   "give it once");
		standard_was_read = true;
	}
	err = xs_result_read(path, options, result, &error);
	return err < 0 ? xs_cli_read_error(path, err, error) : 0;
}

int xs_cli_tell_damage(const char *path, bool damaged)
{
	return damaged ? xs_cli_fail(path, "the file is cut or damaged",
				     "copy the trace again; what is left of it "
				     "was read")
		       : 0;
}

/* An input is a name, or - for standard input. */
static bool is_input(const char *input, const struct stat *file)
{
	struct stat from;
	const int err = strcmp(input, "-") == 0 ? fstat(STDIN_FILENO, &from)
						: stat(input, &from);

	return err == 0 && from.st_dev == file->st_dev &&
	       from.st_ino == file->st_ino;
}

int xs_cli_check_output(const char *output, char *const *inputs, int count)
{
	struct stat to;

	if (!output || stat(output, &to) || !S_ISREG(to.st_mode))
		return 0;
	for (int i = 0; i < count; i++)
		if (is_input(inputs[i], &to))
			return xs_cli_misuse(output, "it is also an input",
					     "give -o another file");
	return 0;
}

int xs_cli_open(const char *path, FILE **out)
{
	int file;

	if (!path || strcmp(path, "-") == 0) {
		*out = stdout;
		return 0;
	}
	file = xs_unfinished_open(path);
	*out = file < 0 ? NULL : fdopen(file, "w");
	if (*out)
		return 0;
	return xs_cli_fail(path, strerror(file < 0 ? -file : errno),
			   "give -o a file that can be written");
}

/* Returns why the output cannot be written, -errno. Streams do not keep the
 * error of a write that failed; the next write fails for the same reason. */
static int write_error(FILE *out)
{
	errno = 0;
	if (ferror(out)) {
		clearerr(out);
		fputc('\n', out);
	}
	return fflush(out) != 0 ? -errno : 0;
}

int xs_cli_write_error(const char *path, int err, const char *advice)
{
	if (err == -EEXIST)
		return xs_cli_fail(path, "a file of another kind is there",
				   "give -o another file, or delete it");
	return xs_cli_fail(path ? path : "output", strerror(-err), advice);
}

int xs_cli_close(const char *path, FILE *out, int err)
{
	const bool failed = ferror(out);
	int why = write_error(out);

	if (out != stdout && fclose(out) != 0 && !why)
		why = -errno;
	if (!why && failed)
		why = -EIO;
	if (!err || err == -EIO)
		err = why ? why : err;
	if (err)
		xs_unfinished_delete();
	else
		err = xs_unfinished_rename();
	return err ? xs_cli_write_error(path, err,
					"check the free space and try again")
		   : 0;
}

void xs_cli_discard(FILE *out)
{
	if (out != stdout)
		fclose(out);
	xs_unfinished_delete();
}
