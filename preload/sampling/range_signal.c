/* SPDX-License-Identifier: MIT */
#include "preload/sampling/range_signal.h"
#include "preload/util/config.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

#define RANGE_SIGNAL SIGUSR2

static atomic_bool on;

static void on_signal(int number)
{
	(void)number;
	atomic_store(&on, !atomic_load(&on));
}

static bool is_handled_by(void (*handler)(int))
{
	struct sigaction now;

	return sigaction(RANGE_SIGNAL, NULL, &now) == 0 &&
	       now.sa_handler == handler;
}

void xs_range_signal_prepare(void)
{
	const struct sigaction ours = {.sa_handler = on_signal,
				       .sa_flags = SA_RESTART};

	if (xs_config_range().kind == XS_RANGE_SIGNAL && is_handled_by(SIG_DFL))
		sigaction(RANGE_SIGNAL, &ours, NULL);
}

bool xs_range_signal_is_ours(void)
{
	return is_handled_by(on_signal);
}

bool xs_range_signal_is_on(void)
{
	return atomic_load(&on);
}
