/* SPDX-License-Identifier: MIT */
#include "preload/util/signal_mask.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

void xs_signal_mask_begin(struct xs_signal_mask *quiet, int signal)
{
	sigset_t all, pending;

	quiet->signal = signal;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &quiet->mask);
	sigpending(&pending);
	quiet->was_pending = sigismember(&pending, signal);
}

void xs_signal_mask_end(const struct xs_signal_mask *quiet, bool raised)
{
	int kept_errno = errno;
	sigset_t taken;

	if (raised && !quiet->was_pending) {
		sigemptyset(&taken);
		sigaddset(&taken, quiet->signal);
		sigtimedwait(&taken, NULL, &(struct timespec){0});
	}
	pthread_sigmask(SIG_SETMASK, &quiet->mask, NULL);
	errno = kept_errno;
}

void xs_signal_mask_write(int fd, const char *text, size_t bytes)
{
	struct xs_signal_mask quiet;
	ssize_t written;

	xs_signal_mask_begin(&quiet, SIGPIPE);
	written = write(fd, text, bytes);
	xs_signal_mask_end(&quiet, written < 0 && errno == EPIPE);
}
