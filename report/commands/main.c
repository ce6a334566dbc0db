/* SPDX-License-Identifier: MIT */
/* The xferspy command: a table of subcommands, one file each. */
#include "report/commands/cli.h"

#include <locale.h>
#include <string.h>

static const struct command {
	const char *name;
	int (*function)(int argc, char **argv);
	const char *summary;
} commands[] = {
    {"run", xs_cmd_run, "run a program and write its trace"},
    {"report", xs_cmd_report, "predict how much time each strategy saves"},
    {"diff", xs_cmd_diff, "compare two traces; can fail a CI job"},
    {"calibrate", xs_cmd_calibrate, "measure this machine's profile"},
    {"model", xs_cmd_model, "evaluate the published equations"},
    {"dump", xs_cmd_dump, "print a trace as text and read it back"},
};
#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static const struct command *find(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

static int help(FILE *out)
{
	fputs("Usage: xferspy COMMAND [ARGUMENTS]\n"
	      "Predicts how much time other ways of moving data would save a "
	      "CUDA program.\n"
	      "\n"
	      "Commands:\n",
	      out);
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(out, "  %-10s %s\n", commands[i].name,
			commands[i].summary);
	fputs("\n"
	      "See also xferspy COMMAND --help and xferspy --version.\n"
	      "Exit codes: 0 success, 1 wrong usage, 2 a file cannot be read "
	      "or written,\n"
	      "3 the limit of --fail-above is exceeded.\n",
	      out);
	return XS_EXIT_DONE;
}

/* "xferspy help COMMAND" is "xferspy COMMAND --help". */
static int help_command(int argc, char **argv)
{
	static char option[] = "--help";
	const struct command *command;
	char *args[] = {argc > 2 ? argv[2] : NULL, option, NULL};

	if (argc < 3)
		return help(stdout);
	command = find(argv[2]);
	if (!command)
		return xs_cli_error(XS_EXIT_USAGE, argv[2], "no such command",
				    "see xferspy --help");
	return command->function(2, args);
}

int main(int argc, char **argv)
{
	const struct command *command;

	setlocale(LC_CTYPE, "");
	if (argc < 2) {
		help(stderr);
		return XS_EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return help(stdout);
	if (strcmp(argv[1], "help") == 0)
		return help_command(argc, argv);
	if (strcmp(argv[1], "--version") == 0) {
		puts("xferspy " XS_VERSION);
		return XS_EXIT_DONE;
	}
	command = find(argv[1]);
	if (!command)
		return xs_cli_error(XS_EXIT_USAGE, argv[1], "no such command",
				    "see xferspy --help");
	return command->function(argc - 1, argv + 1);
}
