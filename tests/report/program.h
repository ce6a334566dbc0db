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

#endif
