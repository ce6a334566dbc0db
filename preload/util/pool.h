/* SPDX-License-Identifier: MIT */
/* Buffers for CUPTI's records, from mmap, used again. */
#ifndef XS_PRELOAD_UTIL_POOL_H
#define XS_PRELOAD_UTIL_POOL_H

#include <stdbool.h>
#include <stdint.h>

#define XS_POOL_BYTES (1u << 20)

/* More are not there at once. */
#define XS_POOL_MOST 4096u

/* A buffer of XS_POOL_BYTES, all 0; NULL without memory. */
uint8_t *xs_pool_take(void);

/* Takes it back, whatever it holds. */
void xs_pool_give(uint8_t *buffer);

/* Whether it came from here. */
bool xs_pool_owns(const uint8_t *buffer);

#endif
