/* SPDX-License-Identifier: MIT */
#include "report/commands/diff_jobs.h"

#include "report/commands/job_inputs.h"
#include "report/job/digest.h"

#include <math.h>
#include <sys/stat.h>

bool xs_diff_jobs_is(const char *path)
{
	struct stat file;

	return xs_digest_is(path) ||
	       (stat(path, &file) == 0 && S_ISDIR(file.st_mode));
}

/* Reads a job. Returns 0, or an exit code after printing what is wrong, which
 * may be only a part of it. */
static int read_job(const char *path, const char *output,
		    const struct xs_result_options *how, struct xs_job **job)
{
	char *given[] = {(char *)path};
	struct xs_job_inputs inputs;
	int code = xs_job_inputs_list(given, 1, false, &inputs);

	if (!code)
		code = xs_job_inputs_check_machine(&inputs, how);
	if (!code)
		code = xs_cli_check_output(output, inputs.paths, inputs.count);
	if (!code)
		code = xs_job_inputs_build(&inputs, how, job);
	xs_job_inputs_free(&inputs);
	return code;
}

/* Returns the exit code of an answer, after printing why. */
static int tell(enum xs_gate answer, const struct xs_job_diff *diff)
{
	switch (answer) {
	case XS_GATE_EXCEEDED:
		return xs_cli_error(
		    XS_EXIT_GATE, "--fail-above",
		    "the slowest and the median process are slower than that",
		    "see which part of their time grew");
	case XS_GATE_DIFFERENT:
		return xs_cli_error(XS_EXIT_GATE, "--fail-above", diff->why,
				    "compare two jobs of one program, ranks "
				    "and GPU model, or add --allow-different");
	case XS_GATE_NOISY:
		return xs_cli_error(
		    XS_EXIT_NOISY, "--fail-above", diff->why,
		    "see which processes are slow, or run the jobs again");
	case XS_GATE_UNKNOWN:
		return xs_cli_fail(
		    "--fail-above", diff->why,
		    diff->shared ? "name each trace on one side"
				 : "give jobs of whole traces, or, if ranks "
				   "differ, add --allow-different");
	default:
		return 0;
	}
}

static int write_diff(struct xs_job *before, struct xs_job *after,
		      const struct xs_diff_options *given,
		      struct xs_screen *screen)
{
	enum xs_gate answer = XS_GATE_KEPT;
	struct xs_job_diff diff;
	int code;

	xs_job_diff_build(before, after, &diff);
	if (!isnan(given->fail_above))
		answer = xs_job_diff_gate(&diff, given->fail_above,
					  given->allow_different);
	code = xs_cli_close(
	    screen->path, screen->out,
	    given->renderer->job_diff(&diff, &screen->display, screen->out));
	if (!code)
		code = tell(answer, &diff);
	xs_arena_free(&diff.arena);
	return code;
}

int xs_diff_jobs(const char *before, const char *after,
		 const struct xs_diff_options *given,
		 const struct xs_result_options *how)
{
	const char *const paths[] = {before, after};
	struct xs_job *jobs[2] = {NULL};
	struct xs_screen screen;
	int code = 0, err;

	for (int i = 0; i < 2; i++) {
		err = read_job(paths[i], given->output, how, &jobs[i]);
		code = err ? err : code;
	}
	if (jobs[0] && jobs[1]) {
		err = xs_screen_open(&screen, given->output, given->color);
		if (!err)
			err = write_diff(jobs[0], jobs[1], given, &screen);
		code = code ? code : err;
	}
	xs_job_free(jobs[0]);
	xs_job_free(jobs[1]);
	return code;
}
