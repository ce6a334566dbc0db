/* SPDX-License-Identifier: MIT */
#include "report/cli.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int xs_cli_error(enum xs_exit code, const char *what, const char *why,
		 const char *what_to_do)
{
	fprintf(stderr, "xferspy: %s: %s; %s\n", what, why, what_to_do);
	return code;
}

int xs_cli_bad_option(const char *command, char **argv, int option)
{
	char help[64];

	snprintf(help, sizeof(help), "see xferspy %s --help", command);
	return xs_cli_error(XS_EXIT_USAGE, argv[optind - 1],
			    option == ':' ? "the option needs a value"
					  : "no such option",
			    help);
}

int xs_cli_format(const char *name, const char *allowed, enum xs_format *format)
{
	static const char *const names[] = {"text", "json", "csv"};
	char known[64];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0 && strstr(allowed, name)) {
			*format = (enum xs_format)i;
			return 0;
		}
	snprintf(known, sizeof(known), "the formats here are: %s", allowed);
	return xs_cli_error(XS_EXIT_USAGE, name, "no format of this command",
			    known);
}

int xs_cli_machine(const char *name, struct xs_machine *machine)
{
	char error[512] = "";

	if (xs_machine_load(name, machine, error, sizeof(error)) == 0)
		return 0;
	/* the loader's text already says what, why and what to do */
	fprintf(stderr, "xferspy: %s\n", error);
	return XS_EXIT_INPUT;
}

int xs_cli_unreadable(const char *path, int err, const char *error)
{
	if (!error)
		return xs_cli_error(XS_EXIT_INPUT, path, strerror(-err),
				    "name a trace that xferspy wrote");
	/* the reader's text already says why and what to do */
	fprintf(stderr, "xferspy: %s: %s\n", path, error);
	return XS_EXIT_INPUT;
}

int xs_cli_read(const char *path, const struct xs_result_options *options,
		struct xs_result **result)
{
	const char *error = NULL;
	int err = xs_result_read(path, options, result, &error);

	return err < 0 ? xs_cli_unreadable(path, err, error) : 0;
}

int xs_cli_not_input(const char *output, char *const *inputs, int count)
{
	struct stat to, from;

	if (!output || stat(output, &to) || !S_ISREG(to.st_mode))
		return 0;
	for (int i = 0; i < count; i++)
		if (stat(inputs[i], &from) == 0 && from.st_dev == to.st_dev &&
		    from.st_ino == to.st_ino)
			return xs_cli_error(XS_EXIT_USAGE, output,
					    "it is the input as well",
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
			    "check the space left and try again");
}

bool xs_cli_color(FILE *out)
{
	const char *off = getenv("NO_COLOR");

	return !(off && *off) && isatty(fileno(out));
}
