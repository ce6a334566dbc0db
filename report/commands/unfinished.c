/* SPDX-License-Identifier: MIT */
#include "report/commands/unfinished.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CREATE (O_WRONLY | O_CREAT | O_CLOEXEC)
#define SUFFIX ".part"
#define ENDING ".XXXXXX" SUFFIX

/* Bytes by which formats differ, as JSON of PyTorch and of report do. */
#define SAME_START (sizeof("{\"schema\":") - 1)
#define START_MAX  64

static char unfinished[PATH_MAX], finished[PATH_MAX];
static volatile sig_atomic_t exists;
static volatile sig_atomic_t
    kept; /* it could not get its name, and is not deleted */

static void say(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		return; /* there is no other place to say it */
}

void xs_unfinished_delete(void)
{
	if (exists && kept) {
		say("xferspy: the whole output is in ");
		say(unfinished);
		say("\n");
	} else if (exists) {
		unlink(unfinished);
	}
	exists = kept = 0;
}

/* The signal ends the process when this returns. It has no default action
 * before, which another thread could take while the file is still there. */
static void on_signal(int number)
{
	xs_unfinished_delete();
	signal(number, SIG_DFL);
	raise(number);
}

static void delete_on_signals(void)
{
	/* all that end a process unless it is at fault */
	static const int numbers[] = {SIGHUP,  SIGINT,	SIGQUIT,   SIGPIPE,
				      SIGALRM, SIGTERM, SIGUSR1,   SIGUSR2,
				      SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF};
	struct sigaction action = {.sa_handler = on_signal};
	struct sigaction old;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (sigaction(numbers[i], NULL, &old) == 0 &&
		    old.sa_handler == SIG_DFL)
			sigaction(numbers[i], &action, NULL);
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool is_standard_output(const struct stat *status)
{
	struct stat own;

	return fstat(STDOUT_FILENO, &own) == 0 && is_same(&own, status);
}

/* All that write to standard output share its position. */
static int open_itself(const char *path, const struct stat *status)
{
	const int file = is_standard_output(status)
			     ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
			     : open(path, CREATE | O_TRUNC, 0666);

	return file < 0 ? -errno : file;
}

/* Devices, pipes and what is open already have no other file written. */
static bool is_ordinary(const char *path, const struct stat *there)
{
	return S_ISREG(there->st_mode) && strncmp(path, "/dev/", 5) != 0 &&
	       strncmp(path, "/proc/", 6) != 0 && !is_standard_output(there);
}

/* Stores the file's name, which is no link: a link stays one. That of an open
 * file in /proc may lead to no name, or to another file's. */
static bool find_name(const char *path, const struct stat *there)
{
	struct stat named;

	if (realpath(path, finished) && lstat(finished, &named) == 0 &&
	    is_same(&named, there))
		return true;
	snprintf(finished, sizeof(finished), "%s", path);
	return false;
}

/* Whether another file may take its name: it is new, or an ordinary file.
 * Stores the name. */
static bool is_replaceable(const char *path, const struct stat *there)
{
	struct stat link;

	if (!there)
		return lstat(path, &link) != 0;
	return is_ordinary(path, there) && find_name(path, there);
}

/* Returns the bytes of a path to which the ending fits. */
static int fitting(const char *path)
{
	const char *slash = strrchr(path, '/');
	const size_t folder = slash ? (size_t)(slash + 1 - path) : 0;
	const size_t most = folder + NAME_MAX - (sizeof(ENDING) - 1);
	const size_t bytes = strlen(path);

	return (int)(bytes < most ? bytes : most);
}

/* Creates the unfinished file. */
static int create(void)
{
	int file;

	if (snprintf(unfinished, sizeof(unfinished), "%.*s" ENDING,
		     fitting(finished), finished) >= (int)sizeof(unfinished))
		return -1;
	delete_on_signals();
	exists = 1; /* a signal may follow right away */
	file = mkostemps(unfinished, sizeof(SUFFIX) - 1, O_CLOEXEC);
	if (file < 0)
		exists = 0;
	return file;
}

/* Returns -1 if there can be none of the same owner, group and mode. */
static int open_beside(const struct stat *there)
{
	const mode_t mask = umask(0);
	struct stat own;
	int file;

	umask(mask);
	file = create();
	if (file < 0)
		return -1;
	if (fstat(file, &own) == 0 &&
	    (!there ||
	     (own.st_uid == there->st_uid && own.st_gid == there->st_gid)) &&
	    fchmod(file, there ? there->st_mode & 0777 : 0666 & ~mask) == 0)
		return file;
	close(file);
	xs_unfinished_delete();
	return -1;
}

int xs_unfinished_open(const char *path)
{
	struct stat status = {0};
	const bool is_there = stat(path, &status) == 0;
	const struct stat *there = is_there ? &status : NULL;
	int file = -1;

	if (is_there && access(path, W_OK) != 0)
		return -errno;
	snprintf(finished, sizeof(finished), "%s", path);
	if (is_replaceable(path, there))
		file = open_beside(there);
	return file < 0 ? open_itself(path, &status) : file;
}

const char *xs_unfinished_name(void)
{
	return exists ? unfinished : finished;
}

/* What a file begins with. */
struct start {
	char text[START_MAX];
	size_t size;
};

/* Returns the start of a file, without white space behind the first byte, which
 * in Perfetto's binary is a line feed. Its size is 0 if the file is empty; one
 * that cannot be read starts as none does. */
static struct start start_of(const char *path)
{
	struct start out = {.size = 0};
	FILE *file = fopen(path, "re");
	int c;

	if (!file) {
		out.size = errno != ENOENT;
		return out;
	}
	while (out.size < START_MAX && (c = getc(file)) != EOF)
		if (!out.size || !isspace(c))
			out.text[out.size++] = (char)c;
	fclose(file);
	return out;
}

/* Returns whether it is a machine profile, the only JSON that is measured. */
static bool is_profile(const struct start *start)
{
	static const char key[] = ",\"name\":";
	const char *second = memchr(start->text, ',', START_MAX - sizeof(key));

	return second && memcmp(second, key, sizeof(key) - 1) == 0;
}

/* Returns whether it begins as no format does, so that it may be any text. */
static bool is_plain_text(const struct start *start)
{
	return !memchr(start->text, '\0', start->size) &&
	       !memchr("{[<", start->text[0], 3) &&
	       memcmp(start->text, "xferspy-text", 12) != 0;
}

/* Returns the start, that of its first item if it is a JSON array. */
static const char *first_item(const struct start *start)
{
	return start->text + (start->text[0] == '[');
}

/* Returns whether a file may be one that this command wrote: it is empty, or
 * begins as the new one does. The start of Perfetto's binary has a length. */
static bool is_of_one_kind(const struct start *old, const struct start *new)
{
	const bool binary = memchr(old->text, '\0', old->size) &&
			    memchr(new->text, '\0', new->size);

	if (!old->size || (is_plain_text(old) && is_plain_text(new)))
		return true;
	return memcmp(first_item(old), first_item(new),
		      binary ? 1 : SAME_START) == 0 &&
	       is_profile(old) == is_profile(new);
}

int xs_unfinished_rename(void)
{
	struct start old, new;
	int err = 0;

	if (!exists)
		return 0;
	old = start_of(finished);
	new = start_of(unfinished);
	if (!is_of_one_kind(&old, &new))
		err = -EEXIST;
	else if (rename(unfinished, finished) != 0)
		err = -errno; /* as that of a mount */
	exists = kept = err != 0;
	xs_unfinished_delete();
	return err;
}
