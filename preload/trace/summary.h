/* SPDX-License-Identifier: MIT */
/* Prints one line on stderr: where the trace is, or why there is none. */
#pragma once

#include "preload/trace/trace_file.h"

/* Remembers which file stderr is. Call at the start of the process. */
void xs_summary_prepare(void);

/* Reads XFERSPY_SUMMARY and the current directory. Call at the start of
 * tracing, while the environment can still be read. Without it nothing is
 * printed. */
void xs_summary_read_config(void);

/* Duplicates stderr, for lines after the program has closed it, as coreutils do
 * before they end. A forked child must drop it: a reader of a pipe waits until
 * all ends are closed. */
void xs_summary_keep_stderr(void);
void xs_summary_drop_stderr(void);

/* Prints a closed trace's path, size, losses and the command to read it; of one
 * without a call and an op, why. */
void xs_summary_print(const struct xs_trace_file *trace, uint64_t file_bytes);

/* Deletes a closed trace without a call and without an op, as that of a process
 * which only started CUDA. Returns whether it had none. */
bool xs_summary_drop_empty(const struct xs_trace_file *trace,
			   uint64_t file_bytes);

/* Prints why the trace file could not be created. error: an errno value. */
void xs_summary_print_error(const char *path, int error);

/* Prints what is wrong about a variable of the environment. */
void xs_summary_print_wrong(const char *what);

/* Prints that this process called nothing that is recorded, and what to check.
 */
void xs_summary_print_unused(void);
