/* SPDX-License-Identifier: MIT */
/* xferspy run: runs a program with libxferspy.so preloaded. */
#include "model/machine/program_path.h"
#include "preload/trace_name.h"
#include "report/commands/cli.h"
#include "report/commands/earlier_trace.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Exit codes of shells and env(1). */
#define EXIT_CANNOT_EXECUTE 126
#define EXIT_NOT_FOUND	    127

struct run_options {
	const char *output;
	bool counters;
};

static const struct xs_cli_option options[] = {
    {"--output", 'o', "FILE", xs_cli_parse_text,
     offsetof(struct run_options, output),
     "name of the trace; %p is the process id, %h the\n"
     "host, %r the rank (default xferspy.%h.%p.xspy)"},
    {"--counters", 0, NULL, NULL, offsetof(struct run_options, counters),
     "also count what the first launches of each kernel\n"
     "read, write and execute, for xferspy report\n"
     "--counters"},
    {0}};

static int run_main(int argc, char **argv);

const struct xs_cli_command xs_cmd_run = {
    .name = "run",
    .function = run_main,
    .summary = "run a program and write its trace",
    .usage =
	"Usage: xferspy run [-o FILE] [--counters] [--] COMMAND [ARGUMENTS]\n"
	"Runs a CUDA program with libxferspy.so preloaded, which writes a "
	"trace.\n",
    .notes = "The exit code is that of COMMAND, 127 if it is not found, 126 if "
	     "it cannot\n"
	     "be run.\n",
    .options = options,
    .words = XS_CLI_WORDS_PROGRAM,
};

/*
 * Finds libxferspy.so relative to this program: as installed, or in the build
 * tree with bin/ and lib/. Returns 0 or -errno.
 */
static int find_library(char *path, size_t size)
{
	static const char *const places[] = {
	    XS_LIBRARY_FROM_BIN "/libxferspy.so", "../lib/libxferspy.so",
	    "../lib64/libxferspy.so"};
	char found[PATH_MAX], resolved[PATH_MAX];

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (xs_program_path(places[i], found, sizeof(found)) == 0 &&
		    access(found, R_OK) == 0 && realpath(found, resolved) &&
		    snprintf(path, size, "%s", resolved) < (int)size)
			return 0;
	return -ENOENT;
}

/* Sets a variable to three texts in a row. Returns 0 or -errno. */
static int set(const char *name, const char *first, const char *between,
	       const char *last)
{
	char *value;
	int err = 0;

	if (asprintf(&value, "%s%s%s", first, between, last) < 0)
		return -ENOMEM;
	if (setenv(name, value, 1) < 0)
		err = -errno;
	free(value);
	return err;
}

/* Prepends to LD_PRELOAD. */
static int set_preload(const char *library)
{
	const char *before = getenv("LD_PRELOAD");

	return before && *before ? set("LD_PRELOAD", library, ":", before)
				 : set("LD_PRELOAD", library, "", "");
}

/* Makes the path absolute, since the program may change its folder. */
static int set_output(const char *output)
{
	char folder[PATH_MAX];

	if (output[0] == '/')
		return set("XFERSPY_OUTPUT", output, "", "");
	if (!getcwd(folder, sizeof(folder)))
		return -errno;
	return set("XFERSPY_OUTPUT", folder, "/", output);
}

/* The library would find out only when the program has ended. */
static int check_folder(const char *output, const char *pattern)
{
	char path[PATH_MAX];
	char *slash;

	if (xs_trace_name_expand(pattern, getpid(), path, sizeof(path)) < 0)
		return 0;
	slash = strrchr(path, '/');
	if (!slash || slash == path)
		return 0;
	*slash = '\0';
	if (access(path, W_OK | X_OK) == 0)
		return 0;
	return xs_cli_fail(output,
			   errno == ENOENT ? "the folder does not exist"
					   : strerror(errno),
			   "name a folder that can be written");
}

/* Returns whether a driver can be loaded. Where there is no device of one, a
 * silent child tries, so that nothing of it stays in this process. */
static bool has_driver(void)
{
	int status = 0;
	pid_t child;

	if (access("/dev/nvidiactl", F_OK) == 0)
		return true;
	child = fork();
	if (child == 0) {
		close(STDOUT_FILENO);
		close(STDERR_FILENO);
		_exit(dlopen("libcuda.so.1", RTLD_LAZY) ? 0 : 1);
	}
	return child < 0 || waitpid(child, &status, 0) != child || !status;
}

/* The library says at the end of this process if it called no CUDA, and that
 * there is no driver. exec() keeps the process id. */
static int set_pid(void)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	return set("XFERSPY_RUN_PID", pid, has_driver() ? "" : " no driver",
		   "");
}

/* Stores where execvp() finds the program. */
static bool find(const char *program, char path[PATH_MAX])
{
	const char *folder = getenv("PATH");

	if (strchr(program, '/'))
		return snprintf(path, PATH_MAX, "%s", program) < PATH_MAX;
	while (folder && *folder) {
		const size_t length = strcspn(folder, ":");
		const int written =
		    snprintf(path, PATH_MAX, "%.*s/%s", (int)length,
			     length ? folder : ".", program);

		if (written < PATH_MAX && access(path, X_OK) == 0)
			return true;
		folder += length + (folder[length] == ':');
	}
	return false;
}

/* Whether an ELF file asks for no loader. */
static bool is_static(int fd)
{
	Elf64_Ehdr header;
	Elf64_Phdr segment;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_phentsize != sizeof(segment))
		return false;
	for (int i = 0; i < header.e_phnum; i++) {
		const off_t at =
		    (off_t)(header.e_phoff + (size_t)i * sizeof(segment));

		if (pread(fd, &segment, sizeof(segment), at) !=
			sizeof(segment) ||
		    segment.p_type == PT_INTERP)
			return false;
	}
	return true;
}

/* Returns why the loader will not preload a library into the program, which is
 * searched in PATH as execvp() does. NULL: it will, as far as can be told. */
static const char *preload_obstacle(const char *program)
{
	const char *obstacle = NULL;
	char path[PATH_MAX];
	struct stat status;
	int fd;

	if (!find(program, path))
		return NULL;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
		if (((status.st_mode & S_ISUID) && status.st_uid != getuid()) ||
		    ((status.st_mode & S_ISGID) && status.st_gid != getgid()))
			obstacle = "it is setuid or setgid";
		else if (is_static(fd))
			obstacle = "it is statically linked";
	}
	close(fd);
	return obstacle;
}

/* Not an error: the program may start others, which can be traced. */
static void warn_of_obstacle(const char *program)
{
	const char *obstacle = preload_obstacle(program);
	char why[80];

	if (!obstacle)
		return;
	snprintf(why, sizeof(why), "%s, so it cannot be traced", obstacle);
	xs_cli_fail(program, why, "programs that it starts can be");
}

static int prepare(const char *output, bool counters)
{
	char library[PATH_MAX];
	int err = find_library(library, sizeof(library));

	if (err < 0)
		return xs_cli_fail(
		    "libxferspy.so", "not found next to this program",
		    "install xferspy, or set LD_PRELOAD yourself");
	/* the loader separates LD_PRELOAD at blanks and colons */
	if (strpbrk(library, " :"))
		return xs_cli_fail(
		    library,
		    "LD_PRELOAD cannot contain a path with blanks or colons",
		    "install xferspy elsewhere");
	err = set_preload(library);
	if (!err && output)
		err = set_output(output);
	if (!err)
		err = set_pid();
	if (!err && counters)
		err = set("XFERSPY_MODE", "counters", "", "");
	if (err < 0)
		return xs_cli_fail("the environment", strerror(-err),
				   "free some memory");
	return 0;
}

static bool is_program(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
	       access(path, X_OK) == 0;
}

/* Returns the exit code of a command that cannot be run. */
static int execute(char **command, const struct xs_earlier_trace *earlier)
{
	int err;

	execvp(command[0], command);
	err = errno;
	xs_earlier_trace_put_back(earlier);
	xs_cli_fail(command[0], strerror(err),
		    is_program(command[0]) && !strchr(command[0], '/')
			? "it is here: put ./ before its name"
			: "name a program that can be run");
	return err == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_EXECUTE;
}

static int run_main(int argc, char **argv)
{
	struct xs_earlier_trace earlier = {.moved = false};
	struct run_options given = {0};
	int code = xs_cli_parse(&xs_cmd_run, argc, argv, &given);

	if (code)
		return code;
	if (optind == argc)
		return xs_cli_misuse("run", "no command was given",
				     "name the program to run");
	code = prepare(given.output, given.counters);
	if (!code && given.output)
		code = check_folder(given.output, getenv("XFERSPY_OUTPUT"));
	if (!code && given.output)
		code = xs_earlier_trace_set_aside(&earlier,
						  getenv("XFERSPY_OUTPUT"));
	if (code)
		return code;
	warn_of_obstacle(argv[optind]);
	return execute(argv + optind, &earlier);
}
