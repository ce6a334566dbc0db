/* SPDX-License-Identifier: MIT */
#include "preload/cupti/pause.h"
#include "preload/sampling/capture_mode.h"
#include "preload/trace/session.h"
#include "preload/trace/thread.h"
#include "preload/util/clock.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ALONE_NS    150000000u /* for a running call, while no thread waits */
#define YIELD_NS    1000000u   /* yields for so long, then sleeps */
#define WAIT_NS	    20000u     /* a sleep */
#define PATIENCE_NS 200000000u /* a waiting thread then ends the pause */

static bool is_prepared, have_barrier;
static atomic_int before; /* capture mode before the pause */
static atomic_int waiting;

void xs_pause_prepare(void)
{
	have_barrier =
	    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED,
		    0, 0) == 0;
	is_prepared = true;
}

static void sleep_shortly(void)
{
	nanosleep(&(struct timespec){.tv_nsec = WAIT_NS}, NULL);
}

/*
 * Waits until no thread is inside a hooked call. While no other thread waits
 * for us, this may take as long as a call that waits for the device; otherwise
 * at most patience_ns.
 */
static bool wait_for_all(uint64_t patience_ns)
{
	const uint64_t begin_ns = xs_clock_monotonic_ns();
	uint64_t now_ns = begin_ns, until_ns = begin_ns + ALONE_NS;
	bool alone = true;

	while (xs_thread_any_in_hook()) {
		if (now_ns > until_ns ||
		    atomic_load(&xs_session_state) != XS_SESSION_RECORDING)
			return false;
		if (now_ns < begin_ns + YIELD_NS)
			sched_yield();
		else
			sleep_shortly();
		now_ns = xs_clock_monotonic_ns();
		if (alone && atomic_load(&waiting)) {
			alone = false;
			until_ns = now_ns + patience_ns;
		}
	}
	return true;
}

/*
 * A thread stores that it is inside a call and then loads the pause; we store
 * the pause and then load which threads are inside. One of the two sees the
 * other's store if neither store is delayed. The barrier on our side is enough
 * for both.
 */
static bool nobody_is_inside(uint64_t patience_ns)
{
	if (have_barrier &&
	    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0))
		return false;
	return wait_for_all(patience_ns);
}

static void end_pause(void)
{
	int paused = XS_CAPTURE_PAUSED;

	atomic_compare_exchange_strong(&xs_capture_mode_now, &paused,
				       atomic_load(&before));
}

bool xs_pause_for(void (*change)(void), uint64_t patience_ns)
{
	bool paused;

	if (!is_prepared)
		xs_pause_prepare();
	atomic_store(&before,
		     atomic_exchange(&xs_capture_mode_now, XS_CAPTURE_PAUSED));
	paused = nobody_is_inside(patience_ns);
	if (paused)
		change();
	end_pause();
	return paused;
}

void xs_pause_wait(void)
{
	const uint64_t until_ns = xs_clock_monotonic_ns() + PATIENCE_NS;
	int cancel_state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
	atomic_fetch_add(&waiting, 1);
	while (atomic_load(&xs_capture_mode_now) == XS_CAPTURE_PAUSED) {
		if (xs_clock_monotonic_ns() > until_ns)
			end_pause();
		sleep_shortly();
	}
	atomic_fetch_sub(&waiting, 1);
	pthread_setcancelstate(cancel_state, NULL);
}
