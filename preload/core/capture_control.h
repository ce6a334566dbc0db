/* SPDX-License-Identifier: MIT */
/* Decides when calls are recorded and when they are only counted. */
#ifndef XS_PRELOAD_CORE_CAPTURE_CONTROL_H
#define XS_PRELOAD_CORE_CAPTURE_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

/* Reads the environment. Once, after the trace was opened and before calls are
 * recorded. */
void xs_capture_control_open(void);

/*
 * The program called cudaProfilerStart() or ...Stop(): with XFERSPY_RANGE=
 * profiler the range begins or ends here. Waits, not for long, until it has.
 */
void xs_capture_control_mark(bool start);

/* Decides anew, and switches; ns until it wants to be asked again. For the
 * drain thread alone. */
uint64_t xs_capture_control_tick(void);

#endif
