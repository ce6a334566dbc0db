/* SPDX-License-Identifier: MIT */
/* Buffers for CUPTI's activity records, allocated with mmap and reused. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define XS_POOL_BYTES (1u << 20)

/* Maximum number of buffers. */
#define XS_POOL_MAX_BUFFERS 4096u

/* Returns a zeroed buffer of XS_POOL_BYTES, or NULL if out of memory.
 * Thread-safe. */
uint8_t *xs_pool_take(void);

/* Returns a buffer to the pool, whatever it contains. */
void xs_pool_give(uint8_t *buffer);

/* Returns whether the buffer came from this pool. */
bool xs_pool_owns(const uint8_t *buffer);
