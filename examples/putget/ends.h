/* SPDX-License-Identifier: MIT */
/*
 * The ends of programs with several processes or waits of the driver, which
 * have no deadline of their own: each failure has a plain error and a code.
 */
#ifndef XS_EXAMPLES_PUTGET_ENDS_H
#define XS_EXAMPLES_PUTGET_ENDS_H

#include <errno.h>
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

/* Ends this process with an error if it still runs after so long. Whatever its
 * parent has set: a write to a closed pipe fails, and children can be waited
 * for. */
static inline void end_within(unsigned seconds, const char *program)
{
	sigset_t deadline;

	late_end.size = (size_t)snprintf(
	    late_end.text, sizeof(late_end.text),
	    "%s: the GPU did not end its work within %u s\n", program, seconds);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	signal(SIGALRM, end_late);
	sigemptyset(&deadline);
	sigaddset(&deadline, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &deadline, NULL);
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

/* Says how a process ended if it failed. Returns an exit code. */
static inline int process_code(const char *program, int gpu, int status)
{
	if (status == 0)
		return 0;
	fprintf(stderr, "%s: the process of GPU %d %s %d\n", program, gpu,
		WIFSIGNALED(status) ? "was ended by signal" : "ended with code",
		WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	return EXIT_NO_ANSWER;
}

/* Waits for the processes, one for each GPU, and ends the others if one of them
 * fails. This process may have other children. Returns an exit code. */
static inline int wait_processes(const char *program, pid_t *processes,
				 int count)
{
	int code = 0, status, left = count;

	while (left > 0) {
		const pid_t ended = wait(&status);

		if (ended < 0 && errno == EINTR)
			continue;
		if (ended < 0) {
			perror(program);
			return EXIT_NO_ANSWER;
		}
		for (int i = 0; i < count; i++) {
			if (processes[i] != ended)
				continue;
			processes[i] = 0;
			left--;
			if (code == 0)
				code = process_code(program, i, status);
		}
		for (int i = 0; code != 0 && i < count; i++)
			if (processes[i] > 0)
				kill(processes[i], SIGKILL);
	}
	return code;
}

#endif
