/* SPDX-License-Identifier: MIT */
/* The xferspy command: finds the subcommand. */
#include "report/commands/cli.h"
#include "report/commands/unfinished.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct xs_cli_command *find(const char *name)
{
	for (size_t i = 0; xs_cli_commands[i]; i++)
		if (strcmp(xs_cli_commands[i]->name, name) == 0)
			return xs_cli_commands[i];
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
	for (size_t i = 0; xs_cli_commands[i]; i++)
		fprintf(out, "  %-10s %s\n", xs_cli_commands[i]->name,
			xs_cli_commands[i]->summary);
	fputs("\n"
	      "To trace a program: xferspy run ./app. To read its trace: "
	      "xferspy report TRACE.\n"
	      "See also xferspy COMMAND --help and xferspy --version.\n"
	      "Exit codes: 0 success, 1 wrong usage, 2 a file cannot be read "
	      "(or not all of\n"
	      "it), written or compared, 3 the limit of --fail-above is not "
	      "kept, 4 the runs\n"
	      "spread too much to tell.\n",
	      out);
	return XS_EXIT_DONE;
}

/* A file in the place of a command: a trace, or a program to trace. */
static bool is_file(const char *word, bool *program)
{
	const size_t length = strlen(word);
	struct stat status;

	*program = false;
	if (stat(word, &status) != 0)
		return length > 5 && !strcmp(word + length - 5, ".xspy");
	*program = access(word, X_OK) == 0;
	return S_ISREG(status.st_mode);
}

static int unknown(const char *word)
{
	char what_to_do[PATH_MAX + 64];
	bool program;

	if (is_file(word, &program)) {
		snprintf(what_to_do, sizeof(what_to_do),
			 program ? "to trace a program: xferspy run %s"
				 : "to read a trace: xferspy report %s",
			 word);
		return xs_cli_fail(word, "a file is not a command", what_to_do);
	}
	return xs_cli_misuse(word, "no such command", "see xferspy --help");
}

/* "xferspy help COMMAND" is "xferspy COMMAND --help". */
static int help_command(int argc, char **argv)
{
	static char option[] = "--help";
	const struct xs_cli_command *command;
	char *args[] = {argc > 2 ? argv[2] : NULL, option, NULL};

	if (argc < 3)
		return help(stdout);
	command = find(argv[2]);
	return command ? command->function(2, args) : unknown(argv[2]);
}

/* A standard descriptor that is closed would be that of the next file: messages
 * would go into the output. It can be neither read nor written, and a program
 * that is run finds it closed, as before.
 */
static void hold_standard(void)
{
	int file;

	do
		file = open("/dev/zero", O_PATH | O_CLOEXEC);
	while (file >= 0 && file <= STDERR_FILENO);
	if (file >= 0)
		close(file);
}

static void end(const char *why)
{
	xs_unfinished_delete();
	/* xs_cli_fail() would need memory */
	fprintf(stderr, "xferspy: %s\n", why);
	exit(XS_EXIT_INPUT);
}

static int command_main(int argc, char **argv)
{
	const struct xs_cli_command *command;

	if (argc < 2) {
		help(stderr);
		return XS_EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return help(stdout);
	if (strcmp(argv[1], "help") == 0)
		return help_command(argc, argv);
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0 ||
	    strcmp(argv[1], "version") == 0) {
		puts("xferspy " XS_VERSION);
		return XS_EXIT_DONE;
	}
	command = find(argv[1]);
	return command ? command->function(argc - 1, argv + 1)
		       : unknown(argv[1]);
}

int main(int argc, char **argv)
{
	int code;

	hold_standard();
	setlocale(LC_CTYPE, "");
	xs_end = end;
	json_set_alloc_funcs(xs_malloc, free);
	code = command_main(argc, argv);
	/* commands that write more than a text have told it */
	return code == XS_EXIT_DONE || code == XS_CLI_DONE
		   ? xs_cli_close(NULL, stdout, 0)
		   : code;
}
