/* SPDX-License-Identifier: MIT */
#include "report/commands/screen.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Narrower than this, words would be cut; wider, tables are hard to read. */
#define COLUMNS_LEAST 40
#define COLUMNS_MOST  160

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

/* TERM may say that the terminal has no escape sequences. */
static bool shows_colors(enum xs_screen_color color, bool terminal)
{
	const char *none = getenv("NO_COLOR"), *type = getenv("TERM");

	if (color != XS_COLOR_AUTO)
		return color == XS_COLOR_ALWAYS;
	return terminal && !(none && *none) &&
	       !(type && strcmp(type, "dumb") == 0);
}

/* Takes the width of the terminal, unless that is unknown (0). */
static void measure(struct xs_screen *screen, int terminal)
{
	struct winsize size = {0};
	int columns;

	if (ioctl(terminal, TIOCGWINSZ, &size) != 0 || !size.ws_col)
		return;
	columns = size.ws_col > COLUMNS_LEAST ? size.ws_col : COLUMNS_LEAST;
	screen->display.columns =
	    columns < COLUMNS_MOST ? columns : COLUMNS_MOST;
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
	return 0;
}
