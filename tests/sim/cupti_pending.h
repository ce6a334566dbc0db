/* SPDX-License-Identifier: MIT */
/* Activity records that are not delivered yet: cupti_record.c makes them,
 * cupti_activity.c delivers them. */
#ifndef XS_SIM_CUPTI_PENDING_H
#define XS_SIM_CUPTI_PENDING_H

#include "tests/sim/cupti_sim.h"

struct xs_cu_pending {
	struct xs_cu_pending *next;
	uint64_t end_ns;
	size_t bytes;
	bool timeless;
	union {
		CUpti_Activity any;
		xs_cu_kernel kernel;
		xs_cu_copy copy;
		CUpti_ActivityMemcpyPtoP4 peer;
		CUpti_ActivityMemset4 set;
		xs_cu_migration migration;
		CUpti_ActivityAPI api;
	};
};

/* cupti_activity.c: whether a kind is enabled; takes ownership of a malloc()ed
 * record. */
bool xs_cu_wants(CUpti_ActivityKind kind);
void xs_cu_add(struct xs_cu_pending *record);

/* cupti_record.c: bytes of a record, 0 if the kind has none. */
size_t xs_cu_record_bytes(CUpti_ActivityKind kind);
/* Converts its times to CUPTI's clock; none if it has no times. */
void xs_cu_convert(struct xs_cu_pending *p, const struct xs_cu_line *line);
/* Whether a node of a graph ran while there was a subscriber. */
bool xs_cu_saw_graph(void);

#endif
