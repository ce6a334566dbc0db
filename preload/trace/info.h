/* SPDX-License-Identifier: MIT */
/*
 * What the trace says once or now and then about the run: info, clocks, losses,
 * devices. Off the application's own path; safe in any thread.
 */
#ifndef XS_PRELOAD_TRACE_INFO_H
#define XS_PRELOAD_TRACE_INFO_H

#include "preload/format.h"

/* An info record: "key=" and the formatted value. */
void xs_trace_info(const char *key, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A pair of clocks; cupti_ns: 0 where CUPTI is absent. */
void xs_trace_info_clock(uint64_t cupti_ns);

/* What becomes of calls from time_ns (CLOCK_REALTIME) on. */
void xs_trace_info_detail(enum xs_detail detail, uint64_t time_ns);

/* The calling thread has just created a context. */
void xs_trace_info_context(void);

void xs_trace_info_device(const struct xs_rec_device *device, const char *name);

/* What is missing, once more so many. */
void xs_trace_info_loss(enum xs_loss what, uint64_t count);

#endif
