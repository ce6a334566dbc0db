/* SPDX-License-Identifier: MIT */
/* The ranges of memory that hold addresses, or may do so: who accesses them may
 * access other memory. */
#pragma once

#include "preload/util/hot.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Of the tables, those in memory whose allocation was not recorded, such as
 * variables of the device. */
extern _Atomic unsigned xs_address_tables_count, xs_address_tables_outside;

/* The functions below take a lock: call them in a guard (util/guard.h). */

/* The range, whose end is exclusive, holds addresses. is_outside: it is in
 * memory whose allocation was not recorded. */
void xs_address_tables_add(uint64_t begin, uint64_t end, bool is_outside);

/* The range was overwritten, and holds none. */
void xs_address_tables_cut(uint64_t begin, uint64_t end);

/* Returns whether a part of the range holds addresses. */
bool xs_address_tables_overlap(uint64_t begin, uint64_t end);

/* The next two take no lock. */
static inline bool xs_address_tables_are_any(void)
{
	return xs_relaxed(&xs_address_tables_count) > 0;
}

static inline bool xs_address_tables_are_outside(void)
{
	return xs_relaxed(&xs_address_tables_outside) > 0;
}
