/* A file that gets its name when it is complete, or stays beside it. */
#include "report/commands/unfinished.h"
#include "tests/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define OLD "what was there\n"

static int refused;

int rename(const char *from, const char *to)
{
	if (!refused)
		return renameat(AT_FDCWD, from, AT_FDCWD, to);
	errno = refused;
	return -1;
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

/* Writes a text over a file in a process of its own, whose messages are in
 * "said". Returns 0 or -errno. */
static int write_over(const char *old, const char *text)
{
	pid_t child;
	int status, file;

	put("own", old);
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
	return -WEXITSTATUS(status);
}

/* Standard error names the file that has all. */
static void expect_kept(const char *text)
{
	static const char words[] = "xferspy: the whole output is in ";
	char said[256] = "", *path = said + sizeof(words) - 1;
	FILE *file = fopen("said", "r");

	assert_non_null(file);
	assert_non_null(fgets(said, sizeof(said), file));
	fclose(file);
	assert_memory_equal(said, words, sizeof(words) - 1);
	path[strcspn(path, "\n")] = '\0';
	expect_text(path, text);
	unlink(path);
}

TEST(a_file_is_replaced)
{
	assert_int_equal(write_over(OLD, "new\n"), 0);
	expect_text("own", "new\n");
	expect_text("said", "");
	assert_int_not_equal(system("ls | grep part"), 0);
}

/* As of a mount: the system refuses. */
TEST(what_gets_no_name_is_kept)
{
	refused = EBUSY;
	assert_int_equal(write_over(OLD, "new\n"), -EBUSY);
	refused = 0;
	expect_text("own", OLD);
	expect_kept("new\n");
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

	assert_int_equal(write_over(OLD, page), -EEXIST);
	expect_text("own", OLD);
	expect_kept(page);
	assert_int_equal(write_over(pytorch, own), -EEXIST);
	assert_int_equal(write_over(pytorch, OLD), -EEXIST);
	assert_int_equal(write_over(dump, OLD), -EEXIST);
	assert_int_equal(system("test $(ls own.*.part | wc -l) = 3"), 0);
	assert_int_equal(write_over("[{\"schema\": 1}]", own), 0);
	expect_text("own", own);
	assert_int_equal(write_over("", page), 0);
	expect_text("own", page);
}

RUN_TESTS(NULL, NULL)
