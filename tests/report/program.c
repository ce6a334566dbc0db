/* SPDX-License-Identifier: MIT */
#include "tests/report/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char *read_all(FILE *in)
{
	char *text = NULL;
	size_t size = 0;

	if (getdelim(&text, &size, '\0', in) < 0 && text)
		text[0] = '\0';
	return text ? text : calloc(1, 1);
}

struct program program_run(const char *arguments)
{
	struct program out = {0};
	char errors[] = "/tmp/xferspy-test.XXXXXX";
	int fd = mkstemp(errors), status;
	char *line = NULL;
	FILE *pipe, *file;

	if (fd < 0 ||
	    asprintf(&line, "%s %s 2>%s", XS_COMMAND, arguments, errors) < 0)
		abort();
	pipe = popen(line, "r");
	if (!pipe)
		abort();
	out.out = read_all(pipe);
	status = pclose(pipe);
	out.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	file = fdopen(fd, "r");
	if (!file)
		abort();
	out.err = read_all(file);
	fclose(file);
	unlink(errors);
	free(line);
	return out;
}

void program_free(struct program *program)
{
	free(program->out);
	free(program->err);
}
