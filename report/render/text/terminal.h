/* SPDX-License-Identifier: MIT */
/* Text output for a terminal: wrapped lines, styles, tables. */
#pragma once

#include "report/result/display.h"

#include <stddef.h>
#include <stdio.h>

enum xs_style { XS_PLAIN, XS_BOLD, XS_DIM, XS_GOOD, XS_WARN, XS_STYLES };

#define XS_RIGHT 8U

/* Output and what shows it. Only the functions below write to it:
 * they escape what a terminal must not get (analyzer/util/escape.h). */
struct xs_terminal {
	FILE *out;
	struct xs_display display;
};

/* Prints in a style; without colour in none. */
__attribute__((format(printf, 3, 4))) void
xs_terminal_print(const struct xs_terminal *terminal, enum xs_style style,
		  const char *format, ...);

/* A bold heading after a blank line, with a dim remark (NULL: none), which is
 * wrapped. */
void xs_terminal_heading(const struct xs_terminal *terminal, const char *title,
			 const char *remark);

/*
 * Wraps text at the display's columns, but at most 100. The first line starts
 * with lead, the others with as many blanks. Longer words are cut; line feeds
 * are kept. NULL prints no words.
 */
void xs_terminal_wrap(const struct xs_terminal *terminal, enum xs_style style,
		      const char *lead, const char *text);

/* The same, printf-like. */
__attribute__((format(printf, 4, 5))) void
xs_terminal_wrapf(const struct xs_terminal *terminal, enum xs_style style,
		  const char *lead, const char *format, ...);

/* The same of text that goes on at a column of a line; the others have `indent`
 * blanks. */
void xs_terminal_wrap_on(const struct xs_terminal *terminal,
			 enum xs_style style, int column, int indent,
			 const char *text);

struct xs_text_table {
	struct libscols_table *table;
	struct libscols_line *line;
	const struct xs_text_heading *headings;
	size_t column; /* of its next cell */
	const struct xs_terminal *terminal;
};

struct xs_text_heading {
	const char *name;
	unsigned style; /* of its cells; or-ed with XS_RIGHT for numbers */
};

/* Begins a table that fits the display, or 80 columns: the widest text column
 * is cut if needed. The headings must outlive it. */
void xs_text_table_begin(struct xs_text_table *table,
			 const struct xs_terminal *terminal,
			 const struct xs_text_heading *headings, size_t count);
/* Begins a row with these cells; copies the texts. */
#define XS_TEXT_ROW(table, ...)                                                \
	xs_text_row(table, (const char *const[]){__VA_ARGS__},                 \
		    sizeof((const char *const[]){__VA_ARGS__}) /               \
			sizeof(const char *))
void xs_text_row(struct xs_text_table *table, const char *const *texts,
		 size_t count);
/* Sets the next cell of the last row in another style; copies text. */
void xs_text_cell(struct xs_text_table *table, enum xs_style style,
		  const char *text);
/*
 * Prints and frees the table. notes: NULL, or a text for each row, wrapped
 * below it and indented by note_indent blanks (NULL or "": none).
 */
void xs_text_table_end(struct xs_text_table *table, const char *const *notes,
		       int note_indent);
