/* SPDX-License-Identifier: MIT */
/*
 * dl_iterate_phdr(), and forks beside it. It holds a lock of the loader's,
 * which glibc does not release in a child that is forked meanwhile by another
 * thread: the child's next dlopen() waits for ever. So forks wait for it.
 */
#ifndef XS_PRELOAD_UTIL_PHDR_ITERATE_H
#define XS_PRELOAD_UTIL_PHDR_ITERATE_H

#include <link.h>
#include <stddef.h>

/*
 * What `visit` returned that was not 0 and ended it, or 0. `visit` neither
 * allocates nor forks nor waits for another thread: a fork that waits for it
 * may have the allocator's locks.
 */
int xs_phdr_iterate(int (*visit)(struct dl_phdr_info *, size_t, void *),
		    void *data);

/* For pthread_atfork(). Forks and walks wait a second at most, and go on. */
void xs_phdr_iterate_before_fork(void);
void xs_phdr_iterate_after_fork(void);
void xs_phdr_iterate_in_child(void);

#endif
