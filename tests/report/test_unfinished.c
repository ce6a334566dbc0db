/* A file that cannot be replaced and whose copy fails. The system's calls that
 * copy are these. */
#include "report/commands/unfinished.h"
#include "tests/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define OLD  "what was there\n"
#define HALF 4

static enum { WHOLE, NO_ROOM, FAILS, IS_ENDED } outcome;

/* Fails when part of the room is there. */
int posix_fallocate(int file, off_t at, off_t size)
{
	if (ftruncate(file, at + (outcome == NO_ROOM ? size / 2 : size)) != 0)
		return errno;
	return outcome == NO_ROOM ? ENOSPC : 0;
}

ssize_t sendfile(int to, int from, off_t *at, size_t size)
{
	char part[HALF];
	const size_t wanted = size < HALF ? size : HALF;
	ssize_t done;

	if (*at && outcome == FAILS) {
		errno = EIO;
		return -1;
	}
	if (*at && outcome == IS_ENDED)
		raise(SIGTERM);
	done = pread(from, part, wanted, *at);
	if (done > 0)
		done = write(to, part, (size_t)done);
	*at += done;
	return done;
}

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void expect_text(const char *path, const char *text)
{
	char found[256] = "";
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	found[fread(found, 1, sizeof(found) - 1, file)] = '\0';
	fclose(file);
	assert_string_equal(found, text);
}

/* Writes a text over a file of two names in a process of its own, whose
 * messages are in "said". Returns how it ended: -errno or a signal. */
static int write_over(const char *old, const char *text)
{
	pid_t child;
	int status, file;

	put("own", old);
	unlink("second");
	assert_int_equal(link("own", "second"), 0);
	child = fork();
	if (child == 0) {
		file = open("said", O_WRONLY | O_CREAT | O_TRUNC, 0666);
		dup2(file, STDERR_FILENO);
		file = xs_unfinished_open("own");
		if (write(file, text, strlen(text)) < 0)
			_exit(255);
		_exit(-xs_unfinished_rename());
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

TEST(the_copy_is_as_long_as_the_output)
{
	outcome = WHOLE;
	assert_int_equal(write_over(OLD, "new\n"), 0);
	expect_text("second", "new\n");
	assert_int_equal(write_over(OLD, OLD OLD), 0);
	expect_text("second", OLD OLD);
	expect_text("said", "");
	assert_int_not_equal(system("ls temporary | grep ."), 0);
}

TEST(a_full_disk_leaves_what_was_there)
{
	outcome = NO_ROOM;
	assert_int_equal(write_over(OLD, OLD OLD), -ENOSPC);
	expect_text("second", OLD);
	expect_text("said", "");
	assert_int_not_equal(system("ls temporary | grep ."), 0);
}

/* Standard error names the file that has all. */
static void expect_kept(void)
{
	static const char words[] = "xferspy: the whole output is in ";
	char said[256] = "", *path = said + sizeof(words) - 1;
	FILE *file = fopen("said", "r");

	assert_non_null(file);
	assert_non_null(fgets(said, sizeof(said), file));
	fclose(file);
	assert_memory_equal(said, words, sizeof(words) - 1);
	path[strcspn(path, "\n")] = '\0';
	expect_text(path, OLD "new\n");
}

TEST(a_copy_that_fails_keeps_the_whole)
{
	outcome = FAILS;
	assert_int_equal(write_over(OLD, OLD "new\n"), -EIO);
	expect_kept();
	outcome = IS_ENDED;
	assert_int_equal(write_over(OLD, OLD "new\n"), SIGTERM);
	expect_kept();
}

TEST(a_long_name_is_not_written_in_place)
{
	char path[251];

	memset(path, 'n', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	int file = xs_unfinished_open(path);
	assert_true(file >= 0);
	assert_string_not_equal(xs_unfinished_name(), path);
	assert_int_not_equal(access(path, F_OK), 0);
	assert_int_equal(write(file, OLD, strlen(OLD)), strlen(OLD));
	close(file);
	assert_int_equal(xs_unfinished_rename(), 0);
	expect_text(path, OLD);
}

/* What other tools or a user wrote stays, and the new file beside it; an own
 * file of the kind does not. */
TEST(a_file_of_another_kind_stays)
{
	static const char page[] = "<!DOCTYPE html>\n1";
	static const char own[] = "{\n  \"schema\": 1, \"a\": 1}";
	static const char pytorch[] = "{\n  \"schemaVersion\": 1}";
	static const char dump[] = "xferspy-text 1\n";

	outcome = WHOLE;
	assert_int_equal(system("rm -f temporary/*"), 0); /* of others */
	assert_int_equal(write_over(OLD, page), -EEXIST);
	expect_text("second", OLD);
	assert_int_equal(write_over(pytorch, own), -EEXIST);
	assert_int_equal(write_over(pytorch, OLD), -EEXIST);
	assert_int_equal(write_over(dump, OLD), -EEXIST);
	assert_int_equal(system("test $(ls temporary | wc -l) = 4"), 0);
	assert_int_equal(write_over("[{\"schema\": 1}]", own), 0);
	expect_text("second", own);
	assert_int_equal(write_over("", page), 0);
	expect_text("second", page);
}

FIXTURE(enter_folder)
{
	return mkdir("temporary", 0777) || setenv("TMPDIR", "temporary", 1);
}

int main(void)
{
	return unit_run(enter_folder, NULL, NULL, NULL);
}
