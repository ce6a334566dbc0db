/* SPDX-License-Identifier: MIT */
/* Activity records on their way: cupti_record.c makes them, and they wait in
 * cupti_activity.c until they are handed over. */
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
		xs_cu_graph graph;
	};
};

/* cupti_activity.c: whether a kind is enabled; takes a record from malloc(). */
bool xs_cu_wants(CUpti_ActivityKind kind);
void xs_cu_add(struct xs_cu_pending *record);

/* A graph is launched as one: of the nodes of its launch before, the last one
 * that was not handed over gets a wrong end. */
void xs_cu_spoil(uint32_t correlation);

/* cupti_record.c: whether it is the record of a node of that launch; makes its
 * end 300 us too late. */
bool xs_cu_is_node_of(const struct xs_cu_pending *p, uint32_t correlation);
void xs_cu_end_late(struct xs_cu_pending *p);

/* 0 where there are none of this kind. */
size_t xs_cu_record_bytes(CUpti_ActivityKind kind);
/* Its times, into CUPTI's clock; none if it is timeless. */
void xs_cu_convert(struct xs_cu_pending *p, const struct xs_cu_line *line);
/* Whether something of a graph was done while somebody was subscribed. */
bool xs_cu_saw_graph(void);

#endif
