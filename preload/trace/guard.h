/* SPDX-License-Identifier: MIT */
/*
 * The last resort for a trace whose pages are gone. Records are stores into
 * shared mappings of the file, so that they outlive the process; but a store
 * into a part of the file that somebody has cut off is answered by SIGBUS, and
 * no check before it can be in time. The application must not die of that.
 *
 * So where the trace is open SIGBUS has a handler of ours, which acts on
 * addresses of the trace alone: it puts memory of nobody there, and the trace
 * ends. At any other it gives the signal back to what was set before, for
 * good, and the fault happens again.
 */
#ifndef XS_PRELOAD_TRACE_GUARD_H
#define XS_PRELOAD_TRACE_GUARD_H

/* Once, after the sink was opened. A process that ignores SIGBUS is left as it
 * is. */
void xs_guard_start(void);

#endif
