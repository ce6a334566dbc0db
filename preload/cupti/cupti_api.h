/* SPDX-License-Identifier: MIT */
/* CUPTI's functions, shared by the files of this folder and by
 * hooks/cupti_callback.c. */
#pragma once

#include "preload/api/functions.h"
#include "preload/trace/thread.h"

#include <cupti.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XS_CUPTI_MOST_CALLBACKS 1024u /* of a domain */

#define XS_CUPTI_REQUIRED(F)                                                   \
	F(cuptiGetVersion)                                                     \
	F(cuptiActivityRegisterCallbacks)                                      \
	F(cuptiActivityEnable)                                                 \
	F(cuptiActivityDisable)                                                \
	F(cuptiActivityFlushAll)                                               \
	F(cuptiActivityGetNextRecord)
#define XS_CUPTI_OTHER(F)                                                      \
	F(cuptiActivityGetNumDroppedRecords)                                   \
	F(cuptiActivitySetAttribute)                                           \
	F(cuptiGetTimestamp)                                                   \
	F(cuptiActivityRegisterTimestampCallback)                              \
	F(cuptiSubscribe)                                                      \
	F(cuptiEnableCallback)                                                 \
	F(cuptiGetCallbackName)                                                \
	F(cuptiActivityConfigureUnifiedMemoryCounter)                          \
	F(cuptiGetStreamIdEx)                                                  \
	F(cuptiGetDeviceId)                                                    \
	F(cuptiUnsubscribe)                                                    \
	F(cuptiFinalize)                                                       \
	F(cuptiGetResultString)

#define XS_CUPTI_POINTER(name) __typeof__(&name) name;
/* The functions of the loaded libcupti; those of XS_CUPTI_OTHER may be NULL. */
struct xs_cupti_api {
	XS_CUPTI_REQUIRED(XS_CUPTI_POINTER)
	XS_CUPTI_OTHER(XS_CUPTI_POINTER)
	uint32_t version; /* of the loaded CUPTI */
};
#undef XS_CUPTI_POINTER
extern struct xs_cupti_api xs_cupti_api;

/* cupti_load.c: fills xs_cupti_api from a libcupti that is new enough. Returns
 * the library, or NULL after a note in the trace. Stores its path in
 * path[bytes], and in *ours whether it was not loaded before. Call it once. */
void *xs_cupti_load(char *path, size_t bytes, bool *ours);

/* Returns the text of a result. Thread-safe. */
const char *xs_cupti_text(CUptiResult result);

/* cupti.c: returns whether CUPTI was started. Thread-safe. */
bool xs_cupti_is_used(void);

/* cupti.c: returns whether our kinds of records are switched on. */
bool xs_cupti_records_are_on(void);

/* cupti_flush.c: records were switched on: the flushes for the ops of this
 * window begin with the shortest interval. */
void xs_cupti_begin_drain(void);

/* Calls `ask`. Returns false without calling it if CUPTI was detached, its
 * callbacks are disabled, or this may be about to happen. */
bool xs_cupti_unless_detached(void (*ask)(void));

/* cupti_managed.c: returns whether migrations are recorded; ends it, if they
 * are, and writes a note. */
bool xs_cupti_counts_migrations(void);
void xs_cupti_end_migrations(void);

/* cupti_records.c: CUPTI's two callbacks for buffers of activity records. */
void CUPTIAPI xs_cupti_give_buffer(uint8_t **buffer, size_t *bytes,
				   size_t *most_records);
void CUPTIAPI xs_cupti_take_buffer(CUcontext context, uint32_t stream,
				   uint8_t *buffer, size_t bytes,
				   size_t valid_bytes);

/* callback_filter.c: finds all wanted callbacks and enables those of the
 * runtime; returns how many. counters: driver callbacks also count what kernels
 * do. Call it before the other functions. */
unsigned xs_cupti_enable_calls(bool counters);

/* Switches all callbacks off for good. */
void xs_cupti_switch_calls_off(void);

/* Switches the driver's callbacks on or off; returns how many. Those that
 * substitute the runtime's stay on. */
unsigned xs_cupti_enable_driver(bool on);

/* Whether some of them substitute the runtime's, so that functions that issue
 * work are always seen. */
extern bool xs_cupti_driver_stays;

/* Returns the function of a callback: our function + 1; XS_FN_COUNT + 1 for a
 * runtime function that is not recorded; 0 if it is not wanted. Thread-safe. */
unsigned xs_cupti_wanted(CUpti_CallbackDomain domain, CUpti_CallbackId id);

/* Our function + 1 for a driver's function that issues work; 0 for others, and
 * if what kernels do is counted. */
extern uint16_t xs_cupti_driver_issuing[XS_CUPTI_MOST_CALLBACKS];

static inline unsigned xs_cupti_issuing_call(CUpti_CallbackId id)
{
	return id < XS_CUPTI_MOST_CALLBACKS ? xs_cupti_driver_issuing[id] : 0;
}

/* cupti_driver.c: begins to watch the driver's calls; counters: and counts what
 * the launched kernels do. */
void xs_cupti_watch_driver(bool counters);

/* Counts what a launch does, if enabled. Call it at each callback of a launch.
 */
void xs_cupti_count_launch(struct xs_thread *thread, CUpti_CallbackId id,
			   const CUpti_CallbackData *data);
