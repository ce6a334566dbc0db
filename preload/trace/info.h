/* SPDX-License-Identifier: MIT */
/* Writes records that describe the run: info, clocks, losses, devices.
 * Thread-safe; not for the application's fast path. */
#pragma once

#include "preload/format.h"

/* Writes an info record: "key=" and the formatted value. */
void xs_trace_info(const char *key, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Writes a clock record: the times of our clocks and of CUPTI's (0 without
 * CUPTI), read again if something came between them.
 */
void xs_trace_info_clock(uint64_t (*cupti_now_ns)(void));

/* Writes the capture mode from time_ns (CLOCK_REALTIME) on. */
void xs_trace_info_mode(enum xs_capture mode, uint64_t time_ns);

/* Writes that the calling thread has just created a context. */
void xs_trace_info_context(void);

/* Writes a device record. */
void xs_trace_info_device(const struct xs_rec_device *device, const char *name);

/* Writes that `count` more calls or records were lost. */
void xs_trace_info_loss(enum xs_loss what, uint64_t count);
