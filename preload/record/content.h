/* SPDX-License-Identifier: MIT */
/* Hashes the host memory of copies (XFERSPY_HASH). */
#pragma once

#include "preload/util/config.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* enum xs_hash_mode; set once, before the first copy. */
extern _Atomic int xs_hash_mode;

/* Reads host memory. Returns false if it cannot be read, for example if the
 * address is invalid. May set errno. */
bool xs_content_read(uint64_t address, void *to, size_t bytes);

/* The same for several ranges, bytes in all, which follow each other in `to`.
 */
bool xs_content_read_blocks(const struct iovec *from, unsigned blocks, void *to,
			    size_t bytes);

/* Hashes a range of host memory with XXH3. *hashed_bytes: the bytes read.
 * Returns false if the memory cannot be read, for example if the address is
 * invalid. Allocates nothing; may set errno. */
bool xs_content_hash(uint64_t address, uint64_t bytes, uint64_t *hash,
		     uint64_t *hashed_bytes);
