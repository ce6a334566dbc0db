/* SPDX-License-Identifier: MIT */
/* Shared by the commands: exit codes, errors, options, output. */
#pragma once

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
	XS_EXIT_GATE = 3,  /* the limit of --fail-above is not kept */
	XS_EXIT_NOISY = 4, /* the runs spread too much to tell */
};

/* Prints "xferspy: what: why; what to do" to stderr. Returns code. */
int xs_cli_error(enum xs_exit code, const char *what, const char *why,
		 const char *what_to_do);

/* The same of wrong usage, and of what cannot be read or written. */
#define xs_cli_misuse(...) xs_cli_error(XS_EXIT_USAGE, __VA_ARGS__)
#define xs_cli_fail(...)   xs_cli_error(XS_EXIT_INPUT, __VA_ARGS__)

/* Prints a line to stdout, and escapes what a terminal must not get. */
__attribute__((format(printf, 1, 2))) void xs_cli_print(const char *format,
							...);

/* Parses the value of the option `name` into *into. Returns 0, or an exit code
 * after printing an error, or XS_CLI_DONE. */
typedef int xs_cli_parse_value(const char *name, const char *value, void *into);

/* An option of a command; tables end with an empty row. Parsing, --help and the
 * completions of shells come from these tables, the last by --help. */
struct xs_cli_option {
	const char *name;	   /* with dashes: "--output" */
	char letter;		   /* 'o' of -o; 0: none */
	const char *value;	   /* what --help calls the value: "FILE";
				    * NULL: no value, sets a bool */
	xs_cli_parse_value *parse; /* NULL: of a bool, or the name of a format,
				    * whose struct xs_renderer is stored */
	size_t offset;		   /* of the target in the command's struct */
	const char *help; /* lines of --help; may contain XS_CLI_FORMATS.
			   * NULL: write_help of the command */
};

/* The row of --output, whose FILE goes into a const char * of the struct. */
#define XS_CLI_OUTPUT_ROW(type, member)                                        \
	{                                                                      \
		"--output", 'o', "FILE", xs_cli_parse_text,                    \
		    offsetof(type, member),                                    \
		    "write to FILE instead of standard output"                 \
	}

/* Placeholder for the names of the formats of a command. */
#define XS_CLI_FORMATS "@FORMATS@"

/* The words of a command that are not options. */
enum xs_cli_words {
	XS_CLI_WORDS_NONE,
	XS_CLI_WORDS_FILES,
	XS_CLI_WORDS_PROGRAM, /* a program and its own arguments, which may
			       * look like options */
};

struct xs_cli_command {
	const char *name;
	int (*function)(int argc, char **argv); /* returns an exit code, or
						 * XS_CLI_DONE */
	const char *summary;
	const char *usage; /* --help before the options */
	const char *notes; /* --help after the options; NULL: nothing */
	const struct xs_cli_option *options;
	void (*write_help)(char *out, size_t size);
	enum xs_cli_words words;
	const char *single; /* "trace", if it takes exactly one; else NULL */
	bool has_formats;
	enum xs_render_command formats; /* if has_formats */
};

/* The commands in the order of --help; NULL ends the list. */
extern const struct xs_cli_command *const xs_cli_commands[];
extern const struct xs_cli_command xs_cmd_run, xs_cmd_report, xs_cmd_diff,
    xs_cmd_digest, xs_cmd_merge, xs_cmd_calibrate, xs_cmd_model, xs_cmd_dump,
    xs_cmd_export;

/* The requested text was printed: the command is done. */
#define XS_CLI_DONE (-1)

/*
 * Parses all options into the command's struct; then optind is the first other
 * word. Refuses more or fewer of these than the command takes. Returns 0,
 * XS_CLI_DONE after --help, or an exit code after printing an error.
 */
int xs_cli_parse(const struct xs_cli_command *command, int argc, char **argv,
		 void *into);

/* Prints why the value of the option `name`, a number that must not be
 * negative, is wrong. Returns XS_EXIT_USAGE. */
int xs_cli_bad_number(const char *name, const char *value,
		      const char *what_to_do);

/* Stores the value in a const char *. */
xs_cli_parse_value xs_cli_parse_text;

/* The values of --machine: at most `most`. */
struct xs_cli_machines {
	const char *names[16];
	size_t count, most;
};

/* Adds the value to a struct xs_cli_machines; if it is "list", prints the
 * profiles that are known by name instead. */
xs_cli_parse_value xs_cli_parse_machine;

/* Loads a profile by name or path. Returns 0, or XS_EXIT_INPUT after printing
 * an error. */
int xs_cli_machine(const char *name, struct xs_machine *machine);

/* Prints why a trace cannot be read; error: text of the reader, or NULL.
 * Returns XS_EXIT_INPUT. */
int xs_cli_read_error(const char *path, int err, const char *error);

/* Reads a trace. Returns 0, or XS_EXIT_INPUT after printing an error. */
int xs_cli_read(const char *path, const struct xs_result_options *options,
		struct xs_result **result);

/* Tells that a file is damaged. Returns XS_EXIT_INPUT, 0 if it is not. */
int xs_cli_tell_damage(const char *path, bool damaged);

/* Checks, before long work, that the output is not one of the inputs, whose
 * place it would take. Returns 0, or XS_EXIT_USAGE after printing an error. */
int xs_cli_check_output(const char *output, char *const *inputs, int count);

/*
 * Opens the output; NULL or "-" is stdout. A file that was there stays until
 * the output is closed. Call it before long work. Returns 0, or XS_EXIT_INPUT
 * after printing an error.
 */
int xs_cli_open(const char *path, FILE **out);

/* Prints why `path` was not written (err: -errno; -EEXIST: what is there is of
 * another kind) and the advice. path NULL: standard output. Returns the exit
 * code. */
int xs_cli_write_error(const char *path, int err, const char *advice);

/* Flushes and closes the output; err is the result of the writer. Returns 0,
 * or XS_EXIT_INPUT after printing an error and leaving the file as it was. */
int xs_cli_close(const char *path, FILE *out, int err);

/* Closes the output after an error that is told already, and leaves the file as
 * it was. */
void xs_cli_discard(FILE *out);
