/* SPDX-License-Identifier: MIT */
/*
 * What the trace asks of its file. Every failure is an error number here and
 * never a signal in the application.
 */
#ifndef XS_PRELOAD_UTIL_FILE_H
#define XS_PRELOAD_UTIL_FILE_H

#include <stddef.h>
#include <stdint.h>

/*
 * A new file for reading and writing, mode 0600, never one that exists and
 * never through a link: if `path` exists, .1, .2, ... is added. Its name is
 * left in *name. The descriptor, a high number that exec closes, or -errno.
 */
int xs_file_create(const char *path, char *name, size_t name_bytes);

/* Writes at the file's beginning. 0 or -errno. */
int xs_file_begin(int fd, const void *data, size_t bytes);

/* Makes room on the disk from one offset to the other. 0 or -errno. */
int xs_file_allocate(int fd, uint64_t from_bytes, uint64_t to_bytes);

/* Maps a part, shared, each page of it there and writable, and known to
 * mappings.h. NULL and errno. */
void *xs_file_map(int fd, uint64_t at_bytes, size_t bytes);

#endif
