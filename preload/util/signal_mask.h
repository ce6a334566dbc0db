/* SPDX-License-Identifier: MIT */
/* System calls of ours that can raise a signal which the application did not
 * earn and must not see. */
#ifndef XS_PRELOAD_UTIL_SIGNAL_MASK_H
#define XS_PRELOAD_UTIL_SIGNAL_MASK_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

struct xs_signal_mask {
	int signal;
	sigset_t mask;	  /* the thread's own */
	bool was_pending; /* the application's: left for it */
};

/* Blocks every signal in this thread, of which `signal` is to be swallowed. */
void xs_signal_mask_begin(struct xs_signal_mask *quiet, int signal);

/* Takes the signal away where a call `raised` it, and unblocks. errno is
 * kept. */
void xs_signal_mask_end(const struct xs_signal_mask *quiet, bool raised);

/* write() to where perhaps nobody reads: no SIGPIPE. What cannot be written
 * has nowhere to say so. */
void xs_signal_mask_write(int fd, const char *text, size_t bytes);

#endif
