/* SPDX-License-Identifier: MIT */
/* File operations for the trace. Every failure is an error number and never a
 * signal in the application. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Returns a duplicate with a high number, which exec closes, or -errno. */
int xs_file_duplicate(int fd);

/*
 * Creates a file for reading and writing, mode 0600. Never opens an existing
 * file and never follows a link: if `path` exists, .1, .2, ... is appended.
 * -ENOTSUP if it is a device, a pipe or a socket. Stores the name in *name.
 * Returns a close-on-exec descriptor with a high number, or -errno.
 */
int xs_file_create(const char *path, char *name, size_t name_bytes);

/* Writes at offset 0. Returns 0 or -errno. */
int xs_file_begin(int fd, const void *data, size_t bytes);

/* Allocates disk space between two offsets. Returns 0 or -errno. */
int xs_file_allocate(int fd, uint64_t from_bytes, uint64_t to_bytes);

/* Maps a part of the file shared, with every page present and writable. Returns
 * NULL and sets errno on failure. */
void *xs_file_map(int fd, uint64_t at_bytes, size_t bytes);
