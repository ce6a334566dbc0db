/* SPDX-License-Identifier: MIT */
/* Parses the options of a command and prints its --help, from one table. */
#include "report/commands/cli.h"

#include <getopt.h>
#include <string.h>

/* Values of getopt_long(): --help, then the options of the table. */
enum { HELP = 256, FIRST };

#define OPTIONS_MAX 24

/* Tables for getopt_long(); options without a letter are long options only. */
struct getopt_tables {
	char letters[2 * OPTIONS_MAX + 8];
	struct option longs[OPTIONS_MAX + 2];
};

static const struct xs_cli_option help_option = {
    .name = "--help", .letter = 'h', .help = "print this text"};

static void fill_tables(const struct xs_cli_command *command,
			struct getopt_tables *out)
{
	const struct xs_cli_option *options = command->options;
	/* options after a program belong to the program */
	char *letter =
	    out->letters +
	    sprintf(out->letters, "%s:h",
		    command->words == XS_CLI_WORDS_PROGRAM ? "+" : "");
	size_t i;

	for (i = 0; i < OPTIONS_MAX && options[i].name; i++) {
		const bool value = options[i].value != NULL;

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

/* The words before a command's name, which may be a program's own. */
static const char *program(const struct xs_cli_command *command)
{
	return command->function ? "xferspy " : "";
}

static int bad_option(const struct xs_cli_command *command, const char *word,
		      int found)
{
	char help[64];

	snprintf(help, sizeof(help), "see %s%s --help", program(command),
		 command->name);
	return xs_cli_misuse(
	    word, found == ':' ? "the option needs a value" : "unknown option",
	    help);
}

/* Writes the lines of --help of an option. */
static void write_text(const struct xs_cli_command *command,
		       const struct xs_cli_option *option, char *out,
		       size_t size)
{
	const char *text = option->help, *mark;
	char names[64] = "";

	if (!option->help) {
		command->write_help(out, size);
		return;
	}
	mark = strstr(text, XS_CLI_FORMATS);
	if (!mark || !command->has_formats) {
		snprintf(out, size, "%s", text);
		return;
	}
	xs_renderer_names(command->formats, names, sizeof(names));
	snprintf(out, size, "%.*s%s%s", (int)(mark - text), text, names,
		 mark + strlen(XS_CLI_FORMATS));
}

/* "-o, --output FILE". Returns its length. */
static int print_heading(const struct xs_cli_option *option, char *out,
			 size_t size)
{
	const char letter[] = {'-', option->letter, ',', ' ', '\0'};

	return snprintf(out, size, "%s%s%s%s", option->letter ? letter : "",
			option->name, option->value ? " " : "",
			option->value ? option->value : "");
}

/* Prints an option with its text from column `column` on. */
static void print_option(const struct xs_cli_command *command,
			 const struct xs_cli_option *option, int column)
{
	char heading[64], text[512];
	const char *line = text;

	print_heading(option, heading, sizeof(heading));
	write_text(command, option, text, sizeof(text));
	printf("  %-*s", column, heading);
	for (;;) {
		const size_t length = strcspn(line, "\n");

		printf("%.*s\n", (int)length, line);
		if (!line[length])
			break;
		line += length + 1;
		printf("  %*s", column, "");
	}
}

static void print_help(const struct xs_cli_command *command)
{
	const struct xs_cli_option *option;
	char heading[64];
	int widest = 0, width;

	for (option = command->options; option->name; option++) {
		width = print_heading(option, heading, sizeof(heading));
		widest = width > widest ? width : widest;
	}
	width = print_heading(&help_option, heading, sizeof(heading));
	widest = width > widest ? width : widest;
	printf("%s\n", command->usage);
	for (option = command->options; option->name; option++)
		print_option(command, option, widest + 2);
	print_option(command, &help_option, widest + 2);
	if (command->notes)
		printf("\n%s", command->notes);
}

/* Finds a format of the command by name. */
static int find_format(const char *name, enum xs_render_command command,
		       const struct xs_renderer **renderer)
{
	char names[64], known[96];

	*renderer = xs_renderer_find(name, command);
	if (*renderer)
		return 0;
	xs_renderer_names(command, names, sizeof(names));
	snprintf(known, sizeof(known), "use one of: %s", names);
	return xs_cli_misuse(name, "unknown format", known);
}

/* Checks the words that are no options. */
static int check_words(const struct xs_cli_command *command, int argc,
		       char **argv)
{
	char why[64], help[64];

	snprintf(help, sizeof(help), "see %s%s --help", program(command),
		 command->name);
	if (command->words == XS_CLI_WORDS_NONE && optind < argc)
		return xs_cli_misuse(argv[optind], "unexpected argument", help);
	if (!command->single || optind == argc - 1)
		return 0;
	snprintf(why, sizeof(why), "it takes exactly one %s", command->single);
	return xs_cli_misuse(command->name, why, help);
}

int xs_cli_parse(const struct xs_cli_command *command, int argc, char **argv,
		 void *into)
{
	struct getopt_tables tables = {0};
	int found, code = 0;

	fill_tables(command, &tables);
	opterr = 0;
	while (!code && (found = getopt_long(argc, argv, tables.letters,
					     tables.longs, NULL)) != -1) {
		const struct xs_cli_option *option =
		    find_option(command->options, found);
		void *at = option ? (char *)into + option->offset : NULL;

		if (found == HELP || found == 'h') {
			print_help(command);
			code = XS_CLI_DONE;
		} else if (!option) {
			code = bad_option(command, argv[optind - 1], found);
		} else if (option->parse) {
			code = option->parse(option->name, optarg, at);
		} else if (option->value) {
			code = find_format(optarg, command->formats, at);
		} else {
			*(bool *)at = true;
		}
	}
	return code ? code : check_words(command, argc, argv);
}
