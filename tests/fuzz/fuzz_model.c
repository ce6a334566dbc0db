/* SPDX-License-Identifier: MIT */
/* The options of xferspy model, one on a line. */
#include "tests/fuzz/fuzz.h"

#include "report/commands/cli.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#define ARGUMENTS_MAX 64

/* Options that write to a file, also if they are abbreviated. */
static bool writes(const char *argument)
{
	return argument[0] == '-' &&
	       (argument[1] == '-' ? argument[2] == 'o' : argument[1] != '\0');
}

static void run(char *text)
{
	static char command[] = "model", output[] = "-o/dev/null";
	char *arguments[ARGUMENTS_MAX + 3] = {command, output};
	char *next = NULL;
	int count = 2;

	for (char *line = strtok_r(text, "\n", &next);
	     line && count < ARGUMENTS_MAX; line = strtok_r(NULL, "\n", &next))
		if (!writes(line))
			arguments[count++] = line;
	optind = 0; /* glibc: start again */
	xs_cmd_model.function(count, arguments);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *nowhere;
	FILE *shown = stderr, *printed = stdout;
	char *text = malloc(size + 1);

	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	if (!text || !nowhere)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	stderr = stdout = nowhere;
	run(text);
	stderr = shown;
	stdout = printed;
	free(text);
	return 0;
}
