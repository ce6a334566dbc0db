/* SPDX-License-Identifier: MIT */
/* Passes what was read of another tool's trace on as records. */
#include "analyzer/import/foreign_passer.h"

#include "analyzer/util/memory.h"
#include "analyzer/util/sort.h"

#include <stdlib.h>
#include <string.h>

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
	xs_foreign_begin_timed(p, &head, call->start_ns, call->end_ns,
			       call->site + 1);
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

	xs_foreign_begin_timed(p, &head, op->start_ns, op->end_ns, 0);
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
	xs_foreign_begin_timed(p, &head, range->start_ns, range->end_ns,
			       range->domain);
	memcpy(&record, &head, sizeof(head));
	xs_foreign_pass_record(
	    p, &record, range->process ? XS_REC_nvtx_process : XS_REC_nvtx,
	    sizeof(record));
}

/* In the order of their starts, so that few of them need a new base time. */
static void pass_ops(struct xs_foreign_passer *p)
{
	const struct xs_foreign *f = p->foreign;
	struct xs_key *keys = xs_calloc(f->op_count + 1, sizeof(*keys));

	for (size_t i = 0; i < f->op_count; i++)
		keys[i] = (struct xs_key){f->ops[i].start_ns, (uint32_t)i};
	xs_keys_sort(keys, f->op_count);
	for (size_t i = 0; i < f->op_count; i++)
		pass_op(p, &f->ops[keys[i].index]);
	free(keys);
}

static void pass_header(struct xs_foreign_passer *p)
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

	p->visitor->header(p->visitor->self, &header, 0, f->source_bytes);
}

void xs_foreign_pass(const struct xs_foreign *f,
		     const struct xs_trace_visitor *visitor)
{
	struct xs_foreign_passer p = {
	    .foreign = f, .visitor = visitor, .at = XS_PAGE_BYTES};

	p.base_ns = f->base_ns + f->begin_ns;
	pass_header(&p);
	xs_foreign_begin_chunk(&p);
	xs_foreign_pass_tables(&p);
	for (size_t i = 0; i < f->call_count; i++)
		pass_call(&p, &f->calls[i]);
	for (size_t i = 0; i < f->range_count; i++)
		pass_range(&p, &f->ranges[i]);
	pass_ops(&p);
}
