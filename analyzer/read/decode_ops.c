/* SPDX-License-Identifier: MIT */
#include "analyzer/read/decode.h"

#include "analyzer/util/sort.h"

/* Migrations of managed memory belong to no call: they are kept apart from the
 * ops. */
static void keep_op(struct xs_trace *trace, const struct xs_op *op)
{
	const bool migration = op->flags & XS_OP_MIGRATION;
	struct xs_op **ops = migration ? &trace->migrations : &trace->ops;
	size_t *count = migration ? &trace->migration_count : &trace->op_count;

	XS_ARRAY_ADD(*ops, *count, *op);
}

/* All op records begin with the fields of XS_FIELDS_OP_HEAD. */
static void add_op(struct xs_decoder *d, const struct xs_rec_kernel *head,
		   const struct xs_op *rest)
{
	uint64_t duration_ns =
	    head->duration == XS_WIDE32 ? d->wide_duration_ns : head->duration;
	struct xs_op op = *rest;
	uint32_t queue;

	xs_decoder_element(d, &d->queues, head->queue, &queue);
	op.start_ns = xs_decoder_after(d->base_ns, head->start);
	op.end_ns = xs_decoder_after(op.start_ns, duration_ns);
	op.correlation = head->correlation;
	op.call = XS_NONE;
	op.queue = (uint16_t)queue;
	if (op.copies == 0)
		op.copies = 1;
	if (op.end_ns > d->last_ns)
		d->last_ns = op.end_ns;
	if ((op.flags & XS_OP_MIGRATION) ||
	    xs_decoder_reads_op(d, op.start_ns, op.correlation)) {
		keep_op(d->trace, &op);
		return;
	}
	xs_decoder_skip_op(d, &op);
}

static bool on_device(uint8_t memory)
{
	return memory == XS_MEM_DEVICE || memory == XS_MEM_ARRAY;
}

static enum xs_op_kind copy_kind(const struct xs_rec_copy *rec)
{
	switch (rec->direction) {
	case XS_DIR_H2D:
		return XS_OP_H2D;
	case XS_DIR_D2H:
		return XS_OP_D2H;
	case XS_DIR_H2H:
		return XS_OP_H2H;
	case XS_DIR_D2D:
		return XS_OP_D2D;
	case XS_DIR_P2P:
		return XS_OP_P2P;
	}
	if (on_device(rec->src_memory))
		return on_device(rec->dst_memory) ? XS_OP_D2D : XS_OP_D2H;
	return on_device(rec->dst_memory) ? XS_OP_H2D : XS_OP_H2H;
}

/* The driver stages a copy between devices in host memory if neither can access
 * the other's: each has a part, with the host's direction and device memory at
 * both ends. */
static uint8_t staged_flag(const struct xs_rec_copy *rec)
{
	if (!on_device(rec->src_memory) || !on_device(rec->dst_memory))
		return 0;
	return rec->direction == XS_DIR_D2H   ? XS_OP_STAGED_OUT
	       : rec->direction == XS_DIR_H2D ? XS_OP_STAGED_IN
					      : 0;
}

static void take_copy(const struct xs_rec_copy *rec, struct xs_op *op)
{
	const uint8_t staged = staged_flag(rec);

	op->kind = staged ? XS_OP_P2P : (uint8_t)copy_kind(rec);
	op->bytes = rec->bytes;
	op->src_memory = rec->src_memory;
	op->dst_memory = rec->dst_memory;
	op->flags = (rec->flags & (uint8_t)~XS_OP_NOT_IN_FILES) | staged;
	op->copies = rec->copies;
	op->peer = rec->peer_device;
}

void xs_decoder_add_op(struct xs_decoder *d, const void *record)
{
	const struct xs_rec_kernel *kernel = record;
	const struct xs_rec_copy *copy = record;
	const struct xs_rec_set *set = record;
	struct xs_op op = {.shape = XS_NONE};

	switch (*(const xs_u8 *)record) {
	case XS_REC_kernel:
		op.kind = XS_OP_KERNEL;
		xs_decoder_element(d, &d->shapes, kernel->shape, &op.shape);
		break;
	case XS_REC_copy:
		take_copy(copy, &op);
		break;
	default:
		op.kind = XS_OP_SET;
		op.bytes = set->bytes;
		op.dst_memory = set->memory;
		op.flags = set->flags & (uint8_t)~XS_OP_NOT_IN_FILES;
		break;
	}
	add_op(d, record, &op);
}

void xs_decoder_add_graph_launch(struct xs_decoder *d,
				 const struct xs_rec_graph *rec)
{
	struct xs_trace *trace = d->trace;
	uint64_t duration_ns =
	    rec->duration == XS_WIDE32 ? d->wide_duration_ns : rec->duration;
	const uint64_t start_ns = xs_decoder_after(d->base_ns, rec->start);
	const uint64_t end_ns = xs_decoder_after(start_ns, duration_ns);
	uint32_t queue;

	if (end_ns > d->last_ns)
		d->last_ns = end_ns;
	if (!xs_decoder_reads_op(d, start_ns, rec->correlation))
		return;
	xs_decoder_element(d, &d->queues, rec->queue, &queue);
	const struct xs_graph_launch launch = {
	    .start_ns = start_ns,
	    .end_ns = end_ns,
	    .correlation = rec->correlation,
	    .exec = rec->exec,
	    .queue = (uint16_t)queue,
	    .by_node = rec->by_node != 0,
	};

	XS_ARRAY_ADD(trace->graph_launches, trace->graph_launch_count, launch);
}
