/* SPDX-License-Identifier: MIT */
/* CUPTI behind a border: only the files cupti*.c include the vendor's cupti.h,
 * and only profiler.c what its profiler adds. */
#ifndef XS_PRELOAD_CUPTI_CUPTI_H
#define XS_PRELOAD_CUPTI_CUPTI_H

#include <stdbool.h>
#include <stdint.h>

enum xs_cupti_gives {
	XS_CUPTI_NOTHING,
	XS_CUPTI_RECORDS,
	XS_CUPTI_RECORDS_AND_CALLBACKS,
};

/* A CUpti_CallbackFunc, as those know it who do not include cupti.h. */
typedef void xs_cupti_callback(void);

/*
 * Finds, loads and starts CUPTI; `callback` sees the calls; what it got, or
 * what is missing and what to do, is written as info records. counters: also
 * count what kernels do. What it will give. Once, from the thread that starts
 * CUDA.
 */
enum xs_cupti_gives xs_cupti_start(bool counters, xs_cupti_callback *callback);

/* Whether GPU records come, and whether callbacks do; both do from the start.
 * Where CUPTI is detached that attaches it; false: another tool has it now. Our
 * own thread only. */
bool xs_cupti_switch(bool records, bool calls);

/*
 * CUPTI that was attached once leaves each launch dearer, its records and
 * callbacks switched off or not: 150 to 500 ns of 3 us (H200, CUDA 12.9 and
 * 13.0). Detached it costs nothing.
 *
 * Whether it may be detached: there is no guest, no other library of the
 * process needs it, and no graph was launched since it was attached. Where one
 * was, the program's own work fails behind it (CUDA 12.9 and 13.0: errors 700
 * and 719); before CUPTI 12.6 it may hang. Not once it was switched off and
 * left attached, for then it would not tell of all graphs; nor where an object
 * may call CUDA past our hooks (bypass.h). Our own thread only, and none of the
 * others may wait for it.
 */
bool xs_cupti_may_detach(void);

/* Whether all ops have come of the calls of a window (watch.h): what CUPTI is
 * switched off or detached before is lost. Asks CUPTI for them: less often
 * where that is in vain, but at once, as where all others wait. Our own thread
 * only. */
bool xs_cupti_brought_all(bool at_once);

/* Switches all off and detaches it, if it still may be and nobody wants more of
 * it: while no thread is inside of a hooked call, and all calls are hooked. */
bool xs_cupti_detach(void);
bool xs_cupti_is_detached(void);

/* Whether hooks alone see calls, since callbacks were switched off or it was
 * detached. */
bool xs_cupti_callbacks_disabled(void);

/* Hands completed GPU records to the GPU writer; `forced`: those of buffers
 * that are still being filled, too. Our own thread only: it may wait. */
void xs_cupti_flush(bool forced);

/* Once in a while, from our own thread: looks whether the driver's calls are
 * worth watching. */
void xs_cupti_tend(void);

/*
 * The program uses managed memory: from the first time on, what of it migrates
 * is recorded, where CUPTI can tell; where that is detached, from the next
 * window on. Not from the start, since it costs each page fault something, and
 * CUPTI must be asked after CUDA is set up. From any thread, with no CUPTI lock
 * held but that of an API callback.
 */
void xs_cupti_watch_managed(void);

/* The process uses several devices: from the first time on, copies between them
 * are recorded. As xs_cupti_watch_managed(). */
void xs_cupti_watch_peers(void);

/* CUPTI's clock, as ns of CLOCK_REALTIME (cupti_clock.h); 0 without CUPTI, or
 * while it is detached. Our own thread only. */
uint64_t xs_cupti_now_ns(void);

#endif
