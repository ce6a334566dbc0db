/* SPDX-License-Identifier: MIT */
#include "tests/unit.h"

#include "analyzer/util/large.h"
#include "analyzer/util/sort.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define LARGE XS_LARGE_LEAST_BYTES

static char folder[] = "/tmp/xs_large.XXXXXX";

/* Whether the bytes are a mapping of a file, which has no name. */
static bool is_in_file(const void *items)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	uintptr_t begin, end;
	char line[512];
	bool found = false;

	assert_non_null(maps);
	while (!found && fgets(line, sizeof(line), maps))
		found =
		    sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &begin, &end) == 2 &&
		    begin == (uintptr_t)items && strstr(line, folder) &&
		    strstr(line, "(deleted)");
	fclose(maps);
	return found;
}

static size_t names_in_folder(void)
{
	DIR *dir = opendir(folder);
	size_t count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count - 2;
}

static size_t resident_bytes(void)
{
	FILE *in = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	assert_non_null(in);
	assert_int_equal(fscanf(in, "%*u %*u %lu", &pages), 1);
	fclose(in);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void fill(uint32_t *items, size_t bytes)
{
	for (size_t i = 0; i < bytes / sizeof(*items); i++)
		items[i] = (uint32_t)i;
}

static bool is_filled(const uint32_t *items, size_t bytes)
{
	for (size_t i = 0; i < bytes / sizeof(*items); i++)
		if (items[i] != i)
			return false;
	return true;
}

TEST(test_large_ones_are_in_files)
{
	xs_large_keep_in(folder);
	char *small = xs_large_new(1, LARGE - 1);
	char *large = xs_large_new(LARGE, 1);
	assert_non_null(small);
	assert_non_null(large);
	assert_false(is_in_file(small));
	assert_true(is_in_file(large));
	assert_int_equal(names_in_folder(), 0);
	assert_int_equal(large[0], 0);
	assert_memory_equal(large, large + 1, LARGE - 1);
	xs_large_free(small);
	xs_large_free(large);
	assert_false(is_in_file(large));
	xs_large_free(NULL);
	assert_null(xs_large_new(SIZE_MAX / 2, 4));
}

/* From the heap to a file, there, and to a smaller size. */
TEST(test_contents_stay)
{
	xs_large_keep_in(folder);
	uint32_t *items = xs_large_resize(NULL, 0, LARGE / 2);
	assert_non_null(items);
	fill(items, LARGE / 2);
	items = xs_large_resize(items, LARGE / 2, LARGE);
	assert_true(is_in_file(items));
	assert_true(is_filled(items, LARGE / 2));
	fill(items, LARGE);
	uint32_t *larger = xs_large_resize(items, LARGE, 4 * LARGE);
	assert_true(is_in_file(larger));
	assert_true(is_filled(larger, LARGE));
	fill(larger, 4 * LARGE);
	items = xs_large_resize(larger, 4 * LARGE, LARGE / 4);
	assert_true(is_filled(items, LARGE / 4));
	xs_large_free(items);
}

TEST(test_growing)
{
	uint32_t *items = NULL;
	const size_t count = LARGE / sizeof(*items) + 1;

	xs_large_keep_in(folder);
	for (size_t i = 0; i < count; i++) {
		items = xs_array_grow_large(items, i, sizeof(*items));
		assert_non_null(items);
		items[i] = (uint32_t)i;
	}
	assert_true(is_in_file(items));
	assert_true(is_filled(items, count * sizeof(*items)));
	xs_large_free(items);
}

TEST(test_without_folder)
{
	static const char *const folders[] = {NULL, "/nowhere"};

	for (size_t i = 0; i < 2; i++) {
		uint32_t *items;

		xs_large_keep_in(folders[i]);
		items = xs_large_new(2, LARGE);
		assert_non_null(items);
		assert_false(is_in_file(items));
		fill(items, LARGE);
		items = xs_large_resize(items, 2 * LARGE, 3 * LARGE);
		assert_true(is_filled(items, LARGE));
		xs_large_free(items);
	}
}

/* A file beyond the limit would end the process by SIGXFSZ. */
TEST(test_files_are_within_the_limit)
{
	struct rlimit before, limit;

	xs_large_keep_in(folder);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = (struct rlimit){LARGE, before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	char *items = xs_large_new(LARGE, 1);
	char *longer = xs_large_new(LARGE + 1, 1);
	assert_true(is_in_file(items));
	assert_false(is_in_file(longer));
	items = xs_large_resize(items, LARGE, 2 * LARGE);
	assert_non_null(items);
	assert_false(is_in_file(items));
	xs_large_free(items);
	xs_large_free(longer);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
}

/* More than may be in memory: taken out within a minute, and still right. */
TEST(test_memory_is_bounded)
{
	const size_t bytes = 2 * XS_LARGE_MOST_RESIDENT_BYTES;
	const struct timespec pause = {.tv_nsec = 10000000};

	xs_large_keep_in(folder);
	uint32_t *items = xs_large_new(1, bytes);
	assert_true(is_in_file(items));
	fill(items, bytes);
	for (int i = 0; i < 6000 && resident_bytes() >= bytes / 2; i++)
		nanosleep(&pause, NULL);
	assert_true(resident_bytes() < bytes / 2);
	assert_true(is_filled(items, bytes));
	xs_large_free(items);
}

FIXTURE(make_folder)
{
	return mkdtemp(folder) ? 0 : -1;
}

FIXTURE(remove_folder)
{
	return rmdir(folder);
}

int main(void)
{
	return unit_run(make_folder, remove_folder, NULL, NULL);
}
