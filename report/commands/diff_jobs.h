/* SPDX-License-Identifier: MIT */
/* xferspy diff of two jobs. */
#ifndef XS_REPORT_COMMANDS_DIFF_JOBS_H
#define XS_REPORT_COMMANDS_DIFF_JOBS_H

#include "report/commands/screen.h"

/* Whether what was given is of a job: a folder, or a digest. */
bool xs_diff_jobs_is(const char *path);

/* Reads two jobs, and writes how they differ. Returns an exit code after
 * printing what is wrong. */
int xs_diff_jobs(const char *before, const char *after,
		 const struct xs_result_options *how,
		 const struct xs_renderer *renderer, const char *output,
		 enum xs_screen_color color);

#endif
