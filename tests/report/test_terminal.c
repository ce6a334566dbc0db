/* SPDX-License-Identifier: MIT */
/* What the command does on a terminal: colours, width, pager, progress. */
#include "report/render/text/terminal.h"
#include "tests/report/program.h"
#include "tests/unit.h"

#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRACE XS_SOURCE_DIR "/tests/report/traces/pageable.txt"

static char *read_all(int file)
{
	char *text = NULL, piece[4096];
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);
	ssize_t n;

	while ((n = read(file, piece, sizeof(piece))) > 0)
		fwrite(piece, 1, (size_t)n, to);
	fclose(to);
	return text;
}

/* Runs a line of a shell on a terminal. Returns what it shows; the caller frees
 * it. */
static char *show(const char *line, int rows, int columns)
{
	const struct winsize size = {.ws_row = (unsigned short)rows,
				     .ws_col = (unsigned short)columns};
	int terminal, status;
	const pid_t child = forkpty(&terminal, NULL, NULL, &size);

	assert_true(child >= 0);
	if (child == 0) {
		execl("/bin/sh", "sh", "-c", line, NULL);
		_exit(127);
	}
	char *text = read_all(terminal);
	close(terminal);
	waitpid(child, &status, 0);
	return text;
}

/* Expects `with` and not `without`, if these are not NULL. */
static void expect(const char *line, int rows, int columns, const char *with,
		   const char *without)
{
	char *text = show(line, rows, columns);

	if (with && !strstr(text, with))
		fail_msg("'%s' does not show '%s': %s", line, with, text);
	if (without && strstr(text, without))
		fail_msg("'%s' shows '%s': %s", line, without, text);
	free(text);
}

#define PAGE   "PAGER='sed s/^/page:/' "
#define PLAIN  "PAGER=cat TERM=xterm "
#define CODE   "       | "
#define REPORT XS_COMMAND " report " TRACE

TEST(colours_are_for_terminals)
{
	expect(PLAIN REPORT, 24, 80, "\033[1m", NULL);
	expect(PLAIN XS_COMMAND " diff " TRACE " " TRACE, 24, 80, "\033[1m",
	       NULL);
	expect(PLAIN REPORT " | cat", 24, 80, NULL, "\033");
	expect(PLAIN "NO_COLOR=1 " REPORT, 24, 80, NULL, "\033");
	expect(PLAIN "NO_COLOR= " REPORT, 24, 80, "\033[1m", NULL);
	expect(PLAIN "TERM=dumb " REPORT, 24, 80, NULL, "\033");
	expect(PLAIN REPORT " --color never", 24, 80, NULL, "\033");
	expect(PLAIN REPORT " --color always | cat", 24, 80, "\033[1m", NULL);
	expect(PLAIN "NO_COLOR=1 " REPORT " --color=always", 24, 80, "\033[1m",
	       NULL);
	expect(PLAIN REPORT " --color blue", 24, 80,
	       "--color: not known when; use one of: auto", NULL);
}

/* Returns the length of the longest line, of ASCII, but of code. */
static size_t widest(const char *line, int columns)
{
	char *text = show(line, 24, columns), *at = text;
	size_t most = 0;

	while (*at) {
		const size_t length = strcspn(at, "\r\n");

		if (strncmp(at, CODE, sizeof(CODE) - 1) != 0)
			most = length > most ? length : most;
		at += length + strspn(at + length, "\r\n");
	}
	free(text);
	return most;
}

TEST(lines_fit_the_terminal)
{
	static const char *const report = PLAIN "NO_COLOR=1 " REPORT;
	struct program plain = program_run("report " TRACE);

	assert_in_range(widest(report, 80), 1, 80);
	assert_in_range(widest(report, 90), 81, 90);
	/* prose has at most 100 */
	assert_in_range(widest(report, 200), 91, 100);
	/* what has no room in a table is below its row */
	assert_in_range(widest(report, 60), 51, 60);
	assert_in_range(widest(report, 50), 41, 50);
	expect(report, 24, 60, "\r\n     once ", NULL);
	expect(report, 24, 80, "  once\r\n", "\r\n     once ");
	expect(report, 24, 60, "GPU to find a\r\ncalibration by;", NULL);
	/* a pipe has 80 columns, whatever the terminal has */
	char *same =
	    show(PLAIN REPORT " --color never | tr '\\n' '|'", 24, 120);
	assert_int_equal(strlen(same), strlen(plain.out));
	program_free(&plain);
	free(same);
}

TEST(long_texts_have_a_pager)
{
	expect(PAGE REPORT, 24, 80, "page:", NULL);
	expect(PAGE REPORT, 500, 80, "Phases", "page:");
	expect(PAGE REPORT " | cat", 24, 80, "Phases", "page:");
	expect(PAGE REPORT " -o out.txt", 24, 80, NULL, "page:");
	expect("PAGER= " REPORT, 24, 80, "Phases", "page:");
	expect("PAGER=nosuchpager " REPORT, 24, 80, "Phases", NULL);
	expect("PAGER='echo $LESS' " REPORT, 24, 80, "FRX", NULL);
	expect("LESS=-i PAGER='echo $LESS' " REPORT, 24, 80, "-i", "FRX");
	/* who leaves it early sees no error */
	expect("PAGER=true " REPORT "; echo code=$?", 24, 80, "code=0", ":");
	/* without less */
	expect("mkdir -p none; ln -sf \"$(command -v cat)\" none; "
	       "unset PAGER; PATH=$PWD/none " REPORT,
	       24, 80, "Phases", "not found");
}

TEST(what_takes_longer_says_so)
{
	const char *slow =
	    "(sleep 1.5; cat " TRACE ") | " XS_COMMAND " report - >/dev/null";

	expect(slow, 24, 80, "-: reading ...\r\033[K", NULL);
	expect("(sleep 1.5; cat " TRACE ") | " XS_COMMAND
	       " report - 2>&1 >/dev/null | cat",
	       24, 80, NULL, "reading");
	expect("(sleep 1.5; echo wrong) | " XS_COMMAND " report -", 24, 80,
	       "reading ...\r\033[Kxferspy: -: ", NULL);
	expect(PLAIN REPORT, 24, 80, NULL, "reading");
	/* a line that wraps could not be removed */
	expect(slow, 24, 60, "\033[Kreading ...\r\033[K", "-: reading");
	expect("export TERM=dumb; (sleep 1.5; cat " TRACE ") | " XS_COMMAND
	       " report - >/dev/null",
	       24, 80, NULL, "\033");
}

/* Eight characters of two bytes each. */
#define WORD "\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4"

TEST(characters_are_counted_not_bytes)
{
	char *text = NULL;
	size_t size = 0;
	const struct xs_terminal terminal = {
	    .out = open_memstream(&text, &size), .display.columns = 20};

	xs_terminal_wrap(&terminal, XS_PLAIN, "  ", WORD " " WORD);
	xs_terminal_wrap(&terminal, XS_PLAIN, "", WORD " " WORD " " WORD);
	xs_terminal_wrap(&terminal, XS_PLAIN, "    ", WORD WORD "\u00e4");
	fclose(terminal.out);
	assert_string_equal(text, "  " WORD " " WORD "\n" WORD " " WORD
				  "\n" WORD "\n    " WORD
				  "\u00e4\u00e4\u00e4\u00e4\u00e4...\n");
	free(text);
}
