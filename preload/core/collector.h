/* SPDX-License-Identifier: MIT */
/*
 * The collector: the library's only thread. It collects GPU records regularly,
 * so that the trace of a killed process is nearly complete, and grows the trace
 * file before writers need it. It also makes the last flush, so that a GPU that
 * hangs blocks this thread and not the application's exit.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Starts the thread. have_records: GPU records are available. tick: called
 * regularly, returns the ns until its next call. Returns 0 or -errno. */
int xs_collector_start(bool have_records, uint64_t (*tick)(void));

/* Makes the thread call tick() at once (core/capture_control.h). Returns false
 * if there is no thread or it ends. */
bool xs_collector_wake(void);

/* Makes the last round, waits for it at most `deadline_ns`, and ends the
 * thread. Returns whether it finished in time. */
bool xs_collector_finish(uint64_t deadline_ns);
