/* SPDX-License-Identifier: MIT */
/* The writer that threads share, for GPU records and for records that describe
 * the run. It is locked; never call CUPTI with the lock held. */
#pragma once

#include "preload/trace/writer.h"

#include <time.h>

/* Protected by the lock. */
extern struct xs_writer xs_shared_writer;

/* Call once, after the trace was opened. */
void xs_shared_writer_open(struct xs_trace_file *trace);

void xs_shared_writer_lock(void);
void xs_shared_writer_unlock(void);

/* Returns whether the lock was taken before `until` (CLOCK_REALTIME). */
bool xs_shared_writer_lock_until(const struct timespec *until);

/* Call in the child of a fork: another thread of the parent may have held the
 * lock. */
void xs_shared_writer_in_child(void);
