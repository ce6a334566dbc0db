/* SPDX-License-Identifier: MIT */
#include "analyzer/read/decode.h"

#include "analyzer/util/sort.h"

#include <errno.h>

/* All call records begin with the fields of struct xs_rec_call. */
static void add_call(struct xs_decoder *d, const struct xs_rec_call *rec,
		     const struct xs_call *rest)
{
	uint64_t duration_ns =
	    rec->duration == XS_WIDE32 ? d->wide_duration_ns : rec->duration;
	uint32_t site = rec->site == XS_WIDE16 ? d->wide_site : rec->site;
	struct xs_call call = *rest;

	call.start_ns = xs_decoder_after(d->base_ns, rec->start);
	call.end_ns = xs_decoder_after(call.start_ns, duration_ns);
	call.thread = d->thread;
	call.correlation = rec->correlation;
	if (call.end_ns > d->last_ns)
		d->last_ns = call.end_ns;
	xs_decoder_element(d, &d->sites, site, &call.site);
	if (!xs_read_windows_have_call(&d->windows, call.start_ns)) {
		xs_decoder_skip_call(d, &call);
		return;
	}
	XS_ARRAY_ADD(d->trace->calls, d->trace->call_count, call);
}

static void add_loss(struct xs_decoder *d, const struct xs_rec_loss *rec)
{
	if (rec->what < sizeof(d->losses) / sizeof(*d->losses))
		d->losses[rec->what] =
		    xs_decoder_after(d->losses[rec->what], rec->count);
}

static void decode_call(struct xs_decoder *d, const void *record)
{
	const struct xs_rec_copycall *copy = record;
	const struct xs_rec_memcall *mem = record;
	const struct xs_rec_waitcall *wait = record;
	const struct xs_rec_pollcall *poll = record;
	struct xs_call rest = {0};

	switch (*(const xs_u8 *)record) {
	case XS_REC_copycall:
		rest = (struct xs_call){.bytes = copy->bytes,
					.dst = copy->dst,
					.src = copy->src,
					.stream = copy->stream,
					.rows = copy->rows,
					.direction = (uint8_t)copy->direction,
					.error = copy->error};
		break;
	case XS_REC_memcall:
		rest = (struct xs_call){.bytes = mem->bytes,
					.dst = mem->address,
					.stream = mem->stream,
					.error = mem->error};
		break;
	case XS_REC_waitcall:
		rest = (struct xs_call){.stream = wait->stream,
					.event = wait->event,
					.error = wait->error};
		break;
	case XS_REC_pollcall:
		rest = (struct xs_call){.stream = poll->stream,
					.event = poll->event,
					.rows = poll->polls,
					.done = poll->error == 0,
					.waited = poll->error == 0 &&
						  poll->ready < poll->polls};
		break;
	}
	add_call(d, record, &rest);
}

/* Faults, contents and pointers records begin with the same fields as the
 * record of their call. */
static void add_faults(struct xs_decoder *d, const struct xs_rec_faults *rec)
{
	struct xs_trace *trace = d->trace;
	const struct xs_faults faults = {
	    .call = XS_NONE,
	    .thread = d->thread,
	    .start_ns = xs_decoder_after(d->base_ns, rec->start),
	    .minor = rec->minor,
	    .major = rec->major,
	    .page_bytes = rec->page_bytes,
	};

	XS_ARRAY_ADD(trace->faults, trace->fault_count, faults);
}

static void add_content(struct xs_decoder *d, const struct xs_rec_content *rec)
{
	struct xs_trace *trace = d->trace;
	const struct xs_content content = {
	    .call = XS_NONE,
	    .thread = d->thread,
	    .start_ns = xs_decoder_after(d->base_ns, rec->start),
	    .hash = rec->hash,
	    .hashed_bytes = rec->hashed_bytes,
	};

	XS_ARRAY_ADD(trace->contents, trace->content_count, content);
}

static void add_hashing(struct xs_decoder *d, const struct xs_rec_hashing *rec)
{
	struct xs_trace *trace = d->trace;
	struct xs_content *last;

	if (!trace->content_count)
		return;
	last = &trace->contents[trace->content_count - 1];
	if (last->thread == d->thread &&
	    last->start_ns == xs_decoder_after(d->base_ns, rec->start))
		last->hash_ns = rec->duration;
}

static void add_pointers(struct xs_decoder *d,
			 const struct xs_rec_pointers *rec)
{
	struct xs_trace *trace = d->trace;
	const struct xs_pointers pointers = {
	    .call = XS_NONE,
	    .thread = d->thread,
	    .start_ns = xs_decoder_after(d->base_ns, rec->start),
	    .known = rec->known,
	    .count = rec->count,
	    .addresses = {rec->address0, rec->address1, rec->address2,
			  rec->address3},
	};

	XS_ARRAY_ADD(trace->pointers, trace->pointers_count, pointers);
}

static void decode_detail(struct xs_decoder *d, const void *record)
{
	const struct xs_rec_call *head = record;

	if (!xs_read_windows_have_call(
		&d->windows, xs_decoder_after(d->base_ns, head->start)))
		return;
	switch (*(const xs_u8 *)record) {
	case XS_REC_faults:
		add_faults(d, record);
		return;
	case XS_REC_content:
		add_content(d, record);
		return;
	case XS_REC_hashing:
		add_hashing(d, record);
		return;
	default:
		add_pointers(d, record);
		return;
	}
}

static void add_nvtx(struct xs_decoder *d, const struct xs_rec_nvtx *rec)
{
	struct xs_trace *trace = d->trace;
	const uint64_t start_ns = xs_decoder_after(d->base_ns, rec->start);
	const uint64_t end_ns = xs_decoder_after(
	    start_ns,
	    rec->duration == XS_WIDE32 ? d->wide_duration_ns : rec->duration);
	struct xs_nvtx *nvtx;

	if (end_ns > d->last_ns)
		d->last_ns = end_ns;
	if (!xs_read_windows_have_span(&d->windows, start_ns, end_ns))
		return;
	nvtx = xs_array_grow(trace->nvtx, trace->nvtx_count, sizeof(*nvtx));
	trace->nvtx = nvtx;
	nvtx += trace->nvtx_count++;
	nvtx->start_ns = start_ns;
	nvtx->end_ns = end_ns;
	nvtx->thread = d->thread;
	nvtx->process = rec->kind == XS_REC_nvtx_process;
	xs_decoder_element(d, &d->strings,
			   rec->domain == XS_WIDE16 ? d->wide_site
						    : rec->domain,
			   &nvtx->domain);
	xs_decoder_element(d, &d->strings, rec->name, &nvtx->name);
}

static void decode_work(struct xs_decoder *d, const void *record)
{
	switch (*(const xs_u8 *)record) {
	case XS_REC_loss:
		add_loss(d, record);
		break;
	case XS_REC_call:
	case XS_REC_copycall:
	case XS_REC_memcall:
	case XS_REC_waitcall:
	case XS_REC_pollcall:
		decode_call(d, record);
		break;
	case XS_REC_nvtx:
	case XS_REC_nvtx_process:
		add_nvtx(d, record);
		break;
	case XS_REC_faults:
	case XS_REC_content:
	case XS_REC_hashing:
	case XS_REC_pointers:
		decode_detail(d, record);
		break;
	case XS_REC_kernel:
	case XS_REC_copy:
	case XS_REC_set:
		xs_decoder_add_op(d, record);
		break;
	case XS_REC_graph:
		xs_decoder_add_graph_launch(d, record);
		break;
	default:
		xs_decoder_add_entry(d, record);
	}
}

/* The first three are of the records that follow. */
static void decode(struct xs_decoder *d, const void *record)
{
	const struct xs_rec_time *time = record;
	const struct xs_rec_wide *wide = record;
	const struct xs_rec_thread *thread = record;

	switch (*(const xs_u8 *)record) {
	case XS_REC_time:
		d->base_ns = time->base_ns;
		break;
	case XS_REC_wide:
		d->wide_site = wide->site;
		d->wide_duration_ns = wide->duration_ns;
		break;
	case XS_REC_thread:
		d->thread = thread->tid;
		break;
	default:
		decode_work(d, record);
	}
}

/* Without a wide record before it, the mark XS_WIDE32 is taken as the value. */
static void forget_wide(struct xs_decoder *d)
{
	d->wide_site = 0;
	d->wide_duration_ns = XS_WIDE32;
}

static void on_header(void *self, const struct xs_file_header *header,
		      uint64_t file_bytes, uint64_t source_bytes)
{
	struct xs_decoder *d = self;

	d->trace->header = *header;
	d->trace->file_bytes = file_bytes;
	if (d->most_records)
		xs_survey_choose(&d->survey, d->most_records, &d->windows);
	xs_decoder_start_tables(d, source_bytes);
}

static void on_chunk(void *self, uint64_t at,
		     const struct xs_chunk_header *chunk)
{
	struct xs_decoder *d = self;

	xs_again_begin(&d->again, at);
	d->trace->used_end = at + chunk->used_bytes;
	d->trace->chunks_end = at + chunk->capacity_bytes;
	d->base_ns = chunk->base_ns;
	d->thread = chunk->thread;
	forget_wide(d);
}

/* The repeated record is missing. In a chunk without a thread, which the
 * collector wrote, it was an op. */
static void lose_again(struct xs_decoder *d, uint64_t at)
{
	d->undefined[d->thread ? XS_LOSS_CALLS : XS_LOSS_OPS]++;
	xs_decoder_defect(d, at, "the repeated record is missing");
}

static void on_record(void *self, uint64_t at, const xs_u8 *record)
{
	struct xs_decoder *d = self;
	size_t least = d->fixed_bytes[record[0]];

	d->at = at;
	if (least == 0) {
		d->trace->unknown_records++;
		return;
	}
	if (record[1] * 4u < least) {
		xs_decoder_defect(d, at, "the record is too short");
		return;
	}
	if (xs_again_expand(&d->again, at, &record))
		lose_again(d, at);
	else
		decode(d, record);
	if (record[0] != XS_REC_wide)
		forget_wide(d);
}

static void on_defect(void *self, uint64_t at, const char *text)
{
	xs_decoder_defect(self, at, text);
}

void xs_decoder_init(struct xs_decoder *d, struct xs_trace *trace,
		     uint64_t most_records, struct xs_trace_visitor *visitor)
{
	*d = (struct xs_decoder){.trace = trace, .most_records = most_records};
#define FIXED_BYTES(number, name)                                              \
	d->fixed_bytes[number] = sizeof(struct xs_rec_##name);
	XS_RECORDS(FIXED_BYTES)
#undef FIXED_BYTES
	*visitor = (struct xs_trace_visitor){.self = d,
					     .header = on_header,
					     .chunk = on_chunk,
					     .record = on_record,
					     .defect = on_defect};
	if (!most_records)
		return;
	xs_survey_init(&d->survey, &d->survey_visitor);
	visitor->survey = &d->survey_visitor;
	visitor->survey_bytes = most_records * sizeof(struct xs_rec_again);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void xs_decoder_finish(struct xs_decoder *d)
{
	struct xs_trace *trace = d->trace;
	const struct xs_file_header *header = &trace->header;

	XS_EACH_MUTABLE(call, trace->calls, trace->call_count) {
		call->call_class = trace->sites[call->site].call_class;
	}
	trace->lost_calls = xs_decoder_after(
	    larger(header->lost_calls, d->losses[XS_LOSS_CALLS]),
	    d->undefined[XS_LOSS_CALLS]);
	trace->lost_ops =
	    xs_decoder_after(larger(header->lost_ops, d->losses[XS_LOSS_OPS]),
			     d->undefined[XS_LOSS_OPS]);
	trace->lost_cupti =
	    larger(header->lost_cupti, d->losses[XS_LOSS_CUPTI]);

	trace->untimed = d->losses[XS_LOSS_UNTIMED];
	trace->lost_nvtx = d->losses[XS_LOSS_NVTX];

	trace->begin_ns = header->start_realtime_ns;
	trace->end_ns = larger(trace->begin_ns, d->last_ns);
	trace->end_ns = larger(trace->end_ns, header->end_realtime_ns);
	/* one that was closed ends then: a later flush is damage */
	if (header->state != XS_FILE_CLOSED)
		trace->end_ns =
		    larger(trace->end_ns, header->flush_realtime_ns);
	if (d->ignored_from_ns && trace->end_ns > d->ignored_from_ns)
		trace->ignored_ns += trace->end_ns - d->ignored_from_ns;
	if (d->counted_from_ns && trace->end_ns > d->counted_from_ns)
		trace->counted_ns += trace->end_ns - d->counted_from_ns;
	if (trace->ignored_ns > trace->end_ns - trace->begin_ns)
		trace->ignored_ns = trace->end_ns - trace->begin_ns;
	if (d->windows.count)
		xs_decoder_finish_windows(d);
	xs_decoder_finish_tables(d);
}
