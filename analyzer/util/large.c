/* SPDX-License-Identifier: MIT */
#include "analyzer/util/large.h"

#include "analyzer/util/unnamed.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

/* Arrays in files at once; more are in the heap. */
#define MOST_ARRAYS 32

/* Between two looks at how much is in memory: it may grow by some 50 MB. */
#define LOOK_NS 20000000

struct large {
	void *items; /* NULL: free */
	size_t bytes;
	int file;
};

static struct {
	pthread_mutex_t lock;
	const char *folder;
	bool watched; /* a thread bounds what is in memory */
	struct large arrays[MOST_ARRAYS];
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

void xs_large_keep_in(const char *folder)
{
	all.folder = folder;
}

/* Returns the bytes of files that are in the process's memory. */
static size_t resident_bytes(void)
{
	FILE *in = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;

	if (!in)
		return 0;
	if (fscanf(in, "%*u %*u %lu", &pages) != 1)
		pages = 0;
	fclose(in);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* What is taken out stays in the kernel's cache while there is room. */
static void *watch(void *unused)
{
	const struct timespec pause = {.tv_nsec = LOOK_NS};

	for (;; nanosleep(&pause, NULL)) {
		if (resident_bytes() < XS_LARGE_MOST_RESIDENT_BYTES)
			continue;
		pthread_mutex_lock(&all.lock);
		for (size_t i = 0; i < MOST_ARRAYS; i++)
			if (all.arrays[i].items)
				madvise(all.arrays[i].items,
					all.arrays[i].bytes, MADV_DONTNEED);
		pthread_mutex_unlock(&all.lock);
	}
	return unused;
}

/* The lock is held, as in all below. */
static void begin_watch(void)
{
	pthread_t thread;

	if (all.watched || pthread_create(&thread, NULL, watch, NULL))
		return;
	pthread_detach(thread);
	all.watched = true;
}

/* Returns the array's row; of NULL a free row. NULL: there is none. */
static struct large *find(const void *items)
{
	for (size_t i = 0; i < MOST_ARRAYS; i++)
		if (all.arrays[i].items == items)
			return &all.arrays[i];
	return NULL;
}

/* So many bytes of the disk stay free for each byte of an array: the output is
 * written beside it. */
#define LEFT_FREE 2

/* Makes the file longer, if its disk and the limit have room. Its blocks are
 * reserved: a page that finds none later would end the process. */
static bool extend(int file, size_t from, size_t to)
{
	struct statvfs disk;
	struct rlimit limit;
	double held = (double)(to - from);

	for (size_t i = 0; i < MOST_ARRAYS; i++)
		held += all.arrays[i].items ? (double)all.arrays[i].bytes : 0;
	return fstatvfs(file, &disk) == 0 &&
	       (double)disk.f_bavail * (double)disk.f_frsize -
		       (double)(to - from) >=
		   LEFT_FREE * held &&
	       getrlimit(RLIMIT_FSIZE, &limit) == 0 && to <= limit.rlim_cur &&
	       posix_fallocate(file, (off_t)from, (off_t)(to - from)) == 0;
}

/* Makes an array of zeros in a file. Returns NULL if that cannot be. */
static void *map(size_t bytes)
{
	struct large *row = find(NULL);
	int file = row && all.folder ? xs_unnamed_open(all.folder) : -1;
	void *items = MAP_FAILED;

	if (file < 0)
		return NULL;
	if (extend(file, 0, bytes))
		items = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
			     file, 0);
	if (items == MAP_FAILED) {
		close(file);
		return NULL;
	}
	*row = (struct large){.items = items, .bytes = bytes, .file = file};
	begin_watch();
	return items;
}

static void unmap(struct large *row)
{
	munmap(row->items, row->bytes);
	close(row->file);
	row->items = NULL;
}

static void *remap(struct large *row, size_t bytes)
{
	void *items = MAP_FAILED;

	if (bytes < row->bytes ? ftruncate(row->file, (off_t)bytes) == 0
			       : extend(row->file, row->bytes, bytes))
		items = mremap(row->items, row->bytes, bytes, MREMAP_MAYMOVE);
	if (items == MAP_FAILED)
		return NULL;
	row->items = items;
	row->bytes = bytes;
	return items;
}

void *xs_large_new(size_t count, size_t item_bytes)
{
	void *items = NULL;
	size_t bytes;

	if (__builtin_mul_overflow(count, item_bytes, &bytes))
		return NULL;
	if (all.folder && bytes >= XS_LARGE_LEAST_BYTES) {
		pthread_mutex_lock(&all.lock);
		items = map(bytes);
		pthread_mutex_unlock(&all.lock);
	}
	return items ? items : calloc(count, item_bytes);
}

/* Copies an array that is in the heap, or whose file cannot grow. */
static void *move(void *items, size_t old_bytes, size_t new_bytes)
{
	void *moved = xs_large_new(new_bytes, 1);

	if (moved && items)
		memcpy(moved, items,
		       old_bytes < new_bytes ? old_bytes : new_bytes);
	if (moved)
		xs_large_free(items);
	return moved;
}

void *xs_large_resize(void *items, size_t old_bytes, size_t new_bytes)
{
	struct large *row;
	void *resized = NULL;

	pthread_mutex_lock(&all.lock);
	row = items ? find(items) : NULL;
	if (row)
		resized = remap(row, new_bytes);
	pthread_mutex_unlock(&all.lock);
	if (resized)
		return resized;
	return row || (all.folder && new_bytes >= XS_LARGE_LEAST_BYTES)
		   ? move(items, old_bytes, new_bytes)
		   : realloc(items, new_bytes);
}

void xs_large_free(void *items)
{
	struct large *row;

	pthread_mutex_lock(&all.lock);
	row = items ? find(items) : NULL;
	if (row)
		unmap(row);
	pthread_mutex_unlock(&all.lock);
	if (!row)
		free(items);
}
