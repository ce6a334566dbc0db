/* SPDX-License-Identifier: MIT */
#include "preload/util/signal_mask.h"

#include <errno.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

void xs_signal_mask_begin(struct xs_signal_mask *mask, int signal)
{
	sigset_t all, pending;

	mask->signal = signal;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &mask->saved);
	sigpending(&pending);
	mask->was_pending = sigismember(&pending, signal);
}

void xs_signal_mask_end(const struct xs_signal_mask *mask, bool raised)
{
	int saved_errno = errno;
	sigset_t taken;

	if (raised && !mask->was_pending) {
		sigemptyset(&taken);
		sigaddset(&taken, mask->signal);
		sigtimedwait(&taken, NULL, &(struct timespec){0});
	}
	pthread_sigmask(SIG_SETMASK, &mask->saved, NULL);
	errno = saved_errno;
}

/* Returns whether the file takes PIPE_BUF bytes at once. The flag O_NONBLOCK is
 * shared with other processes, so it stays as it is. */
static bool has_room(int fd)
{
	struct pollfd file = {.fd = fd, .events = POLLOUT};

	return poll(&file, 1, 0) == 1 && (file.revents & POLLOUT);
}

void xs_signal_mask_write(int fd, const char *text, size_t bytes)
{
	struct xs_signal_mask pipe, limit;
	ssize_t written = 0;

	xs_signal_mask_begin(&pipe, SIGPIPE);
	xs_signal_mask_begin(&limit, SIGXFSZ);
	if (has_room(fd))
		written = write(fd, text, bytes);
	xs_signal_mask_end(&limit, written < 0 && errno == EFBIG);
	xs_signal_mask_end(&pipe, written < 0 && errno == EPIPE);
}
