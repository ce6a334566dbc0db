/* SPDX-License-Identifier: MIT */
/* Runs the built command and captures its output. */
#ifndef XS_TESTS_REPORT_PROGRAM_H
#define XS_TESTS_REPORT_PROGRAM_H

struct program {
	int code;
	char *out, *err;
};

/* Runs XS_COMMAND with arguments for a shell. */
struct program program_run(const char *arguments);
void program_free(struct program *program);

/* Expects an exit code, and texts on stdout (NULL: any) and stderr (NULL:
 * empty). */
void runs(const char *arguments, int code, const char *out, const char *err);

#endif
