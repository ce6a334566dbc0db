/* SPDX-License-Identifier: MIT */
/* The output of a command: a file, a pipe, or a terminal with its colours and
 * its width. */
#pragma once

#include "report/commands/cli.h"
#include "report/result/display.h"

/* The value of --color. */
enum xs_screen_color {
	XS_COLOR_AUTO, /* on a terminal, unless NO_COLOR is set */
	XS_COLOR_ALWAYS,
	XS_COLOR_NEVER,
};

xs_cli_parse_value xs_screen_parse_color;

/* The option's row in the table of a command; target: an xs_screen_color. */
#define XS_SCREEN_COLOR_ROW(type, target)                                      \
	{                                                                      \
		"--color", 0, "WHEN", xs_screen_parse_color,                   \
		    offsetof(type, target),                                    \
		    "auto, always or never use colours; auto, the\n"           \
		    "default, on a terminal without NO_COLOR"                  \
	}

struct xs_screen {
	FILE *out; /* for the renderer; xs_cli_close(path, out, ...) it */
	struct xs_display display;
	const char *path; /* NULL: standard output */
};

/* Opens the output; path as for xs_cli_open(). Returns 0, or XS_EXIT_INPUT
 * after printing an error. */
int xs_screen_open(struct xs_screen *screen, const char *path,
		   enum xs_screen_color color);
