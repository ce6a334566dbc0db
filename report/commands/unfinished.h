/* SPDX-License-Identifier: MIT */
/* A file that a command writes under another name until it is complete: if the
 * command fails or a signal ends it, what was there before stays. It is beside
 * its own name, and then renamed, or in $TMPDIR, and then copied, where that
 * would lose something: another hard link, an access control list or another
 * extended attribute, the owner; or where the folder cannot be written.
 * A copy begins when there is room for it; if it ends half way all the same, or
 * a file of another kind is there, the complete file stays, and standard error
 * says where. Devices, pipes and standard output are written themselves.
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

/* Copies the file of that name to a descriptor. Returns 0 or -errno. */
int xs_unfinished_copy(const char *from, int to);

/* Gives the file its name, if it has another one. Returns 0, or -errno after
 * xs_unfinished_delete(). */
int xs_unfinished_rename(void);

/* Deletes the file, if there is one, or says where it is, if it is kept.
 * May be called in a signal handler. */
void xs_unfinished_delete(void);
