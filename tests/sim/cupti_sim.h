/* SPDX-License-Identifier: MIT */
/* Shared by the parts of the simulated CUPTI. */
#pragma once

#include "tests/sim/core.h"

#include <cupti.h>

/* The newest record layouts of this CUPTI. */
#if CUPTI_API_VERSION >= 130000
typedef CUpti_ActivityKernel10 xs_cu_kernel;
typedef CUpti_ActivityMemcpy6 xs_cu_copy;
typedef CUpti_ActivityUnifiedMemoryCounter3 xs_cu_migration;
#else
typedef CUpti_ActivityKernel9 xs_cu_kernel;
typedef CUpti_ActivityMemcpy5 xs_cu_copy;
typedef CUpti_ActivityUnifiedMemoryCounter2 xs_cu_migration;
#endif

#if CUPTI_API_VERSION >= 27 /* 12.9 */
typedef CUpti_ActivityGraphTrace2 xs_cu_graph;
#else
typedef CUpti_ActivityGraphTrace xs_cu_graph;
#endif

/* cupti_record.c: records of finished operations and of calls. */
void xs_cu_record(const struct xs_sim_record *record);
void xs_cu_api_record(const struct xs_sim_call *call);
/* cupti_graph.c: a graph is instantiated, and launched. */
unsigned xs_cu_instantiated(void);
bool xs_cu_graph_launched(unsigned instantiated, uint32_t exec,
			  uint32_t correlation);
/* For cuptiFinalize: graphs instantiated for records of whole launches can no
 * longer be launched. */
void xs_cu_forget_graphs(void);
/* cupti_activity.c, for cuptiFinalize: disables all kinds and forgets the
 * client's buffers. */
void xs_cu_forget_records(void);
/* Removes the times of issued ops that are not delivered yet. */
void xs_cu_lose_times(void);

/* cupti_clock.c: the relation of CUPTI's clock; now.ns 0: CLOCK_REALTIME. */
struct xs_cu_moment {
	uint64_t ns, ticks;
};
struct xs_cu_line {
	struct xs_cu_moment now;
	double ticks_per_ns;
};
struct xs_cu_line xs_cu_read_clock(void);
uint64_t xs_cu_ticks(const struct xs_cu_line *line, uint64_t ns);
/* For cuptiFinalize. */
void xs_cu_forget_clock(void);

/* cupti_callback.c: calls the subscriber. */
bool xs_cu_call(struct xs_sim_call *call, bool leaving);
/* Installs both hooks in the core; no effect if they are. */
void xs_cu_attach(void);
/* Whether there is a subscriber. */
bool xs_cu_is_subscribed(void);
/* XS_SIM_CUPTI_STRICT: ends the process if CUPTI is not attached. */
void xs_cu_must_be_attached(const char *function);
