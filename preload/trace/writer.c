/* SPDX-License-Identifier: MIT */
#include "preload/trace/writer.h"
#include "preload/util/clock.h"
#include "preload/util/guard.h"
#include "preload/util/hot.h"
#include "preload/util/pages.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#define BASE_SLACK_NS (1ull << 31)
#define WIDE_AT_NS    ((uint64_t)XS_WIDE32)
#define SEEN_BITS     11
#define MAX_SPARES    64u
#define MOST_BYTES    2048u /* maximum of what is written at once */
/* Ops leave room in the shared writer's chunk for a note that says why there is
 * no room for more of them. */
#define NOTE_BYTES  256u
#define SPARE_BYTES 256u /* chunks with less space left are not reused */

_Static_assert(sizeof(struct xs_timed_head) == sizeof(struct xs_rec_call) &&
		   offsetof(struct xs_rec_copycall, bytes) ==
		       sizeof(struct xs_timed_head) &&
		   offsetof(struct xs_rec_copy, bytes) ==
		       sizeof(struct xs_timed_head),
	       "timed records share their head");
_Static_assert(sizeof(struct xs_seen) == sizeof(xs_u16) << SEEN_BITS,
	       "a hash is a place in it");

/* Chunks with space left, from threads that ended. A thread that continues one
 * writes its `thread` record first. */
static pthread_mutex_t spares_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned spare_count; /* protected by the lock */
static struct spare {
	const struct xs_trace_file *trace;
	struct xs_chunk_header *chunk;
	uint64_t base_ns;
} spares[MAX_SPARES];

/* Places half the range of a start before the first record: records of one
 * writer are ordered by their end, not by their start. */
static uint64_t base_for(uint64_t start_ns)
{
	return start_ns > BASE_SLACK_NS ? start_ns - BASE_SLACK_NS : 0;
}

static void drop_chunk(struct xs_writer *w)
{
	if (w->chunk)
		xs_trace_file_release(w->chunk);
	w->chunk = NULL;
}

/* A thread's first chunk is the rest of an ended thread's chunk, if there is
 * one. */
XS_COLD static void take_spare(struct xs_writer *w)
{
	pthread_mutex_lock(&spares_lock);
	for (unsigned i = spare_count; !w->chunk && i-- > 0;) {
		if (spares[i].trace != w->trace)
			continue;
		w->chunk = spares[i].chunk;
		w->base_ns = spares[i].base_ns;
		w->used_bytes = w->chunk->used_bytes;
		spares[i] = spares[--spare_count];
	}
	pthread_mutex_unlock(&spares_lock);
}

static bool keep_spare(const struct xs_writer *w)
{
	bool left = false;

	if (!w->chunk || w->used_bytes + SPARE_BYTES > w->chunk->capacity_bytes)
		return false;
	pthread_mutex_lock(&spares_lock);
	if (spare_count < MAX_SPARES) {
		spares[spare_count++] =
		    (struct spare){w->trace, w->chunk, w->base_ns};
		left = true;
	}
	pthread_mutex_unlock(&spares_lock);
	return left;
}

/* Claims a new chunk with a base time for `start_ns`. */
XS_COLD static bool claim_chunk(struct xs_writer *w, uint64_t start_ns)
{
	uint64_t base_ns = base_for(start_ns);
	struct xs_chunk_header *chunk =
	    xs_trace_file_claim_next(w->trace, w->chunks, w->thread, base_ns);

	if (!chunk)
		return false;
	drop_chunk(w);
	if (w->seen)
		memset(w->seen, 0, sizeof(*w->seen));
	w->chunk = chunk;
	w->base_ns = base_ns;
	w->used_bytes = sizeof(*chunk);
	w->chunks++;
	return true;
}

/* Space for a record. of_call: a record of a call, see
 * xs_trace_file_takes_calls(). */
struct room {
	struct xs_writer *writer;
	size_t bytes;
	uint64_t start_ns;
	bool of_call, found;
};

static bool has_room(const struct xs_writer *w, size_t bytes)
{
	return w->chunk && w->used_bytes + bytes <= w->chunk->capacity_bytes;
}

static void make_room(void *data)
{
	struct room *room = data;
	struct xs_writer *w = room->writer;

	if (!w->chunk && w->thread)
		take_spare(w);
	room->found =
	    has_room(w, room->bytes) ||
	    ((!room->of_call || xs_trace_file_takes_calls(w->trace)) &&
	     claim_chunk(w, room->start_ns));
}

XS_COLD static char *find_room(struct xs_writer *w, size_t bytes,
			       uint64_t start_ns, bool of_call)
{
	struct room room = {.writer = w,
			    .bytes = bytes,
			    .start_ns = start_ns,
			    .of_call = of_call};

	if (w->chunk && of_call && !xs_trace_file_takes_calls(w->trace))
		return NULL;
	xs_guard_run(make_room, &room);
	return room.found ? (char *)w->chunk + w->used_bytes : NULL;
}

/* Returns space for `bytes` in a chunk, or NULL. */
static char *room_for(struct xs_writer *w, size_t bytes, uint64_t start_ns,
		      bool of_call)
{
	if (xs_relaxed(&w->trace->overwritten))
		return NULL;
	return has_room(w, bytes) ? (char *)w->chunk + w->used_bytes
				  : find_room(w, bytes, start_ns, of_call);
}

/* Readers see the record only after it is complete. */
static void commit(struct xs_writer *w, const char *end)
{
	w->used_bytes = (uint32_t)(end - (char *)w->chunk);
	__atomic_store_n(&w->chunk->used_bytes, w->used_bytes,
			 __ATOMIC_RELEASE);
}

static char *append(char *at, const void *record, size_t bytes)
{
	memcpy(at, record, bytes);
	return at + bytes;
}

/* Bytes of a timed record after its head. */
static size_t rest_bytes(const struct xs_timed_head *record)
{
	return record->words * 4u - sizeof(*record);
}

/* The record of a launch consists of the head only. */
static char *append_timed(char *at, const struct xs_timed_head *record)
{
	const size_t rest = rest_bytes(record);

	at = append(at, record, sizeof(*record));
	return rest ? append(at, record + 1, rest) : at;
}

/* Hashes the fields that an `again` record does not repeat. */
static unsigned hash_of(const struct xs_timed_head *record)
{
	const char *at = (const char *)(record + 1);
	size_t bytes = rest_bytes(record);
	uint64_t hash = record->kind | (uint64_t)record->place << 8, word;
	uint32_t last;

	for (; bytes >= sizeof(word); bytes -= sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		hash = (hash << 9 | hash >> 55) ^ word;
		at += sizeof(word);
	}
	if (bytes) {
		memcpy(&last, at, sizeof(last));
		hash = (hash << 9 | hash >> 55) ^ last;
	}
	return (unsigned)(hash * 0x9e3779b97f4a7c15u >> (64 - SEEN_BITS));
}

static bool same(const struct xs_timed_head *a, const struct xs_timed_head *b)
{
	return a->kind == b->kind && a->words == b->words &&
	       a->place == b->place && memcmp(a + 1, b + 1, rest_bytes(a)) == 0;
}

/* Returns the position in the chunk, in units of 4 bytes, of an equal record.
 * Returns 0 if there is none; then this record is remembered at `at`. A chunk
 * has at most 2^16 units. */
static xs_u16 find_same(struct xs_writer *w, const struct xs_timed_head *record,
			const char *at)
{
	const char *chunk = (const char *)w->chunk;
	const struct xs_timed_head *old;
	xs_u16 *seen;

	if (!w->seen || rest_bytes(record) == 0 || record->place == XS_WIDE16)
		return 0;
	seen = &w->seen->at[hash_of(record)];
	old = (const void *)(chunk + *seen * 4u);
	if (*seen && same(old, record))
		return *seen;
	*seen = (xs_u16)((at - chunk) / 4);
	return 0;
}

void xs_writer_open(struct xs_writer *w, struct xs_trace_file *trace,
		    uint32_t thread)
{
	*w = (struct xs_writer){.trace = trace,
				.seen = xs_pages_map(sizeof(*w->seen)),
				.thread = thread};
}

XS_HOT int xs_writer_timed(struct xs_writer *w, void *record, uint32_t place,
			   uint64_t start_ns, uint64_t end_ns)
{
	struct xs_timed_head *head = record;
	uint64_t duration_ns = end_ns > start_ns ? end_ns - start_ns : 0;
	char *at =
	    room_for(w,
		     sizeof(struct xs_rec_time) + sizeof(struct xs_rec_wide) +
			 head->words * 4u + (w->thread ? 0 : NOTE_BYTES),
		     start_ns, w->thread != 0);
	xs_u16 again;

	if (!at)
		return -ENOSPC;
	if (start_ns - w->base_ns > UINT32_MAX) {
		struct xs_rec_time time = {XS_RECORD(time),
					   .base_ns = base_for(start_ns)};
		w->base_ns = time.base_ns;
		at = append(at, &time, sizeof(time));
	}
	head->place = place < XS_WIDE16 ? (xs_u16)place : XS_WIDE16;
	head->start = (xs_u32)(start_ns - w->base_ns);
	head->duration =
	    duration_ns < WIDE_AT_NS ? (xs_u32)duration_ns : XS_WIDE32;
	if (head->place == XS_WIDE16 || head->duration == XS_WIDE32) {
		struct xs_rec_wide wide = {XS_RECORD(wide), .site = place,
					   .duration_ns = duration_ns};
		at = append(at, &wide, sizeof(wide));
	}
	again = find_same(w, head, at);
	if (again) {
		struct xs_timed_head rest = *head;
		rest.kind = XS_REC_again;
		rest.words = sizeof(rest) / 4;
		rest.place = again;
		at = append(at, &rest, sizeof(rest));
	} else {
		at = append_timed(at, head);
	}
	commit(w, at);
	return 0;
}

int xs_writer_plain(struct xs_writer *w, void *record, const char *text,
		    size_t length)
{
	xs_u8 *words = (xs_u8 *)record + 1; /* the second byte of any record */
	size_t fixed = *words * 4u;
	size_t most = XS_RECORD_MAX_BYTES - fixed;
	size_t kept = length < most ? length : most;
	size_t padded = (kept + 3) / 4 * 4;
	char *at = room_for(w, fixed + padded, xs_clock_realtime_ns(), false);

	if (!at)
		return -ENOSPC;
	*words = (xs_u8)((fixed + padded) / 4);
	at = append(at, record, fixed);
	if (kept) {
		memset(at + padded - 4, 0, 4);
		memcpy(at, text, kept);
	}
	commit(w, at + padded);
	return 0;
}

int xs_writer_string(struct xs_writer *w, uint32_t id, const char *text)
{
	const size_t part_bytes =
	    XS_RECORD_MAX_BYTES - sizeof(struct xs_rec_string);
	size_t left = strlen(text);
	xs_u16 part = 0;

	do {
		size_t now = left < part_bytes ? left : part_bytes;
		struct xs_rec_string record = {XS_RECORD(string), .part = part,
					       .id = id};
		if (xs_writer_plain(w, &record, text, now))
			return -ENOSPC;
		text += now;
		left -= now;
		part++;
	} while (left);
	return 0;
}

/* Without a base the next timed record is preceded by a `time` record. */
void xs_writer_recover(struct xs_writer *w)
{
	size_t left;

	w->base_ns = 0;
	if (w->chunk && !atomic_load(&w->trace->overwritten)) {
		w->used_bytes = w->chunk->used_bytes;
		left = w->chunk->capacity_bytes - w->used_bytes;
		memset((char *)w->chunk + w->used_bytes, 0,
		       left < MOST_BYTES ? left : MOST_BYTES);
	}
	if (w->seen)
		memset(w->seen, 0, sizeof(*w->seen));
}

void xs_writer_release(struct xs_writer *w)
{
	if (keep_spare(w))
		w->chunk = NULL;
	xs_writer_close(w);
}

void xs_writer_close(struct xs_writer *w)
{
	drop_chunk(w);
	if (w->seen)
		munmap(w->seen, sizeof(*w->seen));
	w->seen = NULL;
}
