/* SPDX-License-Identifier: MIT */
/* Plain text for a terminal: 80 columns, some colour, tables. */
#ifndef XS_REPORT_RENDER_TEXT_TERMINAL_H
#define XS_REPORT_RENDER_TEXT_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define XS_TEXT_COLUMNS 80

enum xs_style { XS_PLAIN, XS_BOLD, XS_DIM, XS_GOOD, XS_WARN, XS_STYLES };

/* Where text goes and whether in colour. */
struct xs_terminal {
	FILE *out;
	bool color;
};

/* Prints in a style; plain without colour. */
__attribute__((format(printf, 3, 4))) void
xs_terminal_print(const struct xs_terminal *terminal, enum xs_style style,
		  const char *format, ...);

/* A heading, bold, with a blank line before it, and a dim remark after it
 * (NULL: none). */
void xs_terminal_heading(const struct xs_terminal *terminal, const char *title,
			 const char *remark);

/*
 * Fills lines of 80 columns with the words of text. The first line begins
 * with lead (of any width), the others with as many blanks. A word that is
 * longer than a line is cut; a line feed is kept. NULL is no words.
 */
void xs_terminal_wrap(const struct xs_terminal *terminal, enum xs_style style,
		      const char *lead, const char *text);

/* A table. A failed allocation is remembered and told by xs_text_table_end. */
struct xs_text_table {
	struct libscols_table *table;
	struct libscols_line *line;
	const struct xs_terminal *terminal;
	int indent;
	bool failed;
};

struct xs_text_heading {
	const char *name;
	bool right; /* numbers */
};

/* Begins a table that stands behind `indent` blanks and fits 80 columns: what
 * is too long in a column that is not of numbers is cut. */
void xs_text_table_begin(struct xs_text_table *table,
			 const struct xs_terminal *terminal, int indent,
			 const struct xs_text_heading *headings, size_t count);
void xs_text_table_row(struct xs_text_table *table);
/* Sets a cell of the last row; text is copied. */
void xs_text_table_cell(struct xs_text_table *table, size_t column,
			enum xs_style style, const char *text);
/*
 * Prints and frees the table. notes: NULL, or for each row a text (NULL or ""
 * for none) that is wrapped under it, behind note_indent blanks. 0 or -ENOMEM.
 */
int xs_text_table_end(struct xs_text_table *table, const char *const *notes,
		      int note_indent);

#endif
