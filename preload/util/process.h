/* SPDX-License-Identifier: MIT */
/* Tells processes apart that share memory, as after vfork(). */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* A process id is only unique in its namespace: a child in a new one has the id
 * 1, and so has the first process of a container. */
struct xs_process {
	pid_t id;
	ino_t id_namespace; /* 0: unknown, as without /proc */
};

/* Returns the calling process. */
struct xs_process xs_process_self(void);

/* Returns whether it is the calling process. May be called in a signal
 * handler. */
bool xs_process_is_current(const struct xs_process *process);
