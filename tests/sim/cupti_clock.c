/* SPDX-License-Identifier: MIT */
/* The clock of CUPTI's times: CLOCK_REALTIME, or the user's callback. GPU times
 * are converted at delivery, by a line through the current time and the time at
 * which the callback was registered. */
#include "tests/sim/cupti_sim.h"

#include <pthread.h>
#include <time.h>

#define BASELINE_NS 1000000u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CUpti_TimestampCallbackFunc callback; /* NULL: CLOCK_REALTIME */
static struct xs_cu_moment registered;

/* Returns the closest of a few pairs. */
static struct xs_cu_moment read_both(CUpti_TimestampCallbackFunc function)
{
	struct xs_cu_moment best = {0};
	uint64_t best_ns = UINT64_MAX;

	for (int i = 0; i < 5; i++) {
		uint64_t before_ns = xs_sim_now_ns();
		uint64_t ticks = function();
		uint64_t took_ns = xs_sim_now_ns() - before_ns;

		if (took_ns < best_ns) {
			best = (struct xs_cu_moment){before_ns + took_ns / 2,
						     ticks};
			best_ns = took_ns;
		}
	}
	return best;
}

/* As observed with CUPTI 13.0, each registration removes the times of ops that
 * were issued before and are not delivered yet, even if it changes nothing. */
CUptiResult
cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc function)
{
	if (!function)
		return CUPTI_ERROR_INVALID_PARAMETER;
	xs_cu_lose_times();
	pthread_mutex_lock(&lock);
	callback = function;
	registered = read_both(function);
	pthread_mutex_unlock(&lock);
	return CUPTI_SUCCESS;
}

void xs_cu_forget_clock(void)
{
	pthread_mutex_lock(&lock);
	callback = NULL;
	pthread_mutex_unlock(&lock);
}

CUptiResult cuptiGetTimestamp(uint64_t *timestamp)
{
	xs_cu_must_be_attached(__func__);
	pthread_mutex_lock(&lock);
	*timestamp = callback ? callback() : xs_sim_now_ns();
	pthread_mutex_unlock(&lock);
	return CUPTI_SUCCESS;
}

struct xs_cu_line xs_cu_read_clock(void)
{
	struct xs_cu_line line = {.ticks_per_ns = 1};

	pthread_mutex_lock(&lock);
	while (callback) {
		line.now = read_both(callback);
		if (line.now.ns - registered.ns >= BASELINE_NS) {
			line.ticks_per_ns =
			    (double)(line.now.ticks - registered.ticks) /
			    (double)(line.now.ns - registered.ns);
			break;
		}
		nanosleep(&(struct timespec){.tv_nsec = BASELINE_NS}, NULL);
	}
	pthread_mutex_unlock(&lock);
	return line;
}

uint64_t xs_cu_ticks(const struct xs_cu_line *line, uint64_t ns)
{
	double after_ns = (double)(int64_t)(ns - line->now.ns);

	if (!line->now.ns)
		return ns;
	return line->now.ticks +
	       (uint64_t)(int64_t)(after_ns * line->ticks_per_ns);
}
