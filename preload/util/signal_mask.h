/* SPDX-License-Identifier: MIT */
/* Suppresses signals that the library's own system calls raise. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

struct xs_signal_mask {
	int signal;
	sigset_t saved;	  /* the thread's own mask */
	bool was_pending; /* the application's signal: left pending */
};

/* Blocks all signals in this thread. `signal` is the one to suppress. */
void xs_signal_mask_begin(struct xs_signal_mask *mask, int signal);

/* Removes `signal` if a call `raised` it, and unblocks. Keeps errno. */
void xs_signal_mask_end(const struct xs_signal_mask *mask, bool raised);

/* write() of at most PIPE_BUF bytes, without SIGPIPE and SIGXFSZ. Never waits:
 * a full pipe's reader may wait for the program's end, so the text is dropped.
 * Errors are ignored: there is nowhere to report them. */
void xs_signal_mask_write(int fd, const char *text, size_t bytes);
