/* SPDX-License-Identifier: MIT */
/* dl_iterate_phdr() that is safe with concurrent forks. It holds a lock of the
 * loader that glibc does not release in a child that another thread forks
 * meanwhile: the child's next dlopen() would hang. So forks wait for it. */
#pragma once

#include <link.h>
#include <stddef.h>

/* Returns the first result of `visit` that is not 0, which ends the iteration,
 * or 0. `visit` must not allocate, fork or wait for another thread: a fork that
 * waits for it may hold the allocator's locks. */
int xs_phdr_iterate(int (*visit)(struct dl_phdr_info *, size_t, void *),
		    void *data);

/* Handlers for pthread_atfork(). Forks and iterations wait for each other at
 * most a second, then continue. */
void xs_phdr_iterate_before_fork(void);
void xs_phdr_iterate_after_fork(void);
void xs_phdr_iterate_in_child(void);
