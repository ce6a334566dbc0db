/* SPDX-License-Identifier: MIT */
/*
 * Arrays that may be larger than memory. A command that has a folder for them
 * keeps each one of at least XS_LARGE_LEAST_BYTES in a file without a name,
 * which is gone when the array is freed or the process ends. The kernel moves
 * their pages between memory and file; a thread takes all of them out of the
 * process when they are more than XS_LARGE_MOST_RESIDENT_BYTES.
 * Without a folder, with small ones, above RLIMIT_FSIZE, or without room for
 * them and an output twice as large, they are in the heap.
 */
#pragma once

#include <stddef.h>

#define XS_LARGE_LEAST_BYTES	     ((size_t)16 << 20)
#define XS_LARGE_MOST_RESIDENT_BYTES ((size_t)256 << 20)

/* The folder for arrays that are made or grow from now on; NULL: none, as in
 * the beginning. It is not copied. */
void xs_large_keep_in(const char *folder);

/* Returns an array whose items are 0, or NULL. Free it by xs_large_free(). */
void *xs_large_new(size_t count, size_t item_bytes);

/* Returns the array with another size, NULL: items are NULL or from malloc() or
 * here. It may have moved. What is new has any value. NULL: no memory; the old
 * array is valid then. */
void *xs_large_resize(void *items, size_t old_bytes, size_t new_bytes);

/* Frees an array from here or from malloc(), or NULL. */
void xs_large_free(void *items);
