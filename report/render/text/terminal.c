/* SPDX-License-Identifier: MIT */
#include "report/render/text/terminal.h"

#include <errno.h>
#include <libsmartcols.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* SGR sequences for the pen, and the names libsmartcols has for them. */
static const struct {
	const char *sequence, *name;
} tints[XS_TINTS] = {
    [XS_PLAIN] = {"", NULL},
    [XS_BOLD] = {"\033[1m", "bold"},
    [XS_DIM] = {"\033[2m", "halfbright"},
    [XS_GOOD] = {"\033[32m", "green"},
    [XS_WARN] = {"\033[33m", "brown"},
};

static void begin_tint(const struct xs_pen *pen, enum xs_tint tint)
{
	if (pen->color)
		fputs(tints[tint].sequence, pen->out);
}

static void end_tint(const struct xs_pen *pen, enum xs_tint tint)
{
	if (pen->color && tint != XS_PLAIN)
		fputs("\033[0m", pen->out);
}

void xs_pen_print(const struct xs_pen *pen, enum xs_tint tint,
		  const char *format, ...)
{
	va_list args;

	begin_tint(pen, tint);
	va_start(args, format);
	vfprintf(pen->out, format, args);
	va_end(args);
	end_tint(pen, tint);
}

void xs_pen_heading(const struct xs_pen *pen, const char *title,
		    const char *remark)
{
	fputc('\n', pen->out);
	xs_pen_print(pen, XS_BOLD, "%s", title);
	if (remark)
		xs_pen_print(pen, XS_DIM, "  %s", remark);
	fputc('\n', pen->out);
}

static void break_line(const struct xs_pen *pen, enum xs_tint tint, int indent)
{
	end_tint(pen, tint);
	fprintf(pen->out, "\n%*s", indent, "");
	begin_tint(pen, tint);
}

void xs_pen_wrap(const struct xs_pen *pen, enum xs_tint tint, const char *lead,
		 const char *text)
{
	const int indent = (int)strlen(lead), room = XS_TEXT_COLUMNS - indent;
	int column = 0;

	fputs(lead, pen->out);
	begin_tint(pen, tint);
	while (text && *text) {
		int word = (int)strcspn(text, " \n");

		if (column && column + 1 + word > room) {
			break_line(pen, tint, indent);
			column = 0;
		}
		if (column)
			fputc(' ', pen->out);
		if (word > room)
			fprintf(pen->out, "%.*s...", room - 3, text);
		else
			fprintf(pen->out, "%.*s", word, text);
		column += word + (column > 0);
		text += word;
		if (*text == '\n') {
			break_line(pen, tint, indent);
			column = 0;
		}
		text += strspn(text, " \n");
	}
	end_tint(pen, tint);
	fputc('\n', pen->out);
}

void xs_table_begin(struct xs_table *table, const struct xs_pen *pen,
		    int indent, const struct xs_heading *headings, size_t count)
{
	*table = (struct xs_table){
	    .table = scols_new_table(), .pen = pen, .indent = indent};
	if (!table->table) {
		table->failed = true;
		return;
	}
	scols_table_set_column_separator(table->table, "  ");
	scols_table_set_termforce(table->table, SCOLS_TERMFORCE_ALWAYS);
	scols_table_set_termwidth(table->table,
				  (size_t)(XS_TEXT_COLUMNS - indent));
	scols_table_enable_minout(table->table, 1);
	scols_table_enable_colors(table->table, pen->color);
	scols_table_enable_noheadings(table->table, !headings[0].name[0]);
	for (size_t i = 0; i < count; i++)
		if (!scols_table_new_column(table->table, headings[i].name, 0,
					    headings[i].right ? SCOLS_FL_RIGHT
							      : SCOLS_FL_TRUNC))
			table->failed = true;
}

void xs_table_row(struct xs_table *table)
{
	if (!table->failed)
		table->line = scols_table_new_line(table->table, NULL);
	if (!table->line)
		table->failed = true;
}

void xs_table_cell(struct xs_table *table, size_t column, enum xs_tint tint,
		   const char *text)
{
	struct libscols_cell *cell;

	if (table->failed)
		return;
	cell = scols_line_get_cell(table->line, column);
	if (!cell || scols_cell_set_data(cell, text) < 0 ||
	    (tints[tint].name && text && *text &&
	     scols_cell_set_color(cell, tints[tint].name) < 0))
		table->failed = true;
}

/* Up to the end of the line, without the blanks before it. */
static size_t trimmed(const char *line, size_t length)
{
	while (length > 0 && line[length - 1] == ' ')
		length--;
	return length;
}

int xs_table_end(struct xs_table *table, const char *const *notes,
		 int note_indent)
{
	int err = table->failed ? -ENOMEM : 0;
	const struct xs_pen *pen = table->pen;
	char *text = NULL, lead[XS_TEXT_COLUMNS];
	size_t row = 0;

	if (!err && scols_print_table_to_string(table->table, &text) < 0)
		err = -ENOMEM;
	snprintf(lead, sizeof(lead), "%*s", note_indent, "");
	for (char *line = text; line && *line; row++) {
		size_t length = strcspn(line, "\n");

		fprintf(pen->out, "%*s%.*s\n", table->indent, "",
			(int)trimmed(line, length), line);
		line += length + (line[length] == '\n');
		/* row 0 is the heading */
		if (notes && row > 0 && notes[row - 1] && notes[row - 1][0])
			xs_pen_wrap(pen, XS_DIM, lead, notes[row - 1]);
	}
	free(text);
	scols_unref_table(table->table);
	table->table = NULL;
	return err;
}
