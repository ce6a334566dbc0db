/* SPDX-License-Identifier: MIT */
/*
 * The ends of programs with several processes or waits of the driver, which
 * have no deadline of their own: each failure has a plain error and a code.
 */
#ifndef XS_EXAMPLES_PUTGET_ENDS_H
#define XS_EXAMPLES_PUTGET_ENDS_H

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXIT_NO_ANSWER 3

static struct {
	char text[128];
	size_t size;
} late_end;

static void end_late(int number)
{
	(void)number;
	(void)!write(STDERR_FILENO, late_end.text, late_end.size);
	_exit(EXIT_NO_ANSWER);
}

/* Ends this process with an error if it still runs after so long. */
static inline void end_within(unsigned seconds, const char *program)
{
	late_end.size = (size_t)snprintf(
	    late_end.text, sizeof(late_end.text),
	    "%s: the GPU did not end its work within %u s\n", program, seconds);
	signal(SIGALRM, end_late);
	alarm(seconds);
}

/* Returns the exit code, which is not 0 if the output is not complete. */
static inline int end_output(const char *program, int code)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	fprintf(stderr, "%s: cannot write the output\n", program);
	return 2;
}

/* Waits for the processes, one for each GPU, and ends the others if one of them
 * fails. Returns an exit code. */
static inline int wait_processes(const char *program, pid_t *processes,
				 int count)
{
	int code = 0, status;

	for (pid_t ended; (ended = wait(&status)) > 0;)
		for (int i = 0; i < count; i++) {
			if (processes[i] != ended)
				continue;
			processes[i] = 0;
			if (status == 0 || code != 0)
				continue;
			code = EXIT_NO_ANSWER;
			fprintf(stderr, "%s: the process of GPU %d %s %d\n",
				program, i,
				WIFSIGNALED(status) ? "was ended by signal"
						    : "ended with code",
				WIFSIGNALED(status) ? WTERMSIG(status)
						    : WEXITSTATUS(status));
			for (int j = 0; j < count; j++)
				if (processes[j] > 0)
					kill(processes[j], SIGKILL);
		}
	return code;
}

#endif
