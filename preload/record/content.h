/* SPDX-License-Identifier: MIT */
/* What lies in the host memory of a copy, as a hash (XFERSPY_HASH). */
#ifndef XS_PRELOAD_RECORD_CONTENT_H
#define XS_PRELOAD_RECORD_CONTENT_H

#include "preload/util/config.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* enum xs_hash_mode; set once, before the first copy is seen. */
extern _Atomic int xs_hash_mode;

/*
 * The XXH3 of that memory, and how much of it was read. It need not be
 * readable, nor memory at all: false, then. Neither allocates nor crashes;
 * sets errno.
 */
bool xs_content_hash(uint64_t address, uint64_t bytes, uint64_t *hash,
		     uint64_t *hashed_bytes);

#endif
