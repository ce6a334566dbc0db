/* SPDX-License-Identifier: MIT */
/* Runs the built command and keeps what it wrote. */
#ifndef XS_TESTS_REPORT_PROGRAM_H
#define XS_TESTS_REPORT_PROGRAM_H

struct program {
	int code;
	char *out, *err;
};

/* XS_COMMAND with a shell's line of arguments. */
struct program program_run(const char *arguments);
void program_free(struct program *program);

#endif
