/* SPDX-License-Identifier: MIT */
#include "report/commands/screen.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Narrower than this, words would be cut; wider, tables are hard to read. */
#define COLUMNS_LEAST 40
#define COLUMNS_MOST  160

/* Where less is not installed, the text is printed as it is. */
#define PAGER	     "if command -v less >/dev/null; then exec less; else exec cat; fi"
#define NOT_EXECUTED 126 /* of a shell; 127: not found */

int xs_screen_parse_color(const char *name, const char *value, void *into)
{
	static const char *const names[] = {"auto", "always", "never"};
	enum xs_screen_color *color = into;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strcmp(value, names[i]) == 0) {
			*color = (enum xs_screen_color)i;
			return 0;
		}
	}
	return xs_cli_misuse(name, "not known when",
			     "use one of: auto, always, never");
}

static bool is_set(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value;
}

/* Whether TERM says that the terminal has no escape sequences. */
static bool is_dumb_terminal(void)
{
	const char *type = getenv("TERM");

	return type && strcmp(type, "dumb") == 0;
}

static bool shows_colors(enum xs_screen_color color, bool terminal)
{
	if (color != XS_COLOR_AUTO)
		return color == XS_COLOR_ALWAYS;
	return terminal && !is_set("NO_COLOR") && !is_dumb_terminal();
}

/* Measures the terminal, whose size may be unknown (0). */
static void measure(struct xs_screen *screen, int terminal)
{
	struct winsize size = {0};
	int columns;

	if (ioctl(terminal, TIOCGWINSZ, &size) != 0 || !size.ws_col)
		return;
	screen->rows = size.ws_row;
	screen->terminal_columns = columns = size.ws_col;
	columns = columns > COLUMNS_LEAST ? columns : COLUMNS_LEAST;
	screen->display.columns =
	    columns < COLUMNS_MOST ? columns : COLUMNS_MOST;
}

/* Returns the command, or NULL if none is wanted. */
static const char *pager(void)
{
	const char *command = getenv("PAGER");

	if (!command)
		return PAGER;
	return *command && strcmp(command, "cat") != 0 ? command : NULL;
}

int xs_screen_open(struct xs_screen *screen, const char *path,
		   enum xs_screen_color color)
{
	bool terminal;
	int code;

	*screen = (struct xs_screen){.path = path};
	screen->display.columns = XS_DISPLAY_COLUMNS;
	code = xs_cli_open(path, &screen->out);
	if (code)
		return code;
	terminal = isatty(fileno(screen->out));
	screen->display.color = shows_colors(color, terminal);
	if (terminal)
		measure(screen, fileno(screen->out));
	if (terminal && screen->out == stdout && screen->rows && pager()) {
		FILE *text = open_memstream(&screen->text, &screen->size);

		screen->pages = text != NULL;
		screen->out = text ? text : stdout;
	}
	return 0;
}

/* Returns the number of the terminal's lines that the text takes, without
 * counting escape sequences and the later bytes of a character. */
static size_t count_rows(const char *text, int columns)
{
	size_t rows = 0;
	int used = 0;

	for (; *text; text++) {
		if (*text == '\n' || used == columns) {
			rows++;
			used = 0;
		}
		if (*text == '\033')
			text += strcspn(text, "m");
		else if (*text != '\n' && !xs_display_continues(*text))
			used++;
		if (!*text)
			break;
	}
	return rows + (used > 0);
}

/* Writes the text to the pager. Returns false if that cannot be run. A reader
 * who leaves it early is no error. */
static bool page(const struct xs_screen *screen)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, pipe, interrupt;
	FILE *to;
	int status;

	setenv("LESS", "FRX", 0);
	to = popen(pager(), "w");
	if (!to)
		return false;
	sigaction(SIGPIPE, &ignore, &pipe);
	sigaction(SIGINT, &ignore, &interrupt); /* it belongs to the pager */
	fwrite(screen->text, 1, screen->size, to);
	status = pclose(to);
	sigaction(SIGPIPE, &pipe, NULL);
	sigaction(SIGINT, &interrupt, NULL);
	return !(WIFEXITED(status) && WEXITSTATUS(status) >= NOT_EXECUTED);
}

int xs_screen_close(struct xs_screen *screen, int err)
{
	size_t rows;

	if (!screen->pages)
		return xs_cli_close(screen->path, screen->out, err);
	if (fclose(screen->out) != 0)
		return xs_cli_close(screen->path, stdout, err ? err : -ENOMEM);
	rows = count_rows(screen->text, screen->terminal_columns);
	/* the last row is the prompt's */
	if (err || rows < (size_t)screen->rows || !page(screen))
		fwrite(screen->text, 1, screen->size, stdout);
	free(screen->text);
	return xs_cli_close(screen->path, stdout, err);
}

void xs_screen_discard(struct xs_screen *screen)
{
	if (screen->pages)
		fclose(screen->out);
	free(screen->text);
	xs_cli_discard(screen->pages ? stdout : screen->out);
}
