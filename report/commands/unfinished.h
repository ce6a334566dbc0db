/* SPDX-License-Identifier: MIT */
/* A file that a command writes under another name until it is complete: nothing
 * is left of it if the command fails or a signal ends it. One at a time. Not
 * thread-safe. */
#ifndef XS_REPORT_COMMANDS_UNFINISHED_H
#define XS_REPORT_COMMANDS_UNFINISHED_H

/* From now on SIGHUP, SIGINT and SIGTERM delete the file, if they would end the
 * process, and then do so. `path` is copied; it has at most PATH_MAX bytes. */
void xs_unfinished_begin(const char *path);

/* Gives the file its name. Returns 0, or -errno after deleting it. */
int xs_unfinished_rename(const char *name);

/* Deletes the file, if there is one. May be called in a signal handler. */
void xs_unfinished_delete(void);

#endif
