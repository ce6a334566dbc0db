/* SPDX-License-Identifier: MIT */
/*
 * Our one thread: it collects GPU records every so often, so that a killed
 * process leaves a trace that is nearly complete, and grows the trace file
 * ahead of the writers. The last flush is its work too, so that a GPU that
 * hangs holds up this thread and not the application's exit.
 */
#ifndef XS_PRELOAD_CORE_COLLECTOR_H
#define XS_PRELOAD_CORE_COLLECTOR_H

#include <stdbool.h>
#include <stdint.h>

/* have_records: of what the GPU does. 0 or -errno. */
int xs_collector_start(bool have_records, uint64_t (*tick)(void));

/* Has the thread look at once for what detail.h wants. */
void xs_collector_wake(void);

/* The last round, at most `deadline_ns` long, and the end of the thread.
 * Whether it was done in time. */
bool xs_collector_finish(uint64_t deadline_ns);

#endif
