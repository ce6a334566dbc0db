/* SPDX-License-Identifier: MIT */
/* Where cuMemMap maps memory, by its handle: one handle may be mapped at
 * several addresses, also one after the other. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define XS_MAPPED_ELSEWHERE 1u /* no address of memory */

/* The functions take a lock: call them in a guard (util/guard.h). A handle is
 * not 0. */

/* Notes where the memory of a handle was mapped; XS_MAPPED_ELSEWHERE: another
 * handle of the same memory may be mapped. refers: the handle is to be released
 * once more. Returns where it was mapped before: 0: nowhere,
 * XS_MAPPED_ELSEWHERE also if too many handles are mapped. */
uint64_t xs_mapped_handles_put(uint64_t handle, uint64_t address, bool refers);

/* Call when the handle is released: another one may get its number after the
 * last release. */
void xs_mapped_handles_drop(uint64_t handle);
