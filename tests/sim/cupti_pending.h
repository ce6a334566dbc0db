/* SPDX-License-Identifier: MIT */
/* Activity records that are not delivered yet: cupti_record.c makes them,
 * cupti_activity.c delivers them. */
#pragma once

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
		xs_cu_graph graph;
	};
};

/* cupti_activity.c: whether a kind is enabled; takes ownership of a malloc()ed
 * record. */
bool xs_cu_wants(CUpti_ActivityKind kind);
void xs_cu_add(struct xs_cu_pending *record);

/* A graph is launched as one: gives a wrong end to the last undelivered node of
 * the launch before, which has this correlation id. */
void xs_cu_spoil(uint32_t correlation);

/* cupti_record.c: returns whether it is the record of a node of that launch;
 * makes its end 300 us too late. */
bool xs_cu_is_node_of(const struct xs_cu_pending *p, uint32_t correlation);
void xs_cu_end_late(struct xs_cu_pending *p);

/* cupti_record.c: bytes of a record, 0 if the kind has none. */
size_t xs_cu_record_bytes(CUpti_ActivityKind kind);
/* Converts its times to CUPTI's clock; none if it has no times. */
void xs_cu_convert(struct xs_cu_pending *p, const struct xs_cu_line *line);
/* Whether a node of a graph ran while there was a subscriber. */
bool xs_cu_saw_graph(void);
