/* SPDX-License-Identifier: MIT */
#include "report/render/text/terminal.h"

#include "analyzer/util/escape.h"
#include "analyzer/util/memory.h"
#include "report/result/arena.h"

#include <libsmartcols.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Longer lines of prose are hard to read. */
#define LINE_MOST 100

#define INDENT	     2	  /* blanks before a table */
#define SEPARATOR    "  " /* between the columns of a table */
#define COLUMN_LEAST 8	  /* a text column is not cut further, in characters */

/* Escape sequences for the terminal, and their names in libsmartcols. */
static const struct {
	const char *sequence, *name;
} styles[XS_STYLES] = {
    [XS_PLAIN] = {"", NULL},
    [XS_BOLD] = {"\033[1m", "bold"},
    [XS_DIM] = {"\033[2m", "halfbright"},
    [XS_GOOD] = {"\033[32m", "green"},
    [XS_WARN] = {"\033[33m", "brown"},
};

static void begin_style(const struct xs_terminal *terminal, enum xs_style style)
{
	if (terminal->display.color)
		fputs(styles[style].sequence, terminal->out);
}

static void end_style(const struct xs_terminal *terminal, enum xs_style style)
{
	if (terminal->display.color && style != XS_PLAIN)
		fputs("\033[0m", terminal->out);
}

void xs_terminal_print(const struct xs_terminal *terminal, enum xs_style style,
		       const char *format, ...)
{
	char *text = NULL;
	va_list args;

	begin_style(terminal, style);
	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		xs_no_memory();
	va_end(args);
	xs_escape_write(text, strlen(text), "\n", terminal->out);
	free(text);
	end_style(terminal, style);
}

/* Length of the first word; "5 %" is one. */
static int word_length(const char *text)
{
	size_t length = strcspn(text, " \n");

	if (text[length] == ' ' && text[length + 1] == '%')
		length += 1 + strcspn(text + length + 1, " \n");
	return (int)length;
}

static void break_line(const struct xs_terminal *terminal, enum xs_style style,
		       int indent)
{
	end_style(terminal, style);
	fprintf(terminal->out, "\n%*s", indent, "");
	begin_style(terminal, style);
}

/* Wraps text without unsafe characters, from this column on; the lines after
 * the first are indented. */
static void wrap_safe(const struct xs_terminal *terminal, enum xs_style style,
		      int column, int indent, const char *text)
{
	const int columns = terminal->display.columns;
	const int end = columns < LINE_MOST ? columns : LINE_MOST;
	const int room = end - indent;
	bool begins = true; /* a line, or the text */

	begin_style(terminal, style);
	while (text && *text) {
		const int word = word_length(text);
		const int width = xs_display_width(text, (size_t)word);

		if (column > indent && column + !begins + width > end) {
			break_line(terminal, style, indent);
			column = indent;
			begins = true;
		}
		if (!begins)
			fputc(' ', terminal->out);
		if (width > room)
			fprintf(terminal->out, "%.*s...",
				xs_display_bytes(text, room - 3), text);
		else
			fprintf(terminal->out, "%.*s", word, text);
		column += width + !begins;
		begins = false;
		text += word;
		if (*text == '\n') {
			break_line(terminal, style, indent);
			column = indent;
			begins = true;
		}
		text += strspn(text, " \n");
	}
	end_style(terminal, style);
	fputc('\n', terminal->out);
}

void xs_terminal_wrap_on(const struct xs_terminal *terminal,
			 enum xs_style style, int column, int indent,
			 const char *text)
{
	char *safe = xs_escape_copy(text ? text : "", "\n");

	wrap_safe(terminal, style, column, indent, safe);
	free(safe);
}

void xs_terminal_wrap(const struct xs_terminal *terminal, enum xs_style style,
		      const char *lead, const char *text)
{
	const int indent = (int)strlen(lead);

	fputs(lead, terminal->out);
	xs_terminal_wrap_on(terminal, style, indent, indent, text);
}

void xs_terminal_wrapf(const struct xs_terminal *terminal, enum xs_style style,
		       const char *lead, const char *format, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		xs_no_memory();
	va_end(args);
	xs_terminal_wrap(terminal, style, lead, text);
	free(text);
}

void xs_terminal_heading(const struct xs_terminal *terminal, const char *title,
			 const char *remark)
{
	fputc('\n', terminal->out);
	xs_terminal_print(terminal, XS_BOLD, "%s", title);
	if (remark) {
		fputs("  ", terminal->out);
		xs_terminal_wrap_on(terminal, XS_DIM, (int)strlen(title) + 2, 2,
				    remark);
	} else {
		fputc('\n', terminal->out);
	}
}

static int cell_width(const char *text)
{
	return text ? xs_display_width(text, strlen(text)) : 0;
}

/* libsmartcols fails without memory alone. */
static void check(int err)
{
	if (err < 0)
		xs_no_memory();
}

static void cut_cell(struct libscols_cell *cell, int width)
{
	const char *text = scols_cell_get_data(cell), *rest = "...";
	char *cut;

	if (cell_width(text) <= width)
		return;
	if (width < cell_width(rest))
		rest = "";
	check(asprintf(&cut, "%.*s%s",
		       (int)xs_display_bytes(text, width - cell_width(rest)),
		       text, rest));
	check(scols_cell_set_data(cell, cut));
	free(cut);
}

/* Cuts the cells of a column to `width` characters. */
static void cut_column(struct libscols_table *table,
		       struct libscols_iter *lines,
		       struct libscols_column *column, int width)
{
	struct libscols_line *line;

	scols_reset_iter(lines, SCOLS_ITER_FORWARD);
	while (scols_table_next_line(table, lines, &line) == 0)
		cut_cell(scols_line_get_column_cell(line, column), width);
}

static int column_width(struct libscols_table *table,
			struct libscols_iter *lines,
			struct libscols_column *column)
{
	int width = cell_width(scols_column_get_name(column));
	struct libscols_line *line;

	scols_reset_iter(lines, SCOLS_ITER_FORWARD);
	while (scols_table_next_line(table, lines, &line) == 0) {
		const int cell = cell_width(scols_cell_get_data(
		    scols_line_get_column_cell(line, column)));

		width = cell > width ? cell : width;
	}
	return width;
}

/* Cuts the widest text column so that all fit `room`. Versions of libsmartcols
 * cut in different places. */
static void fit_table(struct libscols_table *table, int room)
{
	struct libscols_iter *lines = scols_new_iter(SCOLS_ITER_FORWARD);
	struct libscols_column *widest = NULL;
	int most = 0, excess = -room;

	check(lines ? 0 : -1);
	for (size_t i = 0; i < scols_table_get_ncols(table); i++) {
		struct libscols_column *column =
		    scols_table_get_column(table, i);
		int width = column_width(table, lines, column);

		excess += width + (i > 0) * (int)strlen(SEPARATOR);
		if (scols_column_is_trunc(column) && width > most) {
			most = width;
			widest = column;
		}
	}
	if (widest && excess > 0)
		cut_column(table, lines, widest,
			   most - excess > COLUMN_LEAST ? most - excess
							: COLUMN_LEAST);
	scols_free_iter(lines);
}

void xs_text_table_begin(struct xs_text_table *table,
			 const struct xs_terminal *terminal,
			 const struct xs_text_heading *headings, size_t count)
{
	*table = (struct xs_text_table){.table = scols_new_table(),
					.headings = headings,
					.terminal = terminal};
	check(table->table ? 0 : -1);
	scols_table_set_column_separator(table->table, SEPARATOR);
	scols_table_set_termforce(table->table, SCOLS_TERMFORCE_NEVER);
	scols_table_enable_minout(table->table, 1);
	scols_table_enable_colors(table->table, terminal->display.color);
	scols_table_enable_noheadings(table->table, !headings[0].name[0]);
	for (size_t i = 0; i < count; i++) {
		const int flags = headings[i].style & XS_RIGHT ? SCOLS_FL_RIGHT
							       : SCOLS_FL_TRUNC;
		struct libscols_column *column = scols_table_new_column(
		    table->table, headings[i].name, 0, flags);

		/* the cells are escaped already */
		check(column ? scols_column_set_safechars(column, "\\") : -1);
	}
}

void xs_text_row(struct xs_text_table *table, const char *const *texts,
		 size_t count)
{
	table->line = scols_table_new_line(table->table, NULL);
	table->column = 0;
	check(table->line ? 0 : -1);
	for (size_t i = 0; i < count; i++)
		xs_text_cell(table, table->headings[i].style & ~XS_RIGHT,
			     texts[i]);
}

void xs_text_cell(struct xs_text_table *table, enum xs_style style,
		  const char *text)
{
	struct libscols_cell *cell =
	    scols_line_get_cell(table->line, table->column++);
	char *safe = xs_escape_copy(text ? text : "", "");

	check(safe && cell ? scols_cell_set_data(cell, safe) : -1);
	if (styles[style].name && *safe)
		check(scols_cell_set_color(cell, styles[style].name));
	free(safe);
}

/* Length of the line without trailing blanks. */
static size_t trimmed(const char *line, size_t length)
{
	while (length > 0 && line[length - 1] == ' ')
		length--;
	return length;
}

void xs_text_table_end(struct xs_text_table *table, const char *const *notes,
		       int note_indent)
{
	const struct xs_terminal *terminal = table->terminal;
	const int columns = terminal->display.columns > XS_DISPLAY_COLUMNS
				? terminal->display.columns
				: XS_DISPLAY_COLUMNS;
	char *text = NULL, lead[16];
	const size_t heads = !scols_table_is_noheadings(table->table);
	size_t row = 0;

	fit_table(table->table, columns - INDENT);
	check(scols_print_table_to_string(table->table, &text));
	if (!text) /* it may leave that out of its code */
		xs_no_memory();
	snprintf(lead, sizeof(lead), "%*s", note_indent, "");
	for (char *line = text; line && *line; row++) {
		size_t length = strcspn(line, "\n");

		fprintf(terminal->out, "%*s%.*s\n", INDENT, "",
			(int)trimmed(line, length), line);
		line += length + (line[length] == '\n');
		if (row < heads)
			continue;
		if (notes && notes[row - heads] && notes[row - heads][0])
			xs_terminal_wrap(terminal, XS_DIM, lead,
					 notes[row - heads]);
	}
	free(text);
	scols_unref_table(table->table);
	table->table = NULL;
}
