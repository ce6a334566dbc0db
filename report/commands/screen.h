/* SPDX-License-Identifier: MIT */
/* The output of a command: a file, a pipe, or a terminal with its colours, its
 * width and a pager. */
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
	FILE *out; /* for the renderer */
	struct xs_display display;
	/* private */
	const char *path;
	int rows, terminal_columns; /* 0: no terminal, or not known */
	bool pages;		    /* out is a stream to text, for a pager */
	char *text;
	size_t size;
};

/* Opens the output; path as for xs_cli_open(). Returns 0, or XS_EXIT_INPUT
 * after printing an error. */
int xs_screen_open(struct xs_screen *screen, const char *path,
		   enum xs_screen_color color);

/*
 * Shows and closes the output. What does not fit the terminal goes through
 * $PAGER, by default less; an empty PAGER, or cat, means none. err: the result
 * of the renderer. Returns 0, or XS_EXIT_INPUT after printing an error.
 */
int xs_screen_close(struct xs_screen *screen, int err);

/* Closes the output after an error that is told already; a file stays as it
 * was. */
void xs_screen_discard(struct xs_screen *screen);
