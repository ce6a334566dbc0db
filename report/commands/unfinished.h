/* SPDX-License-Identifier: MIT */
/* A file that a command writes under another name beside its own until it is
 * complete: if the command fails or a signal ends it, what was there before
 * stays. If it cannot get its name, since a file of another kind is there or
 * the system refuses, the complete file stays, and standard error says where.
 * Devices, pipes and standard output are written themselves, and so is a file
 * that another one cannot replace: it has another owner, or its folder cannot
 * be written. Further names of a replaced file keep what was there.
 * One at a time. Not thread-safe. */
#pragma once

/*
 * Opens a file that becomes `path`, or `path` itself. From now on signals that
 * end the process delete the first. Returns the descriptor, which the caller
 * closes, or -errno.
 */
int xs_unfinished_open(const char *path);

/* Returns the name that the file has until then. */
const char *xs_unfinished_name(void);

/* Gives the file its name, if it has another one. Returns 0, or -errno after
 * xs_unfinished_delete(). */
int xs_unfinished_rename(void);

/* Deletes the file, if there is one, or says where it is, if it is kept.
 * May be called in a signal handler. */
void xs_unfinished_delete(void);
