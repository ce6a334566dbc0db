/* SPDX-License-Identifier: MIT */
/* Where an output is shown. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Columns of an output that is no terminal. */
#define XS_DISPLAY_COLUMNS 80

struct xs_display {
	bool color;  /* it shows colours */
	int columns; /* that a line has */
};

struct xs_result;
struct xs_job;
struct xs_job_diff;
struct xs_diff;
struct xs_formulas_result;

/* Functions of a format, which write to out, as the display shows it. They
 * return 0 or -EIO. results: NULL for a trace that could not be read.
 */
typedef int xs_render_report(struct xs_result *const *results, size_t count,
			     const struct xs_display *display, FILE *out);
/* all: no list is cut */
typedef int xs_render_job(struct xs_job *job, bool all,
			  const struct xs_display *display, FILE *out);
typedef int xs_render_job_diff(struct xs_job_diff *diff,
			       const struct xs_display *display, FILE *out);
/* gate_percent: value of --fail-above, NAN without */
typedef int xs_render_diff(struct xs_diff *diff, double gate_percent,
			   const struct xs_display *display, FILE *out);
typedef int xs_render_model(const struct xs_formulas_result *model,
			    const struct xs_display *display, FILE *out);

/* Whether a byte is a later one of a character, in UTF-8. */
static inline bool xs_display_continues(char byte)
{
	return (byte & 0xc0) == 0x80;
}

/* Returns the columns of text without escape sequences: one a character. */
static inline int xs_display_width(const char *text, size_t bytes)
{
	int width = 0;

	while (bytes)
		width += !xs_display_continues(text[--bytes]);
	return width;
}

/* Returns the bytes of the first `columns` characters of a longer text. */
static inline int xs_display_bytes(const char *text, int columns)
{
	int bytes = 0;

	while (columns-- > 0)
		while (xs_display_continues(text[++bytes]))
			;
	return bytes;
}
