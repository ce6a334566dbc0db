/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline.h"

#include "analyzer/cover.h"
#include "analyzer/sort.h"
#include "analyzer/waits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_transfer(const struct xs_op *op)
{
	return op->kind == XS_OP_H2D || op->kind == XS_OP_D2H;
}

static void add_ops(const struct xs_trace *trace, struct xs_timeline *out)
{
	struct xs_cover busy[XS_OP_KINDS] = {{0, 0}}, gpu = {0, 0};
	struct xs_overlap overlap = {0};

	for (size_t i = 0; i < trace->op_count; i++) {
		const struct xs_op *op = &trace->ops[i];

		out->bytes[op->kind] += op->bytes;
		out->count[op->kind] += op->copies;
		out->sum_ns[op->kind] += op->end_ns - op->start_ns;
		xs_cover_add(&busy[op->kind], op->start_ns, op->end_ns);
		xs_cover_add(&gpu, op->start_ns, op->end_ns);
		xs_overlap_add(&overlap, op);
		if (is_transfer(op) && (op->flags & XS_OP_ASYNC) &&
		    (op->src_memory == XS_MEM_PAGEABLE ||
		     op->dst_memory == XS_MEM_PAGEABLE))
			out->pageable_async_ops++;
	}
	for (size_t kind = 0; kind < XS_OP_KINDS; kind++)
		out->busy_ns[kind] = busy[kind].total_ns;
	out->gpu_busy_ns = gpu.total_ns;
	out->overlap_ns = xs_overlap_ns(&overlap);
}

/* Time that a thread spends in blocking calls, summed over threads. */
static int add_calls(const struct xs_trace *trace, struct xs_timeline *out)
{
	struct xs_key *keys = malloc((trace->call_count + 1) * sizeof(*keys));
	bool *blocks = xs_calls_blocked(trace);
	struct xs_cover blocked = {0, 0};
	int rc = -ENOMEM;

	if (!keys || !blocks)
		goto out;
	for (size_t i = 0; i < trace->call_count; i++)
		keys[i] = (struct xs_key){trace->calls[i].thread, (uint32_t)i};
	rc = xs_keys_sort(keys, trace->call_count);
	for (size_t i = 0; !rc && i < trace->call_count; i++) {
		const struct xs_call *call = &trace->calls[keys[i].index];
		uint64_t start_ns =
		    xs_init_call_start_ns(&out->init, trace, keys[i].index);

		if (i > 0 && keys[i].key != keys[i - 1].key)
			blocked.end_ns = 0;
		if (call->call_class == XS_CALL_ALLOC_PINNED ||
		    call->call_class == XS_CALL_REGISTER)
			out->pinned_alloc_ns += call->end_ns - start_ns;
		if (blocks[keys[i].index])
			xs_cover_add(&blocked, start_ns, call->end_ns);
	}
	out->host_blocked_ns = blocked.total_ns;
out:
	free(keys);
	free(blocks);
	return rc;
}

int xs_timeline_build(const struct xs_trace *trace, struct xs_timeline *out)
{
	memset(out, 0, sizeof(*out));
	out->wall_ns = trace->end_ns - trace->begin_ns;
	add_ops(trace, out);
	xs_init_find(trace, &out->init);
	return add_calls(trace, out);
}
