/* SPDX-License-Identifier: MIT */
/* Hashes of copied memory: which bytes count, and how many are said to. */
#include "tests/unit.h"

#include "preload/record/content.h"

#include <stdbool.h>
#include <stdlib.h>

#define SAMPLED_BYTES (1u << 20) /* a larger copy is hashed by samples */
/* Samples of LARGE bytes are about 16 KiB apart, from the start of one to the
 * start of the next. */
#define LARGE (4u * SAMPLED_BYTES + 12345u)
#define STEP  20480u

static unsigned char *memory;

FIXTURE(begin)
{
	atomic_store(&xs_hash_mode, XS_HASH_SAMPLED);
	memory = malloc(LARGE);
	for (size_t i = 0; memory && i < LARGE; i++)
		memory[i] = (unsigned char)(i * 2654435761u >> 24);
	return memory ? 0 : -1;
}

FIXTURE(end)
{
	free(memory);
	return 0;
}

static uint64_t hash_of(uint64_t bytes, uint64_t want_hashed)
{
	uint64_t hash = 0, hashed = 0;

	assert_true(xs_content_hash((uintptr_t)memory, bytes, &hash, &hashed));
	assert_true(hashed == want_hashed);
	return hash;
}

/* Returns whether the hash notices a change of the bytes. */
static bool notices(uint64_t bytes, uint64_t hashed, size_t at, size_t count)
{
	static uint64_t last_bytes, last_hashed, before;

	if (bytes != last_bytes || hashed != last_hashed)
		before = hash_of(bytes, hashed);
	last_bytes = bytes;
	last_hashed = hashed;
	for (size_t i = at; i < at + count; i++)
		memory[i] ^= 0x55;
	uint64_t after = hash_of(bytes, hashed);
	for (size_t i = at; i < at + count; i++)
		memory[i] ^= 0x55;
	return after != before;
}

TEST(each_byte_of_a_small_copy_counts)
{
	static const uint32_t sizes[] = {1,
					 4095,
					 4096,
					 16384,
					 16385,
					 100000,
					 SAMPLED_BYTES - 1,
					 SAMPLED_BYTES};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		const uint32_t n = sizes[i];

		assert_true(notices(n, n, 0, 1));
		assert_true(notices(n, n, n / 2, 1));
		assert_true(notices(n, n, n - 1, 1));
	}
}

/* Samples are all over the copy, from its first byte to its last. */
TEST(samples_are_spread_evenly)
{
	assert_true(notices(LARGE, SAMPLED_BYTES, 0, 1));
	assert_true(notices(LARGE, SAMPLED_BYTES, LARGE - 1, 1));
	for (size_t at = 0; at + STEP <= LARGE; at += STEP / 2)
		if (!notices(LARGE, SAMPLED_BYTES, at, STEP))
			fail_msg("a change at %zu is not noticed", at);
}

/* Otherwise they would not be samples. */
TEST(bytes_between_samples_do_not_count)
{
	for (size_t at = 0; at < LARGE; at += 2048)
		if (!notices(LARGE, SAMPLED_BYTES, at, 1))
			return;
	fail();
}

TEST(all_bytes_count_if_asked_for)
{
	atomic_store(&xs_hash_mode, XS_HASH_FULL);
	for (size_t at = 0; at < LARGE; at += LARGE / 61)
		assert_true(notices(LARGE, LARGE, at, 1));
	assert_true(notices(LARGE, LARGE, LARGE - 1, 1));
}

TEST(unreadable_memory_has_no_hash)
{
	uint64_t hash, hashed;

	assert_false(xs_content_hash(16, 4096, &hash, &hashed));
	assert_false(xs_content_hash(16, LARGE, &hash, &hashed));
	assert_false(xs_content_hash((uintptr_t)memory, 0, &hash, &hashed));
}

RUN_TESTS(begin, end)
