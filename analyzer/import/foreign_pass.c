/* SPDX-License-Identifier: MIT */
/* Passes what was read of another tool's trace on as records. */
#include "analyzer/import/foreign_passer.h"

#include "analyzer/util/large.h"
#include "analyzer/util/sort.h"

#include <errno.h>
#include <string.h>

/* A chunk ends after so many bytes, long before its size's 32 bits. */
#define CHUNK_BYTES (1u << 20)

static void begin_chunk(struct xs_foreign_passer *p)
{
	const struct xs_chunk_header chunk = {.magic = XS_CHUNK_MAGIC,
					      .thread = p->thread,
					      .base_ns = p->base_ns};

	p->at = (p->at + XS_PAGE_BYTES - 1) / XS_PAGE_BYTES * XS_PAGE_BYTES;
	p->chunk_at = p->at;
	p->at += sizeof(chunk);
	p->rc = p->visitor->chunk(p->visitor->self, p->chunk_at, &chunk);
}

void xs_foreign_pass_record(struct xs_foreign_passer *p, void *record,
			    xs_u8 kind, size_t bytes)
{
	xs_u8 *head = record;

	if (!p->rc && p->at - p->chunk_at > CHUNK_BYTES)
		begin_chunk(p);
	if (p->rc)
		return;
	head[0] = kind;
	head[1] = (xs_u8)(bytes / 4);
	p->rc = p->visitor->record(p->visitor->self, p->at, record);
	p->at += bytes;
}

void xs_foreign_pass_text(struct xs_foreign_passer *p, const void *fixed,
			  xs_u8 kind, size_t fixed_bytes, const char *text,
			  size_t length)
{
	_Alignas(8) xs_u8 record[XS_RECORD_MAX_BYTES + 4] = {0};
	const size_t room = XS_RECORD_MAX_BYTES - fixed_bytes;

	length = length < room ? length : room;
	memcpy(record, fixed, fixed_bytes);
	memcpy(record + fixed_bytes, text, length);
	xs_foreign_pass_record(p, record, kind,
			       (fixed_bytes + length + 3) / 4 * 4);
}

/* Fills the fields that all calls and ops begin with; passes what must come
 * before such a record. site: that of a call; 0 for ops. */
static void begin_timed(struct xs_foreign_passer *p, struct xs_rec_call *head,
			uint64_t start_ns, uint64_t end_ns, uint32_t site)
{
	const uint64_t duration_ns = end_ns > start_ns ? end_ns - start_ns : 0;
	struct xs_rec_wide wide = {.site = site, .duration_ns = duration_ns};

	start_ns += p->foreign->base_ns;
	/* a new chunk begins before, not between these records */
	if (!p->rc && p->at - p->chunk_at > CHUNK_BYTES - 1024)
		begin_chunk(p);
	if (start_ns < p->base_ns || start_ns - p->base_ns > UINT32_MAX) {
		struct xs_rec_time time = {.base_ns = start_ns};

		p->base_ns = start_ns;
		PASS(p, time, &time);
	}
	head->start = (xs_u32)(start_ns - p->base_ns);
	head->duration =
	    duration_ns < XS_WIDE32 ? (xs_u32)duration_ns : XS_WIDE32;
	if (site)
		head->site = site < XS_WIDE16 ? (xs_u16)site : XS_WIDE16;
	if (duration_ns >= XS_WIDE32 || site >= XS_WIDE16)
		PASS(p, wide, &wide);
}

static void pass_copycall(struct xs_foreign_passer *p,
			  const struct xs_foreign_call *call,
			  const struct xs_rec_call *head)
{
	struct xs_rec_copycall record = {.bytes = call->bytes,
					 .stream = call->stream,
					 .rows = 1,
					 .direction = call->direction,
					 .error = call->error};

	memcpy(&record, head, sizeof(*head));
	PASS(p, copycall, &record);
}

static void pass_memcall(struct xs_foreign_passer *p,
			 const struct xs_foreign_call *call,
			 const struct xs_rec_call *head)
{
	struct xs_rec_memcall record = {.address = call->address,
					.bytes = call->bytes,
					.stream = call->stream,
					.error = call->error};

	memcpy(&record, head, sizeof(*head));
	PASS(p, memcall, &record);
}

static void pass_waitcall(struct xs_foreign_passer *p,
			  const struct xs_foreign_call *call,
			  const struct xs_rec_call *head)
{
	struct xs_rec_waitcall record = {
	    .stream = call->stream, .event = call->event, .error = call->error};

	memcpy(&record, head, sizeof(*head));
	PASS(p, waitcall, &record);
}

static void pass_pollcall(struct xs_foreign_passer *p,
			  const struct xs_foreign_call *call,
			  const struct xs_rec_call *head)
{
	struct xs_rec_pollcall record = {.stream = call->stream,
					 .event = call->event,
					 .polls = 1,
					 .ready = call->error == 0,
					 .error = call->error};

	memcpy(&record, head, sizeof(*head));
	PASS(p, pollcall, &record);
}

static void set_thread(struct xs_foreign_passer *p, uint32_t tid)
{
	struct xs_rec_thread thread = {.tid = tid};

	if (tid != p->thread) {
		p->thread = tid;
		PASS(p, thread, &thread);
	}
}

/* A failed launch has the record of a wait, which has an error. */
static void pass_call(struct xs_foreign_passer *p,
		      const struct xs_foreign_call *call)
{
	const uint8_t class = call->call_class;
	struct xs_rec_call head = {.correlation = call->correlation};

	set_thread(p, call->thread);
	begin_timed(p, &head, call->start_ns, call->end_ns, call->site + 1);
	if (class == XS_CALL_COPY || class == XS_CALL_COPY_ASYNC ||
	    class == XS_CALL_SET || class == XS_CALL_SET_ASYNC ||
	    class == XS_CALL_PREFETCH)
		pass_copycall(p, call, &head);
	else if (xs_call_allocates(class) || xs_call_frees(class))
		pass_memcall(p, call, &head);
	else if (class == XS_CALL_POLL && !call->result_unknown)
		pass_pollcall(p, call, &head);
	else if ((class >= XS_CALL_SYNC_DEVICE &&
		  class <= XS_CALL_STREAM_DESTROY) ||
		 call->error)
		pass_waitcall(p, call, &head);
	else
		PASS(p, call, &head);
}

static void pass_op(struct xs_foreign_passer *p, const struct xs_foreign_op *op)
{
	struct xs_rec_call head = {.correlation = op->correlation,
				   .site = op->queue};
	struct xs_rec_kernel kernel = {.shape = op->shape + 1};
	struct xs_rec_copy copy = {.bytes = op->bytes,
				   .direction = op->direction,
				   .src_memory = op->src_memory,
				   .dst_memory = op->dst_memory,
				   .flags = op->flags,
				   .peer_device =
				       xs_foreign_peer(p->foreign, op),
				   .copies = op->copies ? op->copies : 1};
	struct xs_rec_set set = {
	    .bytes = op->bytes, .memory = op->dst_memory, .flags = op->flags};
	struct xs_rec_graph graph = {.exec = op->shape};

	begin_timed(p, &head, op->start_ns, op->end_ns, 0);
	memcpy(&kernel, &head, sizeof(head));
	memcpy(&copy, &head, sizeof(head));
	memcpy(&set, &head, sizeof(head));
	memcpy(&graph, &head, sizeof(head));
	if (op->kind == XS_REC_kernel)
		PASS(p, kernel, &kernel);
	else if (op->kind == XS_REC_copy)
		PASS(p, copy, &copy);
	else if (op->kind == XS_REC_set)
		PASS(p, set, &set);
	else
		PASS(p, graph, &graph);
}

/* The domain is where a call has its site. */
static void pass_range(struct xs_foreign_passer *p,
		       const struct xs_foreign_range *range)
{
	struct xs_rec_call head = {.correlation = range->name};
	struct xs_rec_nvtx record;

	_Static_assert(sizeof(head) == sizeof(record) &&
			   offsetof(struct xs_rec_call, correlation) ==
			       offsetof(struct xs_rec_nvtx, name),
		       "a range begins like a call");
	set_thread(p, range->thread);
	begin_timed(p, &head, range->start_ns, range->end_ns, range->domain);
	memcpy(&record, &head, sizeof(head));
	xs_foreign_pass_record(
	    p, &record, range->process ? XS_REC_nvtx_process : XS_REC_nvtx,
	    sizeof(record));
}

/* In the order of their starts, so that few of them need a new base time. */
static int pass_ops(struct xs_foreign_passer *p)
{
	const struct xs_foreign *f = p->foreign;
	struct xs_key *keys = xs_large_new(f->op_count + 1, sizeof(*keys));

	if (!keys)
		return -ENOMEM;
	for (size_t i = 0; i < f->op_count; i++)
		keys[i] = (struct xs_key){f->ops[i].start_ns, (uint32_t)i};
	xs_keys_sort(keys, f->op_count);
	for (size_t i = 0; i < f->op_count; i++)
		pass_op(p, &f->ops[keys[i].index]);
	xs_large_free(keys);
	return 0;
}

static int pass_header(struct xs_foreign_passer *p)
{
	const struct xs_foreign *f = p->foreign;
	const struct xs_file_header header = {
	    .magic = XS_FORMAT_MAGIC,
	    .version = XS_FORMAT_VERSION,
	    .header_bytes = sizeof(header),
	    .byte_order = XS_FORMAT_BYTE_ORDER,
	    .pid = f->pid,
	    .state = XS_FILE_CLOSED,
	    .start_realtime_ns = f->base_ns + f->begin_ns,
	    .flush_realtime_ns = f->base_ns + f->end_ns,
	    .end_realtime_ns = f->base_ns + f->end_ns};

	return p->visitor->header(p->visitor->self, &header, 0,
				  f->source_bytes);
}

int xs_foreign_pass(const struct xs_foreign *f,
		    const struct xs_trace_visitor *visitor)
{
	struct xs_foreign_passer p = {
	    .foreign = f, .visitor = visitor, .at = XS_PAGE_BYTES};
	int rc;

	p.base_ns = f->base_ns + f->begin_ns;
	p.rc = pass_header(&p);
	if (!p.rc)
		begin_chunk(&p);
	xs_foreign_pass_tables(&p);
	for (size_t i = 0; i < f->call_count && !p.rc; i++)
		pass_call(&p, &f->calls[i]);
	for (size_t i = 0; i < f->range_count && !p.rc; i++)
		pass_range(&p, &f->ranges[i]);
	rc = pass_ops(&p);
	return rc ? rc : p.rc;
}
