/* SPDX-License-Identifier: MIT */
#include "preload/record/content.h"
#include "preload/trace/info.h"
#include "preload/util/guard.h"
#include "preload/util/hot.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Bytes read of a larger copy, in blocks: costs about 0.2 ms. */
#define SAMPLE_BYTES (1u << 20)
#define BLOCK_BYTES  4096u
#define BLOCKS	     (SAMPLE_BYTES / BLOCK_BYTES)

/* Bytes read at once, on the stack of a guard. */
#define PIECE_BYTES  16384u
#define PIECE_BLOCKS (PIECE_BYTES / BLOCK_BYTES)

_Atomic int xs_hash_mode;

static atomic_bool is_forbidden;

/* Some systems forbid process_vm_readv() even on the own process. */
static void disable(int error)
{
	atomic_store(&xs_hash_mode, XS_HASH_OFF);
	if (!atomic_exchange(&is_forbidden, true))
		xs_trace_info("note",
			      "this system does not allow a process to read "
			      "its own memory with process_vm_readv (%s): "
			      "copies are not hashed, and what they bring "
			      "counts as addresses of other memory",
			      strerror(error));
}

/* Lets the kernel read the memory: an invalid address is an error and not a
 * signal. */
bool xs_content_read_blocks(const struct iovec *from, unsigned count, void *to,
			    size_t bytes)
{
	const struct iovec local = {to, bytes};
	ssize_t n = atomic_load(&is_forbidden)
			? 0
			: process_vm_readv(getpid(), &local, 1, from, count, 0);

	if (n < 0 && (errno == EPERM || errno == ENOSYS))
		disable(errno);
	return n >= 0 && (size_t)n == bytes;
}

bool xs_content_read(uint64_t address, void *to, size_t bytes)
{
	const struct iovec from = {(void *)(uintptr_t)address, bytes};

	return xs_content_read_blocks(&from, 1, to, bytes);
}

static bool hash_all(XXH3_state_t *state, uint64_t address, uint64_t bytes)
{
	char piece[PIECE_BYTES];

	for (uint64_t at = 0; at < bytes; at += PIECE_BYTES) {
		size_t n = bytes - at < PIECE_BYTES ? (size_t)(bytes - at)
						    : PIECE_BYTES;

		if (!xs_content_read(address + at, piece, n))
			return false;
		XXH3_64bits_update(state, piece, n);
	}
	return true;
}

/* Blocks spread evenly, including the first and the last one. */
static bool hash_samples(XXH3_state_t *state, uint64_t address, uint64_t bytes)
{
	const uint64_t step = (bytes - BLOCK_BYTES) / (BLOCKS - 1);
	char piece[PIECE_BYTES];

	for (unsigned block = 0; block < BLOCKS; block += PIECE_BLOCKS) {
		struct iovec from[PIECE_BLOCKS];

		for (unsigned i = 0; i < PIECE_BLOCKS; i++) {
			uint64_t at = block + i == BLOCKS - 1
					  ? bytes - BLOCK_BYTES
					  : (block + i) * step;

			from[i] = (struct iovec){
			    (void *)(uintptr_t)(address + at), BLOCK_BYTES};
		}
		if (!xs_content_read_blocks(from, PIECE_BLOCKS, piece,
					    PIECE_BYTES))
			return false;
		XXH3_64bits_update(state, piece, PIECE_BYTES);
	}
	return true;
}

struct content {
	uint64_t address, bytes;
	uint64_t *hash, *hashed_bytes;
	bool hashed;
};

static void hash(void *data)
{
	struct content *content = data;
	const uint64_t bytes = content->bytes;
	bool all =
	    bytes <= SAMPLE_BYTES || xs_relaxed(&xs_hash_mode) == XS_HASH_FULL;
	XXH3_state_t state;

	if (XXH3_64bits_reset(&state) != XXH_OK ||
	    !(all ? hash_all(&state, content->address, bytes)
		  : hash_samples(&state, content->address, bytes)))
		return;
	*content->hash = XXH3_64bits_digest(&state);
	*content->hashed_bytes = all ? bytes : SAMPLE_BYTES;
	content->hashed = true;
}

bool xs_content_hash(uint64_t address, uint64_t bytes, uint64_t *hash_out,
		     uint64_t *hashed_bytes)
{
	struct content content = {.address = address,
				  .bytes = bytes,
				  .hash = hash_out,
				  .hashed_bytes = hashed_bytes};

	if (bytes)
		xs_guard_run(hash, &content);
	return content.hashed;
}
