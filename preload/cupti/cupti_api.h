/* SPDX-License-Identifier: MIT */
/* What the files cupti*.c share of the vendor's: nobody else includes it. */
#ifndef XS_PRELOAD_CUPTI_CUPTI_API_H
#define XS_PRELOAD_CUPTI_CUPTI_API_H

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
/* The functions that were found; those of XS_CUPTI_OTHER may be NULL. */
struct xs_cupti_api {
	XS_CUPTI_REQUIRED(XS_CUPTI_POINTER)
	XS_CUPTI_OTHER(XS_CUPTI_POINTER)
	uint32_t version; /* of the CUPTI that is loaded */
};
#undef XS_CUPTI_POINTER
extern struct xs_cupti_api xs_cupti_api;

/* cupti_load.c: fills xs_cupti_api from a libcupti that is new enough; the
 * library, or NULL where there is none, which is then said in the trace. Its
 * path goes to path[bytes], and to *ours whether nobody had loaded it before.
 * Once. */
void *xs_cupti_load(char *path, size_t bytes, bool *ours);

/* What a result means. Of any thread. */
const char *xs_cupti_text(CUptiResult result);

/* cupti.c: whether there is CUPTI at all. Of any thread. */
bool xs_cupti_is_used(void);

/* Calls `ask`, unless CUPTI was given up, or is about to be: false. */
bool xs_cupti_unless_detached(void (*ask)(void));

/* cupti_managed.c: whether migrations are recorded. Our own thread only. */
bool xs_cupti_counts_migrations(void);

/* cupti_records.c: CUPTI's two callbacks for buffers of activity records. */
void CUPTIAPI xs_cupti_give_buffer(uint8_t **buffer, size_t *bytes,
				   size_t *most_records);
void CUPTIAPI xs_cupti_take_buffer(CUcontext context, uint32_t stream,
				   uint8_t *buffer, size_t bytes,
				   size_t valid_bytes);

/* cupti_wanted.c: the callbacks of the runtime that are wanted, found and
 * enabled; how many. counters: the driver's also count what kernels do. First
 * of all. */
unsigned xs_cupti_enable_calls(bool counters);

/* The same, switched off for good. */
void xs_cupti_switch_calls_off(void);

/* Those of the driver, switched on or off; but for those that stand in for the
 * runtime's, which stay on. */
unsigned xs_cupti_enable_driver(bool on);

/* Whether some do, so that what issues work comes by in any case. */
bool xs_cupti_driver_stays(void);

/* What a callback is of: our function + 1, and XS_FN_COUNT + 1 for one of the
 * runtime that is not recorded; 0: not wanted. Of any thread. */
unsigned xs_cupti_wanted(CUpti_CallbackDomain domain, CUpti_CallbackId id);

/* Our function + 1 of a callback of the driver that stands in for the
 * runtime's; 0: it is none, or what kernels do is counted. */
extern uint16_t xs_cupti_driver_substitutes[XS_CUPTI_MOST_CALLBACKS];

static inline unsigned xs_cupti_driver_substitute(CUpti_CallbackId id)
{
	return id < XS_CUPTI_MOST_CALLBACKS ? xs_cupti_driver_substitutes[id]
					    : 0;
}

/* cupti_driver.c: begins to watch the driver's calls; counters: and counts what
 * the kernels do that it launches. */
void xs_cupti_watch_driver(bool counters);

/* The counting of a launch, where it is wanted: at each callback of it. */
void xs_cupti_count_launch(struct xs_thread *thread, CUpti_CallbackId id,
			   const CUpti_CallbackData *data);

#endif
