/* SPDX-License-Identifier: MIT */
#include "preload/trace/info.h"
#include "preload/trace/shared_writer.h"
#include "preload/util/clock.h"
#include "preload/util/guard.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Clocks whose times lie further apart are read again, that many times. */
#define CLOCKS_APART_NS 100000
#define CLOCK_READS	10

static void write_plain(void *record, const char *text)
{
	xs_shared_writer_lock();
	xs_writer_plain(&xs_shared_writer, record, text, strlen(text));
	xs_shared_writer_unlock();
}

struct info {
	const char *key, *format;
	va_list args;
};

static void write_info(void *data)
{
	struct info *info = data;
	struct xs_rec_info record = {XS_RECORD(info)};
	char text[XS_RECORD_MAX_BYTES];
	int length = snprintf(text, sizeof(text), "%s=", info->key);
	size_t left = sizeof(text) - (size_t)length;
	struct timespec until;

	vsnprintf(text + length, left, info->format, info->args);
	/* Also called at exit, possibly in a signal handler that interrupted
	 * the owner of the lock, so it must not wait forever. */
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	if (!xs_shared_writer_lock_until(&until))
		return;
	xs_writer_plain(&xs_shared_writer, &record, text, strlen(text));
	xs_shared_writer_unlock();
}

void xs_trace_info(const char *key, const char *format, ...)
{
	struct info info = {.key = key, .format = format};

	va_start(info.args, format);
	xs_guard_run(write_info, &info);
	va_end(info.args);
}

void xs_trace_info_clock(uint64_t (*cupti_now_ns)(void))
{
	struct xs_rec_clock record = {XS_RECORD(clock)};

	for (int i = 0; i < CLOCK_READS; i++) {
		record.realtime_ns = xs_clock_realtime_ns();
		record.monotonic_ns = xs_clock_monotonic_ns();
		record.cupti_ns = cupti_now_ns();
		if (xs_clock_realtime_ns() - record.realtime_ns <
		    CLOCKS_APART_NS)
			break;
	}
	write_plain(&record, "");
}

void xs_trace_info_mode(enum xs_capture mode, uint64_t time_ns)
{
	struct xs_rec_detail record = {XS_RECORD(detail), .detail = mode,
				       .time_ns = time_ns};

	write_plain(&record, "");
}

void xs_trace_info_loss(enum xs_loss what, uint64_t count)
{
	struct xs_rec_loss record = {
	    XS_RECORD(loss),
	    .what = (xs_u16)what,
	    .count = count,
	    .last_ns = xs_clock_realtime_ns(),
	};

	write_plain(&record, "");
}

void xs_trace_info_context(void)
{
	struct xs_rec_context record = {
	    XS_RECORD(context),
	    .tid = (xs_u32)syscall(SYS_gettid),
	    .time_ns = xs_clock_realtime_ns(),
	};

	write_plain(&record, "");
}

void xs_trace_info_device(const struct xs_rec_device *device, const char *name)
{
	struct xs_rec_device record = *device;

	write_plain(&record, name);
}
