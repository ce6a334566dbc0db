/* SPDX-License-Identifier: MIT */
#include "preload/trace/trace_file.h"
#include "preload/util/file.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIMIT_CHUNKS	    256 /* minimum, of a file with a limit */
#define LARGEST_CHUNK_BYTES (64u << 10)

/* Written first, so that a process that is killed from here on leaves a valid
 * trace. */
static int write_header(int fd, const struct xs_trace_file_start *start)
{
	static union {
		struct xs_file_header header;
		char bytes[XS_PAGE_BYTES];
	} page;

	page.header = (struct xs_file_header){
	    .magic = XS_FORMAT_MAGIC,
	    .version = XS_FORMAT_VERSION,
	    .header_bytes = sizeof(page.header),
	    .byte_order = XS_FORMAT_BYTE_ORDER,
	    .pid = (xs_u32)start->pid,
	    .state = XS_FILE_RUNNING,
	    .start_realtime_ns = start->realtime_ns,
	    .start_monotonic_ns = start->monotonic_ns,
	    .tail_bytes = XS_PAGE_BYTES,
	};
	return xs_file_begin(fd, &page, sizeof(page));
}

int xs_trace_file_open(struct xs_trace_file *trace, const char *path,
		       const struct xs_trace_file_start *start)
{
	struct stat st;
	void *page;
	int err;

	memset(trace, 0, sizeof(*trace));
	trace->fd = xs_file_create(path, trace->path, sizeof(trace->path));
	if (trace->fd < 0)
		return trace->fd;
	if (fstat(trace->fd, &st)) {
		err = -errno;
		goto out;
	}
	trace->device = st.st_dev;
	trace->inode = st.st_ino;
	trace->start_realtime_ns = start->realtime_ns;
	atomic_store(&trace->tail_bytes, XS_PAGE_BYTES);
	err = write_header(trace->fd, start);
	/* growing may write zeros */
	atomic_store(&trace->allocated_bytes, XS_PAGE_BYTES);
	if (!err)
		err = xs_trace_file_begin_growth(trace);
	if (err)
		goto out;
	page = xs_file_map(trace->fd, 0, XS_PAGE_BYTES);
	if (!page) {
		err = -errno;
		goto out;
	}
	trace->header = page;
out:
	if (err) {
		close(trace->fd);
		unlink(trace->path);
	}
	return err;
}

/* Updates the header's copy of the tail, which a reader of a killed process's
 * trace needs. Claims may arrive out of order. */
static void publish_tail(struct xs_trace_file *trace, uint64_t tail_bytes)
{
	uint64_t old =
	    __atomic_load_n(&trace->header->tail_bytes, __ATOMIC_RELAXED);

	while (old < tail_bytes &&
	       !__atomic_compare_exchange_n(&trace->header->tail_bytes, &old,
					    tail_bytes, true, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED))
		;
}

/* Maps a part of the file. If that fails, returns NULL and gives the part back,
 * unless a later part has been handed out. */
static void *map_part(struct xs_trace_file *trace, uint64_t at, uint32_t bytes)
{
	uint64_t tail = at + bytes;
	void *memory;

	if (!xs_trace_file_is_ours(trace, tail))
		return NULL;
	memory = xs_file_map(trace->fd, at, bytes);
	if (!memory) {
		atomic_store(&trace->map_error, errno);
		atomic_compare_exchange_strong(&trace->tail_bytes, &tail, at);
		return NULL;
	}
	publish_tail(trace, tail);
	return memory;
}

struct xs_chunk_header *xs_trace_file_claim(struct xs_trace_file *trace,
					    uint32_t bytes, uint32_t thread,
					    uint64_t base_ns)
{
	struct xs_chunk_header *chunk;
	uint64_t at = atomic_load(&trace->tail_bytes);

	if (atomic_load(&trace->overwritten) || atomic_load(&trace->map_error))
		return NULL;
	do {
		if (at == XS_TRACE_FILE_CLOSED ||
		    !xs_trace_file_make_room(trace, at + bytes))
			return NULL;
	} while (
	    !atomic_compare_exchange_weak(&trace->tail_bytes, &at, at + bytes));

	chunk = map_part(trace, at, bytes);
	if (!chunk)
		return NULL;
	chunk->capacity_bytes = bytes;
	chunk->thread = thread;
	chunk->base_ns = base_ns;
	chunk->used_bytes = sizeof(*chunk);
	/* Written last: a chunk without its magic was never started. */
	__atomic_store_n(&chunk->magic, XS_CHUNK_MAGIC, __ATOMIC_RELEASE);
	return chunk;
}

/* Small first chunks keep the trace of a program with many threads small. With
 * a limit, many partly filled chunks must not exhaust it. */
static uint32_t next_bytes(struct xs_trace_file *trace, uint32_t chunks_before)
{
	static const uint32_t sizes[] = {4u << 10, 16u << 10,
					 LARGEST_CHUNK_BYTES};
	uint64_t limit = atomic_load(&trace->limit_bytes);
	uint32_t bytes = sizes[chunks_before < 2 ? chunks_before : 2];
	uint64_t most = limit / LIMIT_CHUNKS / XS_PAGE_BYTES * XS_PAGE_BYTES;

	if (!limit || bytes <= most)
		return bytes;
	return most > XS_PAGE_BYTES ? (uint32_t)most : XS_PAGE_BYTES;
}

struct xs_chunk_header *xs_trace_file_claim_next(struct xs_trace_file *trace,
						 uint32_t chunks_before,
						 uint32_t thread,
						 uint64_t base_ns)
{
	uint32_t bytes = next_bytes(trace, chunks_before);
	struct xs_chunk_header *chunk =
	    xs_trace_file_claim(trace, bytes, thread, base_ns);

	if (!chunk && bytes > XS_PAGE_BYTES)
		chunk =
		    xs_trace_file_claim(trace, XS_PAGE_BYTES, thread, base_ns);
	return chunk;
}

void xs_trace_file_release(struct xs_chunk_header *chunk)
{
	const uint32_t bytes = chunk->capacity_bytes;

	/* If the file was overwritten, the size is not reliable and the chunk
	 * stays mapped. */
	if (bytes % XS_PAGE_BYTES == 0 && bytes <= LARGEST_CHUNK_BYTES)
		munmap(chunk, bytes);
}

void xs_trace_file_flushed(struct xs_trace_file *trace, uint64_t realtime_ns)
{
	if (!atomic_load(&trace->overwritten))
		__atomic_store_n(&trace->header->flush_realtime_ns, realtime_ns,
				 __ATOMIC_RELAXED);
}

void xs_trace_file_limit(struct xs_trace_file *trace, uint64_t bytes)
{
	atomic_store(&trace->limit_bytes,
		     bytes / XS_PAGE_BYTES * XS_PAGE_BYTES);
}

bool xs_trace_file_is_limited(struct xs_trace_file *trace)
{
	return atomic_load(&trace->limit_bytes) != 0;
}

bool xs_trace_file_takes_calls(struct xs_trace_file *trace)
{
	uint64_t limit = atomic_load(&trace->limit_bytes);

	return !limit || atomic_load(&trace->tail_bytes) <
			     limit - XS_TRACE_FILE_RESERVE(limit);
}

uint64_t xs_trace_file_used_bytes(struct xs_trace_file *trace)
{
	return atomic_load(&trace->tail_bytes);
}

void xs_trace_file_disown(struct xs_trace_file *trace)
{
	atomic_store(&trace->overwritten, true);
}

void xs_trace_file_lose(struct xs_trace_file *trace, enum xs_loss what,
			uint64_t count)
{
	xs_u64 *counter;

	if (!trace->header || !count || atomic_load(&trace->overwritten) ||
	    atomic_load(&trace->tail_bytes) == XS_TRACE_FILE_CLOSED)
		return;
	switch (what) {
	case XS_LOSS_CALLS:
		counter = &trace->header->lost_calls;
		break;
	case XS_LOSS_OPS:
		counter = &trace->header->lost_ops;
		break;
	default:
		counter = &trace->header->lost_cupti;
		break;
	}
	__atomic_fetch_add(counter, count, __ATOMIC_RELAXED);
}

uint64_t xs_trace_file_close(struct xs_trace_file *trace,
			     uint64_t end_realtime_ns)
{
	/* After this exchange no claim succeeds, and every successful one lies
	 * below the old tail: truncating the file removes no chunk of a
	 * writer. */
	uint64_t tail =
	    atomic_exchange(&trace->tail_bytes, XS_TRACE_FILE_CLOSED);
	bool locked;

	if (tail == XS_TRACE_FILE_CLOSED)
		return atomic_load(&trace->overwritten)
			   ? 0
			   : trace->header->tail_bytes;
	/* Not forever: a signal handler that exits may have interrupted the
	 * thread that grows the file. Growing it after the truncation only
	 * leaves it longer than needed. */
	locked = xs_trace_file_lock_growth(trace);
	if (xs_trace_file_is_ours(trace, tail)) {
		/* If truncating fails, the file is only longer than needed. */
		int failed = ftruncate(trace->fd, (off_t)tail);
		(void)failed;
	}
	/* The descriptor stays open: a thread may be about to map its chunk,
	 * and the number must not become another file's. */
	atomic_store(&trace->allocated_bytes, 0);
	if (locked)
		xs_trace_file_unlock_growth(trace);
	if (atomic_load(&trace->overwritten))
		return 0;
	trace->header->end_realtime_ns = end_realtime_ns;
	__atomic_store_n(&trace->header->state, XS_FILE_CLOSED,
			 __ATOMIC_RELEASE);
	return tail;
}
