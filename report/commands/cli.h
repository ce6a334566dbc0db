/* SPDX-License-Identifier: MIT */
/* What the commands share: exit codes, errors, common options, output. */
#ifndef XS_REPORT_COMMANDS_CLI_H
#define XS_REPORT_COMMANDS_CLI_H

#include "model/machine.h"
#include "report/build/options.h"
#include "report/render/renderer.h"
#include "report/result/result.h"

#include <stdbool.h>
#include <stdio.h>

enum xs_exit {
	XS_EXIT_DONE = 0,
	XS_EXIT_USAGE = 1, /* wrong use */
	XS_EXIT_INPUT = 2, /* input that cannot be read, output not written */
	XS_EXIT_GATE = 3,  /* a gate such as --fail-above was not met */
};

/* The commands. argv[0] is the name of the command; they return an exit code.
 */
int xs_cmd_run(int argc, char **argv);
int xs_cmd_report(int argc, char **argv);
int xs_cmd_diff(int argc, char **argv);
int xs_cmd_calibrate(int argc, char **argv);
int xs_cmd_model(int argc, char **argv);
int xs_cmd_dump(int argc, char **argv);

/* "xferspy: what: why; what to do" on stderr. Returns code. */
int xs_cli_error(enum xs_exit code, const char *what, const char *why,
		 const char *what_to_do);

/* Takes the value of an option, which goes by that name, into *into. 0, or an
 * exit code after the error. */
typedef int xs_cli_parse_value(const char *name, const char *value, void *into);

/* An option of a command; a table of them ends with one without a name. */
struct xs_cli_option {
	const char *name; /* with its dashes: "--output" */
	char letter;	  /* 'o' of -o; 0: none */
	xs_cli_parse_value
	    *take; /* NULL: no value, the bool *into becomes true */
	void *into;
};

/* Stands in a usage text for the names of the formats. */
#define XS_CLI_FORMATS "@FORMATS@"

/* A command's options, beside -h and --help, which all have. */
struct xs_cli_syntax {
	const char *command;
	/* printed by --help; XS_CLI_FORMATS in it becomes the formats' names */
	const char *usage;
	enum xs_render_command formats; /* whose names, if usage has them */
	bool leading; /* what follows the first other word is not its own */
};

/* The usage was printed: the command is done. */
#define XS_CLI_HELP_PRINTED (-1)

/*
 * Takes all options; optind is then the first word that is none. 0,
 * XS_CLI_HELP_PRINTED, or an exit code after the error.
 */
int xs_cli_parse(const struct xs_cli_syntax *syntax,
		 const struct xs_cli_option *options, int argc, char **argv);

/* The value itself, into a const char *. */
xs_cli_parse_value xs_cli_parse_text;

/* Finds a format of the command by name. 0, or XS_EXIT_USAGE after the error.
 */
int xs_cli_format(const char *name, enum xs_render_command command,
		  const struct xs_renderer **renderer);

/* Loads a profile by name or path. 0, or XS_EXIT_INPUT after the error. */
int xs_cli_machine(const char *name, struct xs_machine *machine);

/* Says why a trace cannot be read; error: the reader's own words, or NULL.
 * Returns XS_EXIT_INPUT. */
int xs_cli_read_error(const char *path, int err, const char *error);

/* Reads a trace. 0, or XS_EXIT_INPUT after the error was printed. */
int xs_cli_read(const char *path, const struct xs_result_options *options,
		struct xs_result **result);

/* That the output is none of the inputs, which opening it would empty. 0, or
 * XS_EXIT_USAGE after the error. */
int xs_cli_check_output(const char *output, char *const *inputs, int count);

/*
 * Opens the output before the long work; NULL or "-" is stdout. 0, or
 * XS_EXIT_INPUT after the error.
 */
int xs_cli_open(const char *path, FILE **out);

/* Flushes and closes what xs_cli_open opened; err is that of the writer. 0, or
 * XS_EXIT_INPUT after the error. */
int xs_cli_close(const char *path, FILE *out, int err);

/* Whether out wants colour: a terminal, and no NO_COLOR in the environment. */
bool xs_cli_color(FILE *out);

#endif
