/* SPDX-License-Identifier: MIT */
/*
 * Writes a trace like that of a program with regular rounds: each round copies
 * in, computes and copies out on each of its streams, then waits for the
 * device. For benchmarks and seeds.
 *
 * xs_mktrace [-r rounds] [-c chunks] [-s streams] [-t threads] [-p phases]
 *            [-w] [-e records] [-g graphs] [-n nodes] [-i key=value]... FILE
 *
 * A round has 3 ops and 3 calls per chunk, and a synchronisation. With -p, its
 * copies in come from as many call sites, one a round in turn. With -w, the
 * host waits for each stream before it waits for the device. With -e, it
 * records so many events before that. With -g, so many graphs follow: a launch
 * of each recorded by node, all with one correlation id and n nodes, and a
 * launch of each recorded as one. -i adds an info record, such as rank=3.
 */
#include "tests/analyzer/mktrace.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define START_NS UINT64_C(1700000000000000000)

/* The copies in of phase i, from 0, are made at SITE_COPY_IN + i. */
enum {
	SITE_LAUNCH = 1,
	SITE_COPY_OUT,
	SITE_SYNC,
	SITE_WAIT,
	SITE_RECORD,
	SITE_COPY_IN
};

static int flush_chunk(struct mktrace *m, struct mktrace_chunk *chunk)
{
	struct xs_chunk_header header = {.magic = XS_CHUNK_MAGIC,
					 .capacity_bytes = CHUNK_BYTES,
					 .used_bytes = chunk->used,
					 .thread = chunk->thread,
					 .base_ns = chunk->base_ns};

	if (chunk->used == 0)
		return 0;
	memcpy(chunk->bytes, &header, sizeof(header));
	memset(chunk->bytes + chunk->used, 0, CHUNK_BYTES - chunk->used);
	chunk->used = 0;
	m->header.tail_bytes += CHUNK_BYTES;
	return fwrite(chunk->bytes, CHUNK_BYTES, 1, m->out) == 1 ? 0 : -EIO;
}

int mktrace_put(struct mktrace *m, struct mktrace_chunk *chunk, xs_u64 now_ns,
		void *record, size_t bytes, xs_u32 *start)
{
	if (chunk->used + bytes > CHUNK_BYTES ||
	    (chunk->used > 0 && now_ns - chunk->base_ns >= XS_WIDE32))
		if (flush_chunk(m, chunk))
			return -EIO;
	if (chunk->used == 0) {
		chunk->used = sizeof(struct xs_chunk_header);
		chunk->base_ns = now_ns;
	}
	((xs_u8 *)record)[1] = (xs_u8)(bytes / 4); /* its words */
	if (start)
		*start = (xs_u32)(now_ns - chunk->base_ns);
	memcpy(chunk->bytes + chunk->used, record, bytes);
	chunk->used += (xs_u32)bytes;
	return 0;
}

/* Writes a record with a text behind it. */
static int put_with_text(struct mktrace *m, const void *record, size_t bytes,
			 const char *text)
{
	xs_u32 words[XS_RECORD_MAX_BYTES / 4] = {0};

	memcpy(words, record, bytes);
	memcpy((char *)words + bytes, text, strlen(text));
	return mktrace_put(m, &m->calls, START_NS, words,
			   (bytes + strlen(text) + 3) / 4 * 4, NULL);
}

static int put_text(struct mktrace *m, xs_u32 id, const char *text)
{
	const struct xs_rec_string record = {.kind = XS_REC_string, .id = id};

	return put_with_text(m, &record, sizeof(record), text);
}

static int put_info(struct mktrace *m, const char *text)
{
	const struct xs_rec_info record = {.kind = XS_REC_info};

	return put_with_text(m, &record, sizeof(record), text);
}

static int put_site(struct mktrace *m, xs_u32 site, xs_u16 call_class,
		    xs_u32 function)
{
	struct xs_rec_site record = {.kind = XS_REC_site,
				     .call_class = call_class,
				     .site = site,
				     .function = function,
				     .module = XS_NONE32,
				     .offset = 0x1000 + 16 * site};

	return mktrace_put(m, &m->calls, START_NS, &record, sizeof(record),
			   NULL);
}

static int put_sites(struct mktrace *m)
{
	if (put_text(m, 1, "cudaMemcpyAsync") ||
	    put_text(m, 2, "cudaLaunchKernel") ||
	    put_text(m, 3, "cudaDeviceSynchronize") ||
	    put_text(m, 4, "_Z8stencil7PKiPii") ||
	    put_text(m, 5, "cudaStreamSynchronize") ||
	    put_site(m, SITE_LAUNCH, XS_CALL_LAUNCH, 2) ||
	    put_site(m, SITE_COPY_OUT, XS_CALL_COPY_ASYNC, 1) ||
	    put_site(m, SITE_SYNC, XS_CALL_SYNC_DEVICE, 3) ||
	    put_site(m, SITE_WAIT, XS_CALL_SYNC_STREAM, 5) ||
	    put_text(m, 6, "cudaEventRecord") ||
	    put_site(m, SITE_RECORD, XS_CALL_EVENT_RECORD, 6))
		return -EIO;
	for (unsigned long i = 0; i < m->phases; i++)
		if (put_site(m, SITE_COPY_IN + (xs_u32)i, XS_CALL_COPY_ASYNC,
			     1))
			return -EIO;
	return 0;
}

static int put_tables(struct mktrace *m)
{
	struct xs_rec_shape shape = {.kind = XS_REC_shape,
				     .registers = 32,
				     .shape = 1,
				     .name = 4,
				     .grid_x = 512,
				     .grid_y = 1,
				     .grid_z = 1,
				     .block_x = 256,
				     .block_y = 1,
				     .block_z = 1};

	m->calls.thread = 100;
	for (size_t i = 0; i < m->info_count; i++)
		if (put_info(m, m->infos[i]))
			return -EIO;
	if (put_sites(m) ||
	    mktrace_put(m, &m->calls, START_NS, &shape, sizeof(shape), NULL))
		return -EIO;
	for (unsigned long i = 0; i < m->streams; i++) {
		struct xs_rec_queue queue = {.kind = XS_REC_queue,
					     .queue = (xs_u16)i,
					     .context = 1,
					     .stream = 7 + (xs_u32)i};

		if (mktrace_put(m, &m->calls, START_NS, &queue, sizeof(queue),
				NULL))
			return -EIO;
	}
	return flush_chunk(m, &m->calls);
}

static int put_copy(struct mktrace *m, xs_u64 call_ns, xs_u64 op_ns,
		    xs_u16 stream, xs_u8 direction)
{
	int in = direction == XS_DIR_H2D;
	struct xs_rec_copycall call = {
	    .kind = XS_REC_copycall,
	    .site = in ? m->copy_site : SITE_COPY_OUT,
	    .correlation = ++m->correlation,
	    .duration = 2500,
	    .bytes = 65536,
	    .dst = in ? 0x7f0000000000 : 0x500000 + 65536u * stream,
	    .src = in ? 0x100000 + 65536u * stream : 0x7f0000000000,
	    .stream = 0x5000u + stream,
	    .rows = 1,
	    .direction = in ? 1 : 2};
	struct xs_rec_copy op = {
	    .kind = XS_REC_copy,
	    .queue = stream,
	    .correlation = m->correlation,
	    .duration = 5000,
	    .bytes = 65536,
	    .direction = direction,
	    .src_memory = in ? XS_MEM_PINNED : XS_MEM_DEVICE,
	    .dst_memory = in ? XS_MEM_DEVICE : XS_MEM_PINNED,
	    .flags = XS_OP_ASYNC,
	    .copies = 1};

	return MKTRACE_PUT(m, calls, call_ns, call) ||
		       MKTRACE_PUT(m, ops, op_ns, op)
		   ? -EIO
		   : 0;
}

static int put_launch(struct mktrace *m, xs_u64 call_ns, xs_u64 op_ns,
		      xs_u16 stream)
{
	struct xs_rec_call call = {.kind = XS_REC_call,
				   .site = SITE_LAUNCH,
				   .correlation = ++m->correlation,
				   .duration = 3000};
	struct xs_rec_kernel op = {.kind = XS_REC_kernel,
				   .queue = stream,
				   .correlation = m->correlation,
				   .duration = 6000,
				   .shape = 1};

	return MKTRACE_PUT(m, calls, call_ns, call) ||
		       MKTRACE_PUT(m, ops, op_ns, op)
		   ? -EIO
		   : 0;
}

/* Writes a synchronisation or an event. stream: 0 for the device */
static int put_wait(struct mktrace *m, xs_u64 call_ns, xs_u32 duration_ns,
		    xs_u32 site, xs_u64 stream)
{
	struct xs_rec_waitcall call = {.kind = XS_REC_waitcall,
				       .site = site,
				       .stream = stream,
				       .event = site == SITE_RECORD,
				       .duration = duration_ns};

	return MKTRACE_PUT(m, calls, call_ns, call);
}

/* Host calls follow each other; each op starts some time after its call. */
static int put_round(struct mktrace *m, xs_u64 *now_ns)
{
	for (unsigned long i = 0; i < m->chunks; i++) {
		xs_u16 stream = (xs_u16)(i % m->streams);
		xs_u64 t = *now_ns;

		if (put_copy(m, t, t + 4000, stream, XS_DIR_H2D) ||
		    put_launch(m, t + 3000, t + 9500, stream) ||
		    put_copy(m, t + 6500, t + 16000, stream, XS_DIR_D2H))
			return -EIO;
		*now_ns += 10000;
	}
	for (unsigned long i = 0; i < m->records; i++) {
		if (put_wait(m, *now_ns, 900, SITE_RECORD, 0x5000u))
			return -EIO;
		*now_ns += 1000;
	}
	for (unsigned long i = 0; m->waits && i < m->streams; i++) {
		if (put_wait(m, *now_ns, 900, SITE_WAIT, 0x5000u + i))
			return -EIO;
		*now_ns += 1000;
	}
	if (put_wait(m, *now_ns, 20000, SITE_SYNC, 0))
		return -EIO;
	*now_ns += 25000;
	return 0;
}

static int make(struct mktrace *m)
{
	static const xs_u8 zeros[XS_PAGE_BYTES];
	xs_u64 now_ns = START_NS + 1000000;

	m->header = (struct xs_file_header){.magic = XS_FORMAT_MAGIC,
					    .version = XS_FORMAT_VERSION,
					    .header_bytes = sizeof(m->header),
					    .byte_order = XS_FORMAT_BYTE_ORDER,
					    .pid = 100,
					    .state = XS_FILE_CLOSED,
					    .start_realtime_ns = START_NS,
					    .tail_bytes = XS_PAGE_BYTES};
	if (fwrite(zeros, sizeof(zeros), 1, m->out) != 1 || put_tables(m))
		return -EIO;
	for (unsigned long i = 0; i < m->rounds; i++) {
		xs_u32 thread = 100 + (xs_u32)(i * m->threads / m->rounds);

		if (thread != m->calls.thread && flush_chunk(m, &m->calls))
			return -EIO;
		m->calls.thread = thread;
		m->copy_site = (xs_u16)(SITE_COPY_IN + i % m->phases);
		if (put_round(m, &now_ns))
			return -EIO;
	}
	if (m->graphs && mktrace_put_graphs(m, &now_ns))
		return -EIO;
	if (flush_chunk(m, &m->calls) || flush_chunk(m, &m->ops))
		return -EIO;
	m->header.end_realtime_ns = m->header.flush_realtime_ns = now_ns;
	if (fseek(m->out, 0, SEEK_SET) ||
	    fwrite(&m->header, sizeof(m->header), 1, m->out) != 1)
		return -EIO;
	return 0;
}

static unsigned long number(const char *text)
{
	unsigned long value = strtoul(text, NULL, 10);

	return value > 0 ? value : 1;
}

/* Returns false for an unknown option. */
static bool take_option(struct mktrace *m, int option)
{
	static const char letters[] = "rcstpegn";
	unsigned long *const numbers[] = {&m->rounds,  &m->chunks, &m->streams,
					  &m->threads, &m->phases, &m->records,
					  &m->graphs,  &m->nodes};

	if (option == 'w') {
		m->waits = 1;
	} else if (option == 'i') {
		if (m->info_count == MKTRACE_INFOS || strlen(optarg) > 500)
			return false;
		m->infos[m->info_count++] = optarg;
	} else {
		if (option == '?')
			return false;
		*numbers[strchr(letters, option) - letters] = number(optarg);
	}
	return true;
}

int main(int argc, char **argv)
{
	static struct mktrace m = {
	    .rounds = 10, .chunks = 1, .streams = 1, .threads = 1, .phases = 1};
	int option, rc;

	while ((option = getopt(argc, argv, "r:c:s:t:p:e:g:n:i:w")) != -1)
		if (!take_option(&m, option))
			return 1;
	if (optind + 1 != argc || m.streams > 65535 || m.phases > 60000) {
		fprintf(stderr, "xs_mktrace: give one file to write\n");
		return 1;
	}
	m.out = fopen(argv[optind], "wb");
	if (!m.out) {
		perror(argv[optind]);
		return 2;
	}
	rc = make(&m);
	if (fclose(m.out) || rc) {
		fprintf(stderr, "xs_mktrace: cannot write %s\n", argv[optind]);
		return 2;
	}
	return 0;
}
