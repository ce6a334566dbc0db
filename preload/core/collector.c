/* SPDX-License-Identifier: MIT */
#include "preload/core/collector.h"
#include "preload/api/device.h"
#include "preload/cupti/cupti.h"
#include "preload/cupti/cupti_suspend.h"
#include "preload/events/timing.h"
#include "preload/record/nvtx_ranges.h"
#include "preload/trace/gpu_records.h"
#include "preload/trace/info.h"
#include "preload/trace/session.h"
#include "preload/util/clock.h"
#include "preload/util/cudart_objects.h"
#include "preload/util/guard.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

/* CUPTI holds back the records of unfinished work until the next flush, so a
 * killed program loses at most two rounds. */
#define ROUND_NS    50000000u
#define CLOCKS_NS   5000000000u
#define STACK_BYTES (1u << 20)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static bool running, asked_to_finish, asked_to_look,
    finished; /* protected by the lock */
static uint64_t (*control_tick)(void);
static bool collects_ops; /* ops are collected */
static uint64_t devices_written;
static uint64_t next_clock_ns;

static struct timespec at(uint64_t ns)
{
	return (struct timespec){.tv_sec = (time_t)(ns / 1000000000u),
				 .tv_nsec = (long)(ns % 1000000000u)};
}

/* Without GPU records it is unknown which devices are used: write all. */
static void write_devices(void)
{
	uint64_t wanted =
	    collects_ops ? xs_gpu_records_devices() : xs_device_all();

	wanted &= ~devices_written;
	if (wanted)
		devices_written |= xs_device_write(wanted);
}

static void write_clock(void)
{
	if (xs_clock_monotonic_ns() < next_clock_ns)
		return;
	next_clock_ns = xs_clock_monotonic_ns() + CLOCKS_NS;
	xs_trace_info_clock(xs_cupti_now_ns);
}

/* Written while there is still space for it: whether records will be lost is
 * not known yet. */
static void note_full(int err)
{
	if (err == -EBADF)
		xs_trace_info("note", "the program closed the trace's file: "
				      "records that do not fit are lost");
	else
		xs_trace_info("note",
			      "no more room for the trace (%s): records that "
			      "do not fit are lost; %s",
			      strerror(-err),
			      err == -EFBIG
				  ? "raise the limit of file sizes (ulimit -f)"
				  : "set XFERSPY_OUTPUT to a larger disk");
}

static void make_room(void)
{
	static bool is_noted;
	int err = xs_trace_file_grow_ahead(&xs_session_trace);

	if (err && !is_noted)
		note_full(err);
	is_noted = is_noted || err;
}

static void write_untimed(bool last)
{
	uint64_t untimed = xs_timing_untimed(last);

	if (untimed)
		xs_trace_info_loss(XS_LOSS_UNTIMED, untimed);
}

static void write_lost_nvtx(void)
{
	uint64_t lost = xs_nvtx_take_lost();

	if (lost)
		xs_trace_info_loss(XS_LOSS_NVTX, lost);
}

static void do_round(bool last)
{
	make_room();
	xs_cupti_flush(last);
	xs_cupti_tend();
	write_untimed(last);
	write_lost_nvtx();
	xs_trace_file_flushed(&xs_session_trace, xs_gpu_records_last_end_ns());
	write_devices();
	if (last)
		next_clock_ns = 0;
	write_clock();
}

static void write_cudart(const char *line)
{
	xs_trace_info("cudart", "%s", line);
}

static void write_ending(void)
{
	int version = xs_device_driver_version();

	xs_cupti_suspend_finish();
	if (xs_timing_error_ns())
		xs_trace_info("events", "error_ns=%" PRIu64,
			      xs_timing_error_ns());
	if (version)
		xs_trace_info("driver", "%d.%d", version / 1000,
			      version % 1000 / 10);
	xs_cudart_objects_list(write_cudart);
}

/* Waits for the time or a request. Returns whether the thread must finish. */
static bool wait_for_work(uint64_t until_ns)
{
	struct timespec until = at(until_ns);
	bool last;

	pthread_mutex_lock(&lock);
	while (!asked_to_finish && !asked_to_look &&
	       pthread_cond_timedwait(&changed, &lock, &until) == 0)
		;
	asked_to_look = false;
	last = asked_to_finish;
	pthread_mutex_unlock(&lock);
	return last;
}

static void *run_collector(void *unused)
{
	uint64_t round_ns = xs_clock_monotonic_ns() + ROUND_NS;
	bool last = false;

	(void)unused;
	xs_guard_own_thread();
	xs_thread_get()->busy = true;
	while (!last) {
		uint64_t look_ns = xs_clock_monotonic_ns() + control_tick();

		last = wait_for_work(look_ns < round_ns ? look_ns : round_ns);
		if (!last && xs_clock_monotonic_ns() < round_ns)
			continue;
		/* period from start to start */
		round_ns = xs_clock_monotonic_ns() + ROUND_NS;
		do_round(last);
	}
	write_ending();
	pthread_mutex_lock(&lock);
	finished = true;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int xs_collector_start(bool have_records, uint64_t (*tick)(void))
{
	pthread_condattr_t attributes;
	pthread_attr_t size;
	pthread_t thread;
	sigset_t all, old;
	size_t bytes;
	bool wide;
	int err;

	collects_ops = have_records;
	control_tick = tick;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&changed, &attributes);
	pthread_condattr_destroy(&attributes);

	/* The application may have made its threads' stacks small. */
	pthread_attr_init(&size);
	wide = pthread_attr_getstacksize(&size, &bytes) == 0 &&
	       bytes < STACK_BYTES &&
	       pthread_attr_setstacksize(&size, STACK_BYTES) == 0;

	/* The application's signals are for its own threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&thread, wide ? &size : NULL, run_collector, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&size);
	if (err)
		return -err;
	pthread_setname_np(thread, "xferspy");
	pthread_detach(thread);
	pthread_mutex_lock(&lock);
	running = true;
	pthread_mutex_unlock(&lock);
	return 0;
}

bool xs_collector_wake(void)
{
	struct xs_guard guard;
	bool looks;

	xs_guard_begin(&guard);
	pthread_mutex_lock(&lock);
	asked_to_look = looks = running && !asked_to_finish;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	xs_guard_end(&guard);
	return looks;
}

/* There is no thread: do what it would have done at its end. */
static void finish_without_thread(void)
{
	struct xs_thread *thread = xs_thread_get();
	bool busy = thread->busy;

	thread->busy = true;
	do_round(true);
	write_ending();
	thread->busy = busy;
}

bool xs_collector_finish(uint64_t deadline_ns)
{
	struct timespec until = at(xs_clock_monotonic_ns() + deadline_ns);
	bool done;

	pthread_mutex_lock(&lock);
	if (!running) {
		pthread_mutex_unlock(&lock);
		finish_without_thread();
		return true;
	}
	asked_to_finish = true;
	pthread_cond_broadcast(&changed);
	while (!finished &&
	       pthread_cond_timedwait(&changed, &lock, &until) == 0)
		;
	done = finished;
	pthread_mutex_unlock(&lock);
	return done;
}
