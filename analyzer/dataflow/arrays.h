/* SPDX-License-Identifier: MIT */
/* Arrays within allocations, as pools hand them out. */
#pragma once

#include "analyzer/dataflow/op_accesses.h"

/* Part of the allocation that a call made. */
struct xs_array {
	uint32_t call;
	uint64_t begin, end;
	uint64_t first; /* of those right before it, which may be chunks of one
			 * array with it */
};

struct xs_arrays {
	struct xs_array *items; /* by call, then begin; owned */
	uint32_t count;
};

/*
 * Finds the arrays of a dataflow: what is copied of an allocation, if a kernel
 * is given the address of each range, or else the range follows one right
 * before it, to whose array it then belongs. Ranges that overlap divide
 * nothing, unless they are the same.
 */
void xs_arrays_find_all(const struct xs_trace *trace,
			const struct xs_dataflow *dataflow,
			struct xs_arrays *arrays);
void xs_arrays_free(struct xs_arrays *arrays);

/*
 * Cuts what a kernel may access of an allocation if it is given the first byte
 * of an array: then it accesses nothing before the array, or before the first
 * one of those without space between them. Of an allocation that is not
 * divided, nothing is cut.
 */
void xs_arrays_cut(const struct xs_arrays *arrays, uint32_t call,
		   uint64_t address, struct xs_flow_access *access);

/* Returns the array with the address; XS_NONE: none. */
uint32_t xs_arrays_find(const struct xs_arrays *arrays, uint32_t call,
			uint64_t address);

/* Returns the call that allocated the memory at an address that the op, a
 * kernel, accesses; XS_NONE: unknown. */
uint32_t xs_flow_memory_at(const struct xs_dataflow *dataflow,
			   const struct xs_flow_op *op, uint64_t address);
