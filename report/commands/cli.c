/* SPDX-License-Identifier: MIT */
#include "report/commands/cli.h"

#include "analyzer/util/escape.h"
#include "report/build/read.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Prints a line to stderr. Names and files may contain any character. */
__attribute__((format(printf, 1, 2))) static void
print_error(const char *format, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) >= 0)
		xs_escape_write(text, strlen(text), "", stderr);
	va_end(args);
	fputc('\n', stderr);
	free(text);
}

int xs_cli_error(enum xs_exit code, const char *what, const char *why,
		 const char *what_to_do)
{
	print_error("xferspy: %s: %s; %s", what, why, what_to_do);
	return code;
}

/* Values of getopt_long(): --help, then the options of the table. */
enum { HELP = 256, FIRST };

#define OPTIONS_MAX 24

/* Tables for getopt_long(); options without a letter are long options only. */
struct getopt_tables {
	char letters[2 * OPTIONS_MAX + 8];
	struct option longs[OPTIONS_MAX + 2];
};

static void fill_tables(const struct xs_cli_syntax *syntax,
			const struct xs_cli_option *options,
			struct getopt_tables *out)
{
	char *letter = out->letters + sprintf(out->letters, "%s:h",
					      syntax->stop_at_word ? "+" : "");
	size_t i;

	for (i = 0; i < OPTIONS_MAX && options[i].name; i++) {
		const bool value = options[i].parse != NULL;

		if (options[i].letter)
			letter += sprintf(letter, "%c%s", options[i].letter,
					  value ? ":" : "");
		out->longs[i] =
		    (struct option){options[i].name + strlen("--"),
				    value ? required_argument : no_argument,
				    NULL, FIRST + (int)i};
	}
	out->longs[i] = (struct option){"help", no_argument, NULL, HELP};
}

/* Returns the option that getopt_long() found, NULL if unknown. */
static const struct xs_cli_option *
find_option(const struct xs_cli_option *options, int found)
{
	if (found >= FIRST)
		return &options[found - FIRST];
	for (size_t i = 0; options[i].name; i++)
		if (options[i].letter && options[i].letter == found)
			return &options[i];
	return NULL;
}

static int bad_option(const char *command, const char *word, int found)
{
	char help[64];

	snprintf(help, sizeof(help), "see xferspy %s --help", command);
	return xs_cli_error(
	    XS_EXIT_USAGE, word,
	    found == ':' ? "the option needs a value" : "unknown option", help);
}

static void print_usage(const struct xs_cli_syntax *syntax)
{
	const char *mark = strstr(syntax->usage, XS_CLI_FORMATS);
	char names[64];

	if (!mark) {
		fputs(syntax->usage, stdout);
		return;
	}
	xs_renderer_names(syntax->formats, names, sizeof(names));
	printf("%.*s%s%s", (int)(mark - syntax->usage), syntax->usage, names,
	       mark + strlen(XS_CLI_FORMATS));
}

int xs_cli_parse(const struct xs_cli_syntax *syntax,
		 const struct xs_cli_option *options, int argc, char **argv)
{
	struct getopt_tables tables = {0};
	int found, code = 0;

	fill_tables(syntax, options, &tables);
	opterr = 0;
	while (!code && (found = getopt_long(argc, argv, tables.letters,
					     tables.longs, NULL)) != -1) {
		const struct xs_cli_option *option =
		    find_option(options, found);

		if (found == HELP || found == 'h') {
			print_usage(syntax);
			code = XS_CLI_HELP_PRINTED;
		} else if (!option) {
			code = bad_option(syntax->command, argv[optind - 1],
					  found);
		} else if (option->parse) {
			code =
			    option->parse(option->name, optarg, option->into);
		} else {
			*(bool *)option->into = true;
		}
	}
	return code;
}

int xs_cli_parse_text(const char *name, const char *value, void *into)
{
	(void)name;
	*(const char **)into = value;
	return 0;
}

int xs_cli_format(const char *name, enum xs_render_command command,
		  const struct xs_renderer **renderer)
{
	char names[64], known[96];

	*renderer = xs_renderer_find(name, command);
	if (*renderer)
		return 0;
	xs_renderer_names(command, names, sizeof(names));
	snprintf(known, sizeof(known), "use one of: %s", names);
	return xs_cli_error(XS_EXIT_USAGE, name, "unknown format", known);
}

int xs_cli_machine(const char *name, struct xs_machine *machine)
{
	char error[512] = "";

	if (xs_machine_load(name, machine, error, sizeof(error)) == 0)
		return 0;
	/* the text of the loader is complete */
	print_error("xferspy: %s", error);
	return XS_EXIT_INPUT;
}

int xs_cli_read_error(const char *path, int err, const char *error)
{
	if (!error)
		return xs_cli_error(XS_EXIT_INPUT, path, strerror(-err),
				    "name a trace that xferspy wrote");
	/* the text of the reader is complete */
	print_error("xferspy: %s: %s", path, error);
	return XS_EXIT_INPUT;
}

int xs_cli_read(const char *path, const struct xs_result_options *options,
		struct xs_result **result)
{
	const char *error = NULL;
	int err = xs_result_read(path, options, result, &error);

	return err < 0 ? xs_cli_read_error(path, err, error) : 0;
}

int xs_cli_check_output(const char *output, char *const *inputs, int count)
{
	struct stat to, from;

	if (!output || stat(output, &to) || !S_ISREG(to.st_mode))
		return 0;
	for (int i = 0; i < count; i++)
		if (stat(inputs[i], &from) == 0 && from.st_dev == to.st_dev &&
		    from.st_ino == to.st_ino)
			return xs_cli_error(XS_EXIT_USAGE, output,
					    "it is also an input",
					    "give -o another file");
	return 0;
}

int xs_cli_open(const char *path, FILE **out)
{
	if (!path || strcmp(path, "-") == 0) {
		*out = stdout;
		return 0;
	}
	*out = fopen(path, "w");
	if (*out)
		return 0;
	return xs_cli_error(XS_EXIT_INPUT, path, strerror(errno),
			    "give -o a file that can be written");
}

int xs_cli_close(const char *path, FILE *out, int err)
{
	bool failed = ferror(out);

	if (out == stdout)
		failed |= fflush(out) != 0;
	else
		failed |= fclose(out) != 0;
	if (!err && !failed)
		return 0;
	return xs_cli_error(XS_EXIT_INPUT, path ? path : "output",
			    err ? strerror(-err) : "it could not be written",
			    "check the free space and try again");
}

bool xs_cli_color(FILE *out)
{
	const char *off = getenv("NO_COLOR");

	return !(off && *off) && isatty(fileno(out));
}
