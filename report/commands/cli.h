/* SPDX-License-Identifier: MIT */
/* Shared by the commands: exit codes, errors, options, output. */
#ifndef XS_REPORT_COMMANDS_CLI_H
#define XS_REPORT_COMMANDS_CLI_H

#include "model/machine/machine.h"
#include "report/build/options.h"
#include "report/render/renderer.h"
#include "report/result/result.h"

#include <stdbool.h>
#include <stdio.h>

enum xs_exit {
	XS_EXIT_DONE = 0,
	XS_EXIT_USAGE = 1, /* wrong usage */
	XS_EXIT_INPUT = 2, /* input not readable or output not writable */
	XS_EXIT_GATE = 3,  /* the limit of --fail-above is exceeded */
};

/* The commands. argv[0] is the command's name; they return an exit code. */
int xs_cmd_run(int argc, char **argv);
int xs_cmd_report(int argc, char **argv);
int xs_cmd_diff(int argc, char **argv);
int xs_cmd_calibrate(int argc, char **argv);
int xs_cmd_model(int argc, char **argv);
int xs_cmd_dump(int argc, char **argv);

/* Prints "xferspy: what: why; what to do" to stderr. Returns code. */
int xs_cli_error(enum xs_exit code, const char *what, const char *why,
		 const char *what_to_do);

/* Parses the value of the option `name` into *into. Returns 0, or an exit code
 * after printing an error. */
typedef int xs_cli_parse_value(const char *name, const char *value, void *into);

/* An option of a command; tables end with an empty row. */
struct xs_cli_option {
	const char *name;	   /* with dashes: "--output" */
	char letter;		   /* 'o' of -o; 0: none */
	xs_cli_parse_value *parse; /* NULL: no value, sets the bool *into */
	void *into;
};

/* Placeholder for the names of the formats in a usage text. */
#define XS_CLI_FORMATS "@FORMATS@"

/* Syntax of a command; all have -h and --help. */
struct xs_cli_syntax {
	const char *command;
	/* text of --help; may contain XS_CLI_FORMATS */
	const char *usage;
	enum xs_render_command formats; /* for XS_CLI_FORMATS */
	bool stop_at_word; /* stop at the first word that is not an option */
};

/* The usage was printed: the command is done. */
#define XS_CLI_HELP_PRINTED (-1)

/*
 * Parses all options; then optind is the first other word. Returns 0,
 * XS_CLI_HELP_PRINTED, or an exit code after printing an error.
 */
int xs_cli_parse(const struct xs_cli_syntax *syntax,
		 const struct xs_cli_option *options, int argc, char **argv);

/* Stores the value in a const char *. */
xs_cli_parse_value xs_cli_parse_text;

/* Finds a format of the command by name. Returns 0, or XS_EXIT_USAGE after
 * printing an error. */
int xs_cli_format(const char *name, enum xs_render_command command,
		  const struct xs_renderer **renderer);

/* Loads a profile by name or path. Returns 0, or XS_EXIT_INPUT after printing
 * an error. */
int xs_cli_machine(const char *name, struct xs_machine *machine);

/* Prints why a trace cannot be read; error: text of the reader, or NULL.
 * Returns XS_EXIT_INPUT. */
int xs_cli_read_error(const char *path, int err, const char *error);

/* Reads a trace. Returns 0, or XS_EXIT_INPUT after printing an error. */
int xs_cli_read(const char *path, const struct xs_result_options *options,
		struct xs_result **result);

/* Checks that the output is not one of the inputs, which opening would
 * truncate. Returns 0, or XS_EXIT_USAGE after printing an error. */
int xs_cli_check_output(const char *output, char *const *inputs, int count);

/*
 * Opens the output; NULL or "-" is stdout. Call it before long work. Returns
 * 0, or XS_EXIT_INPUT after printing an error.
 */
int xs_cli_open(const char *path, FILE **out);

/* Flushes and closes the output; err is the result of the writer. Returns 0,
 * or XS_EXIT_INPUT after printing an error. */
int xs_cli_close(const char *path, FILE *out, int err);

/* Whether out is a terminal and NO_COLOR is not set. */
bool xs_cli_color(FILE *out);

#endif
