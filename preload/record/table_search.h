/* SPDX-License-Identifier: MIT */
/*
 * Looks for addresses of live memory in what is copied, and in pinned memory
 * that a launch is given (address_tables.h). Of more than 4 KiB the first 4 KiB
 * and three pieces of 1 KiB are read, of rows the starts of 8: these count as
 * data if they have none. What is not looked at counts as a
 * table.
 */
#pragma once

#include "preload/api/functions.h"
#include "preload/util/hot.h"

/*
 * Call after a copy succeeded. Looks at those that `always` is set for, else at
 * the first 16 to one destination of one size since new memory was allocated,
 * and at each 64th from then on; on the device at all while there are tables.
 */
void xs_table_search_copy(const struct xs_event *event, bool always);

/* Call when the capture of a graph began or ended. Takes no lock. */
void xs_table_search_capture(bool begins);

/* Call when memory was allocated: it is new the first 16 times that so many
 * bytes are at this address, and each 64th time. Takes no lock. */
void xs_table_search_outdate(uint64_t address, uint64_t bytes);

/* Returns whether the memory at an address that a launch is given is pinned; if
 * it holds addresses, *leads is set. Takes a lock: call it in a guard. */
bool xs_table_search_pinned(uint64_t address, bool *leads);
