/* SPDX-License-Identifier: MIT */
#include "preload/pause.h"
#include "preload/clock.h"
#include "preload/detail.h"
#include "preload/thread.h"

#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LONGEST_NS  2000000u
#define WAIT_NS	    20000u
#define PATIENCE_NS 200000000u

static bool is_prepared, have_barrier;
static atomic_int before; /* the pause */

void xs_pause_prepare(void)
{
	have_barrier =
	    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED,
		    0, 0) == 0;
	is_prepared = true;
}

static void wait_a_little(void)
{
	nanosleep(&(struct timespec){.tv_nsec = WAIT_NS}, NULL);
}

/*
 * A thread says that it is inside and then looks for a pause; we say that there
 * is a pause and then look who is inside. One of the two sees the other, if
 * neither's store is late: the barrier is on our side for both.
 */
static bool nobody_is_inside(void)
{
	uint64_t until_ns = xs_clock_ns(CLOCK_MONOTONIC) + LONGEST_NS;

	if (have_barrier &&
	    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0))
		return false;
	while (xs_thread_any_in_hook()) {
		if (xs_clock_ns(CLOCK_MONOTONIC) > until_ns)
			return false;
		sched_yield();
	}
	return true;
}

static void end_pause(void)
{
	int paused = XS_DETAIL_PAUSED;

	atomic_compare_exchange_strong(&xs_detail_now, &paused,
				       atomic_load(&before));
}

bool xs_pause_for(void (*change)(void))
{
	bool quiet;

	if (!is_prepared)
		xs_pause_prepare();
	atomic_store(&before,
		     atomic_exchange(&xs_detail_now, XS_DETAIL_PAUSED));
	quiet = nobody_is_inside();
	if (quiet)
		change();
	end_pause();
	return quiet;
}

void xs_pause_wait(void)
{
	const uint64_t until_ns = xs_clock_ns(CLOCK_MONOTONIC) + PATIENCE_NS;

	while (atomic_load(&xs_detail_now) == XS_DETAIL_PAUSED) {
		if (xs_clock_ns(CLOCK_MONOTONIC) > until_ns)
			end_pause();
		wait_a_little();
	}
}
