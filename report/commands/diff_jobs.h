/* SPDX-License-Identifier: MIT */
/* xferspy diff of two jobs. */
#pragma once

#include "report/commands/screen.h"

/* Whether what was given is of a job: a folder, or a digest. */
bool xs_diff_jobs_is(const char *path);

struct xs_diff_options {
	const struct xs_renderer *renderer;
	const char *output;
	struct xs_cli_machines machine;
	double fail_above; /* percent; NAN: no limit */
	bool allow_different, after;
	enum xs_screen_color color;
};

/* Reads two jobs, and writes how they differ. Returns an exit code after
 * printing what is wrong. */
int xs_diff_jobs(const char *before, const char *after,
		 const struct xs_diff_options *given,
		 const struct xs_result_options *how);
