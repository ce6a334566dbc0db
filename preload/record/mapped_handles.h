/* SPDX-License-Identifier: MIT */
/* Where cuMemMap maps memory, by its handle: one handle may be mapped at
 * several addresses. */
#ifndef XS_PRELOAD_RECORD_MAPPED_HANDLES_H
#define XS_PRELOAD_RECORD_MAPPED_HANDLES_H

#include <stdint.h>

/* The functions take a lock: call them in a guard (util/guard.h). */

/* Notes where the memory of a handle, not 0, was mapped. Returns where it was
 * mapped before, 0 if that is not known. */
uint64_t xs_mapped_handles_put(uint64_t handle, uint64_t address);

/* Call when the handle is released: another one may get its number. */
void xs_mapped_handles_drop(uint64_t handle);

#endif
