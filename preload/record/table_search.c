/* SPDX-License-Identifier: MIT */
#include "preload/record/table_search.h"
#include "preload/record/address_tables.h"
#include "preload/record/content.h"
#include "preload/record/live_memory.h"
#include "preload/util/guard.h"

/* The first bytes are read as a whole: of a pool that is all of a small array.
 * Behind them, a table of a kind of element has one in each piece. */
#define WHOLE_BYTES 4096u
#define PIECE_BYTES 1024u
#define PIECES	    3u
#define MOST_BYTES  (WHOLE_BYTES + PIECES * PIECE_BYTES)
#define MOST_ROWS   8u

/* What comes again and again is looked at the first times and now and then: a
 * look takes 2 to 10 us of the program's time. */
#define SEEN_BITS   12
#define COUNT_BITS  7 /* the other bits of a counter tell what it counts */
#define FIRST_LOOKS 16u
#define LOOK_EACH   64u

static _Atomic uint64_t counters[1u << SEEN_BITS];
static _Atomic uint32_t generation; /* of the live memory */
static _Atomic int captures;	    /* of graphs, that have begun */

void xs_table_search_capture(bool begins)
{
	atomic_fetch_add_explicit(&captures, begins ? 1 : -1,
				  memory_order_relaxed);
}

static uint64_t mix(uint64_t key, uint64_t value)
{
	return (key ^ value) * 0x9e3779b97f4a7c15u;
}

static _Atomic uint64_t *counter_of(uint64_t key)
{
	return &counters[key >> (64 - SEEN_BITS)];
}

/* Counts what has the key. Threads may count twice or not at all. */
static bool is_looked_at(uint64_t key)
{
	_Atomic uint64_t *counter = counter_of(key);
	const uint64_t tag = key >> COUNT_BITS << COUNT_BITS;
	uint64_t looks = xs_relaxed(counter) ^ tag;

	if (looks >= FIRST_LOOKS + LOOK_EACH)
		looks = 0; /* of another key */
	xs_relaxed_set(counter, tag | (looks + 1 < FIRST_LOOKS + LOOK_EACH
					   ? looks + 1
					   : FIRST_LOOKS));
	return looks < FIRST_LOOKS || looks + 1 == FIRST_LOOKS + LOOK_EACH;
}

void xs_table_search_outdate(uint64_t address, uint64_t bytes)
{
	if (is_looked_at(mix(mix(0, address), ~bytes)))
		atomic_fetch_add_explicit(&generation, 1, memory_order_relaxed);
}

/* Returns whether the blocks of host memory were read, MOST_BYTES or less in
 * all; if so, *holds is whether they have addresses. */
static bool search_blocks(const struct iovec *blocks, unsigned count,
			  size_t bytes, bool *holds)
{
	uint64_t words[MOST_BYTES / 8], address;
	struct xs_live_addresses found = {
	    .addresses = &address, .room = 1, .first = true};

	if (!xs_content_read_blocks(blocks, count, words, bytes))
		return false;
	xs_live_memory_collect(words, bytes / 8, &found);
	*holds = found.count;
	return true;
}

static struct iovec block_at(uint64_t address, uint64_t bytes)
{
	return (struct iovec){(void *)(uintptr_t)address, bytes};
}

static bool search(uint64_t from, uint64_t bytes, bool *holds)
{
	const unsigned pieces = bytes <= WHOLE_BYTES ? 0 : PIECES;
	const uint64_t first = pieces ? WHOLE_BYTES : bytes;
	struct iovec blocks[1 + PIECES] = {block_at(from, first)};

	for (unsigned i = 1; i <= pieces; i++)
		blocks[i] =
		    block_at(from + (i * (bytes - PIECE_BYTES) / PIECES & ~7ul),
			     PIECE_BYTES);
	return search_blocks(blocks, 1 + pieces, first + pieces * PIECE_BYTES,
			     holds);
}

/* The starts of MOST_ROWS rows, the first and the last one among them. The
 * first one begins at from, and has so many bytes. */
static bool search_rows(const struct xs_event *event, uint64_t from,
			uint64_t bytes, bool *holds)
{
	const uint32_t rows = event->rows,
		       height = event->height ? event->height : rows;
	const unsigned count = rows < MOST_ROWS ? rows : MOST_ROWS;
	const uint64_t most = MOST_BYTES / count;
	const uint64_t piece = (bytes < most ? bytes : most) & ~7ul;
	struct iovec blocks[MOST_ROWS];

	for (unsigned i = 0; i < count; i++) {
		const uint64_t row = (uint64_t)i * (rows - 1) / (count - 1);

		blocks[i] = block_at(from + row / height * event->slice +
					 row % height * event->pitch,
				     piece);
	}
	return search_blocks(blocks, count, piece * count, holds);
}

bool xs_table_search_pinned(uint64_t address, bool *leads)
{
	enum xs_live_kind kind;
	const uint64_t bytes = xs_live_memory_find(address, &kind);
	bool holds = true;

	if (!bytes || kind != XS_LIVE_HOST)
		return false;
	search(address & ~7ul, bytes + address % 8, &holds);
	*leads |= holds;
	return true;
}

/* Of copies to one destination of one size, while the same memory lives. */
static uint64_t key_of(const struct xs_event *event)
{
	return mix(mix(mix(0, event->dst), event->bytes),
		   xs_relaxed(&generation));
}

/* Returns whether what was copied holds addresses, or may do so. lives, kind:
 * of the source. A captured copy is of what the source will have. */
static bool holds_addresses(const struct xs_event *event, uint64_t lives,
			    enum xs_live_kind kind)
{
	const uint64_t row = event->bytes / event->rows;
	const uint64_t skip = -event->dst % 8; /* words lie there aligned */
	bool holds = true;

	if (xs_relaxed(&captures) > 0 ||
	    (lives ? kind == XS_LIVE_MANAGED
		   : event->direction == cudaMemcpyDeviceToDevice))
		return true;
	/* also what a copy may still write there, and between its rows */
	if (lives && xs_address_tables_overlap(
			 event->src,
			 event->src + (event->rows > 1 ? lives : event->bytes)))
		return true;
	if ((lives && kind != XS_LIVE_HOST &&
	     event->direction != cudaMemcpyHostToDevice) ||
	    row < skip + 8)
		return false;
	if (event->rows == 1)
		search(event->src + skip, row - skip, &holds);
	else if (event->pitch)
		search_rows(event, event->src + skip, row - skip, &holds);
	return holds;
}

static bool is_from_host(const struct xs_event *event, uint64_t lives,
			 enum xs_live_kind kind)
{
	uint64_t word;

	return event->direction == cudaMemcpyHostToDevice ||
	       (event->direction == cudaMemcpyDefault &&
		(lives ? kind == XS_LIVE_HOST
		       : xs_content_read(event->src, &word, sizeof(word))));
}

static void note_copy(void *data)
{
	const struct xs_event *event = data;
	enum xs_live_kind kind, dst_kind;
	const uint64_t from = xs_live_memory_find(event->src, &kind);
	const uint64_t to = xs_live_memory_find(event->dst, &dst_kind);

	if (!holds_addresses(event, from, kind)) {
		xs_address_tables_cut(event->dst,
				      event->dst + event->bytes / event->rows);
		return;
	}
	/* look again at the next one */
	xs_relaxed_set(counter_of(key_of(event)), 0);
	if (to)
		xs_address_tables_add(
		    event->dst,
		    event->dst + (event->rows > 1 ? to : event->bytes), false);
	else if (is_from_host(event, from, kind) ||
		 (event->direction == cudaMemcpyDeviceToDevice && from))
		xs_address_tables_add(event->dst, event->dst + event->bytes,
				      true);
}

XS_HOT void xs_table_search_copy(const struct xs_event *event, bool always)
{
	const bool is_in = event->direction == cudaMemcpyHostToDevice;
	const bool are_any = xs_address_tables_are_any();

	if (!event->rows || event->bytes < 8 || !event->dst ||
	    event->direction == cudaMemcpyHostToHost ||
	    (event->direction == cudaMemcpyDeviceToHost && !are_any))
		return;
	if (always || (!is_in && are_any) || is_looked_at(key_of(event)))
		xs_guard_run(note_copy, (void *)(uintptr_t)event);
}
