/* SPDX-License-Identifier: MIT */
/* xferspy run: runs a program with libxferspy.so preloaded. */
#include "report/commands/cli.h"
#include "report/commands/earlier_trace.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Exit codes of shells and env(1). */
#define EXIT_CANNOT_EXECUTE 126
#define EXIT_NOT_FOUND	    127

static const char usage[] =
    "Usage: xferspy run [-o FILE] [--counters] [--] COMMAND [ARGUMENTS]\n"
    "Runs a CUDA program with libxferspy.so preloaded, which writes a trace.\n"
    "\n"
    "  -o, --output FILE  name of the trace; %p is the process id, %h the\n"
    "                     host, %r the rank (default xferspy.%h.%p.xspy).\n"
    "                     A trace that has this name gets the suffix .old\n"
    "  --counters         also count what the first launches of each kernel\n"
    "                     read, write and execute, for xferspy report\n"
    "                     --counters\n"
    "  -h, --help         print this text\n"
    "\n"
    "The exit code is that of COMMAND, 127 if it is not found, 126 if it "
    "cannot\n"
    "be run.\n";

/*
 * Finds libxferspy.so relative to this program: as installed, or in the build
 * tree with bin/ and lib/. Returns 0 or -errno.
 */
static int find_library(char *path, size_t size)
{
	static const char *const places[] = {XS_LIBRARY_FROM_BIN, "../lib",
					     "../lib64"};
	char exe[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char resolved[PATH_MAX];
	char *slash;

	if (length < 0)
		return -errno;
	exe[length] = '\0';
	slash = strrchr(exe, '/');
	if (slash)
		*slash = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (snprintf(path, size, "%s/%s/libxferspy.so", exe,
			     places[i]) >= (int)size)
			return -ENAMETOOLONG;
		if (access(path, R_OK) == 0 && realpath(path, resolved) &&
		    snprintf(path, size, "%s", resolved) < (int)size)
			return 0;
	}
	return -ENOENT;
}

/* Prepends to LD_PRELOAD. Returns 0 or -errno. */
static int set_preload(const char *library)
{
	const char *before = getenv("LD_PRELOAD");
	char *value = NULL;
	int err = 0;

	if (asprintf(&value, "%s%s%s", library, before && *before ? ":" : "",
		     before ? before : "") < 0)
		return -ENOMEM;
	if (setenv("LD_PRELOAD", value, 1) < 0)
		err = -errno;
	free(value);
	return err;
}

/* Makes the path absolute, since the program may change its folder. Returns 0
 * or -errno. */
static int set_output(const char *output)
{
	char folder[PATH_MAX];
	char *value = NULL;
	int err = 0;

	if (output[0] == '/')
		return setenv("XFERSPY_OUTPUT", output, 1) < 0 ? -errno : 0;
	if (!getcwd(folder, sizeof(folder)))
		return -errno;
	if (asprintf(&value, "%s/%s", folder, output) < 0)
		return -ENOMEM;
	if (setenv("XFERSPY_OUTPUT", value, 1) < 0)
		err = -errno;
	free(value);
	return err;
}

static int prepare(const char *output, bool counters)
{
	char library[PATH_MAX];
	int err = find_library(library, sizeof(library));

	if (err < 0)
		return xs_cli_error(
		    XS_EXIT_INPUT, "libxferspy.so",
		    "not found next to this program",
		    "install xferspy, or set LD_PRELOAD yourself");
	/* the loader separates LD_PRELOAD at blanks and colons */
	if (strpbrk(library, " :"))
		return xs_cli_error(
		    XS_EXIT_INPUT, library,
		    "LD_PRELOAD cannot contain a path with blanks or colons",
		    "install xferspy elsewhere");
	err = set_preload(library);
	if (!err && output)
		err = set_output(output);
	if (!err && counters && setenv("XFERSPY_MODE", "counters", 1) < 0)
		err = -errno;
	if (err < 0)
		return xs_cli_error(XS_EXIT_INPUT, "the environment",
				    strerror(-err), "free some memory");
	return 0;
}

/* Returns the exit code of a command that cannot be run. */
static int execute(char **command, const struct xs_earlier_trace *earlier)
{
	int err;

	execvp(command[0], command);
	err = errno;
	xs_earlier_trace_put_back(earlier);
	xs_cli_error(XS_EXIT_INPUT, command[0], strerror(err),
		     "name a program that can be run");
	return err == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_EXECUTE;
}

int xs_cmd_run(int argc, char **argv)
{
	/* options after COMMAND belong to COMMAND */
	static const struct xs_cli_syntax syntax = {
	    .command = "run", .usage = usage, .stop_at_word = true};
	const char *output = NULL;
	struct xs_earlier_trace earlier = {.moved = false};
	bool counters = false;
	const struct xs_cli_option options[] = {
	    {"--output", 'o', xs_cli_parse_text, &output},
	    {"--counters", 0, NULL, &counters},
	    {0}};
	int code = xs_cli_parse(&syntax, options, argc, argv);

	if (code)
		return code == XS_CLI_HELP_PRINTED ? XS_EXIT_DONE : code;
	if (optind == argc)
		return xs_cli_error(XS_EXIT_USAGE, "run",
				    "no command was given",
				    "name the program to run");
	code = prepare(output, counters);
	if (!code && output)
		code = xs_earlier_trace_set_aside(&earlier,
						  getenv("XFERSPY_OUTPUT"));
	if (code)
		return code;
	return execute(argv + optind, &earlier);
}
