/* SPDX-License-Identifier: MIT */
/* Completions for shells, from the tables that --help is printed from. */
#include "report/commands/complete.h"
#include "report/commands/screen.h"
#include "report/export/export.h"

#include <string.h>

/* Prints a candidate if it begins with word; hint: a description, of which the
 * first clause is printed. */
static void offer(const char *word, const char *before, const char *candidate,
		  const char *hint)
{
	if (strncmp(candidate, word, strlen(word)) != 0)
		return;
	printf("%s%s", before, candidate);
	for (const char *at = hint; at && *at; at++) {
		const bool ends = at[1] == ' ' || at[1] == '\n';

		if ((*at == ';' || *at == '.') && ends)
			break;
		if (at == hint)
			putchar('\t');
		putchar(*at == '\n' ? ' ' : *at);
	}
	putchar('\n');
}

static void offer_commands(const char *word)
{
	for (size_t i = 0; xs_cli_commands[i]; i++)
		offer(word, "", xs_cli_commands[i]->name,
		      xs_cli_commands[i]->summary);
}

static void offer_options(const struct xs_cli_command *command,
			  const char *word)
{
	const struct xs_cli_option *option;
	char text[512];

	for (option = command->options; option->name; option++) {
		xs_cli_help(command, option, text, sizeof(text));
		offer(word, "", option->name, text);
	}
	offer(word, "", "--help", "print the usage");
}

static void offer_formats(const struct xs_cli_command *command,
			  const char *before, const char *word)
{
	for (size_t i = 0; i < xs_renderer_count; i++)
		if (xs_renderer_offers(xs_renderers[i], command->formats))
			offer(word, before, xs_renderers[i]->name, NULL);
}

static void offer_machines(const char *before, const char *word)
{
	char names[XS_CLI_MACHINES_MAX][XS_MACHINE_NAME_MAX];
	const size_t count = xs_machine_names(names, XS_CLI_MACHINES_MAX);

	for (size_t i = 0; i < count; i++)
		offer(word, before, names[i], NULL);
}

/* By what --help calls the value. before: "--option=" if that is in the same
 * word. */
static void offer_value(const struct xs_cli_command *command,
			const struct xs_cli_option *option, const char *before,
			const char *word)
{
	const char *value = option->value;

	if (strcmp(value, "FORMAT") == 0)
		offer_formats(command, before, word);
	for (size_t i = 0; xs_screen_colors[i] && !strcmp(value, "WHEN"); i++)
		offer(word, before, xs_screen_colors[i], NULL);
	for (size_t i = 0; xs_exporters[i].name && !strcmp(value, "TARGET");
	     i++)
		offer(word, before, xs_exporters[i].name, NULL);
	if (strcmp(value, "FILE|NAME") == 0)
		offer_machines(before, word);
	if (strcmp(value, "FILE|NAME") == 0 || strcmp(value, "FILE") == 0 ||
	    strcmp(value, "TRACE") == 0)
		puts(":files");
}

/* Returns the option that a word names, with a value; NULL for other words. */
static const struct xs_cli_option *
valued_option(const struct xs_cli_command *command, const char *word)
{
	const struct xs_cli_option *option;
	const size_t length = strcspn(word, "=");

	for (option = command->options; option->name; option++)
		if (option->value &&
		    ((strlen(option->name) == length &&
		      strncmp(word, option->name, length) == 0) ||
		     (option->letter && word[0] == '-' &&
		      word[1] == option->letter && !word[2])))
			return option;
	return NULL;
}

/* Returns the index of the program's name, for XS_CLI_WORDS_PROGRAM; count if
 * it is not among the words before the last one. */
static int find_program(const struct xs_cli_command *command, int count,
			char **words)
{
	for (int i = 1; i < count - 1; i++) {
		const char *word = words[i];

		if (strcmp(word, "--") == 0)
			return i + 1;
		if (word[0] != '-')
			return i;
		if (!strchr(word, '=') && valued_option(command, word))
			i++;
	}
	return count;
}

/* words[0] is the command's name, the last one is completed. */
static void complete_command(const struct xs_cli_command *command, int count,
			     char **words)
{
	const char *last = words[count - 1], *before = words[count - 2];
	const char *equals = strchr(last, '=');
	const struct xs_cli_option *option = NULL;
	char prefix[64];
	int program = count;

	if (command->words == XS_CLI_WORDS_PROGRAM)
		program = find_program(command, count, words);
	if (program < count) {
		printf(":program %d\n", program);
		return;
	}
	/* bash makes three words of --option=value */
	if (strcmp(before, "=") == 0 && count > 3)
		before = words[count - 3];
	if (count > 2)
		option = valued_option(command, before);
	if (option) {
		offer_value(command, option, "", last);
	} else if (equals && (option = valued_option(command, last))) {
		snprintf(prefix, sizeof(prefix), "%s=", option->name);
		offer_value(command, option, prefix, equals + 1);
	} else if (last[0] == '-') {
		offer_options(command, last);
	} else if (command->words == XS_CLI_WORDS_PROGRAM) {
		printf(":program %d\n", count - 1);
	} else if (command->words == XS_CLI_WORDS_FILES) {
		puts(":files");
	}
}

int xs_cli_complete(int count, char **words)
{
	if (count < 2) {
		const char *word = count ? words[0] : "";

		offer_commands(word);
		offer(word, "", "help", "print the usage of a command");
		offer(word, "", "--help", "print the commands");
		offer(word, "", "--version", "print the version");
		return XS_EXIT_DONE;
	}
	if (strcmp(words[0], "help") == 0 && count == 2)
		offer_commands(words[1]);
	for (size_t i = 0; xs_cli_commands[i]; i++)
		if (strcmp(xs_cli_commands[i]->name, words[0]) == 0)
			complete_command(xs_cli_commands[i], count, words);
	return XS_EXIT_DONE;
}
