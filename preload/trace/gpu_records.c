/* SPDX-License-Identifier: MIT */
#include "preload/trace/gpu_records.h"
#include "preload/trace/shared_writer.h"
#include "preload/trace/strings.h"
#include "preload/util/intern.h"

#include <string.h>

#define MAX_DEFAULT_STREAMS 256
#define SEEN_LAUNCHES	    64u /* graph launches that ran about the same time */

static struct xs_intern names, shapes, queues;
static uint32_t next_shape = 1;
static uint32_t next_queue;
static uint64_t devices_seen;
static uint64_t last_end_ns;

static struct default_stream {
	uint32_t context, stream;
	uint16_t kind;
} default_streams[MAX_DEFAULT_STREAMS];
static unsigned default_stream_count;

static uint16_t queue_kind(const struct xs_gpu_queue *queue)
{
	if (queue->context == XS_GPU_NO_CONTEXT)
		return XS_QUEUE_MIGRATION;
	for (unsigned i = 0; i < default_stream_count; i++)
		if (default_streams[i].context == queue->context &&
		    default_streams[i].stream == queue->stream)
			return default_streams[i].kind;
	return XS_QUEUE_STREAM;
}

void xs_gpu_records_note_stream(uint32_t context, uint32_t stream,
				uint16_t kind)
{
	const struct xs_gpu_queue queue = {.context = context,
					   .stream = stream};

	xs_shared_writer_lock();
	if (queue_kind(&queue) == XS_QUEUE_STREAM &&
	    default_stream_count < MAX_DEFAULT_STREAMS)
		default_streams[default_stream_count++] =
		    (struct default_stream){context, stream, kind};
	xs_shared_writer_unlock();
}

static void note_shared_queue(void)
{
	static const char text[] = "note=more than 65,534 streams were used: "
				   "the later ones count as one stream";
	static bool is_noted;
	struct xs_rec_info record = {XS_RECORD(info)};

	if (!is_noted)
		is_noted = !xs_writer_plain(&xs_shared_writer, &record, text,
					    strlen(text));
}

/* Returns a queue's number + 1. The record has 16 bits; further streams share
 * the last number. */
static uint32_t new_queue(const void *key)
{
	const struct xs_gpu_queue *queue = key;
	struct xs_rec_queue record = {
	    XS_RECORD(queue),
	    .queue = (xs_u16)next_queue,
	    .device = (xs_u16)queue->device,
	    .queue_kind = queue_kind(queue),
	    .context = queue->context,
	    .stream = queue->stream,
	};

	if (next_queue == XS_WIDE16 - 1u) {
		note_shared_queue();
		return next_queue;
	}
	if (xs_writer_plain(&xs_shared_writer, &record, NULL, 0))
		return 0;
	return ++next_queue;
}

static uint32_t new_name(const void *name)
{
	const uint32_t id = xs_strings_new_id();

	return xs_writer_string(&xs_shared_writer, id, name) ? 0 : id;
}

static uint32_t new_shape(const void *key)
{
	struct xs_rec_shape record = *(const struct xs_rec_shape *)key;

	record.kind = XS_REC_shape;
	record.words = sizeof(record) / 4;
	record.shape = next_shape;
	return xs_writer_plain(&xs_shared_writer, &record, NULL, 0)
		   ? 0
		   : next_shape++;
}

/* Returns the number of a key in the trace (for a queue the number + 1). `make`
 * writes the key's record when it is new. 0 if there was no space. */
static uint32_t number_of(struct xs_intern *table, const void *key,
			  size_t bytes, uint32_t (*make)(const void *))
{
	uint32_t *slot = xs_intern_number(table, key, bytes);

	if (!slot)
		return 0;
	if (*slot == 0)
		*slot = make(key);
	return *slot;
}

static uint32_t name_number(const char *name)
{
	return number_of(&names, name, strlen(name), new_name);
}

/* Writes an op, or counts it as lost. numbered: the other ids that it refers to
 * were written. */
static void write_op(const struct xs_gpu_op *op, bool numbered, void *record)
{
	const uint32_t queue =
	    numbered
		? number_of(&queues, &op->queue, sizeof(op->queue), new_queue)
		: 0;

	if (!queue || xs_writer_timed(&xs_shared_writer, record, queue - 1,
				      op->start_ns, op->end_ns)) {
		xs_trace_file_lose(xs_shared_writer.trace, XS_LOSS_OPS, 1);
		return;
	}
	if (op->queue.device < 64)
		devices_seen |= 1ull << op->queue.device;
	if (op->end_ns > last_end_ns)
		last_end_ns = op->end_ns;
}

void xs_gpu_records_copy(const struct xs_gpu_op *op)
{
	struct xs_rec_copy record = {
	    XS_RECORD(copy),
	    .correlation = op->correlation,
	    .bytes = op->bytes,
	    .direction = op->direction,
	    .src_memory = op->src_memory,
	    .dst_memory = op->dst_memory,
	    .flags = op->flags,
	    .peer_device = op->peer_device,
	    .copies = op->copies,
	};

	xs_shared_writer_lock();
	write_op(op, true, &record);
	xs_shared_writer_unlock();
}

void xs_gpu_records_set(const struct xs_gpu_op *op)
{
	struct xs_rec_set record = {
	    XS_RECORD(set),	.correlation = op->correlation,
	    .bytes = op->bytes, .memory = op->dst_memory,
	    .flags = op->flags, .value = op->value,
	};

	xs_shared_writer_lock();
	write_op(op, true, &record);
	xs_shared_writer_unlock();
}

void xs_gpu_records_kernel(const struct xs_gpu_op *op, const char *name,
			   struct xs_rec_shape *shape)
{
	struct xs_rec_kernel record = {XS_RECORD(kernel),
				       .correlation = op->correlation};

	xs_shared_writer_lock();
	if (!shape->name)
		shape->name = name_number(name ? name : "");
	if (shape->name)
		record.shape =
		    number_of(&shapes, shape, sizeof(*shape), new_shape);
	write_op(op, record.shape != 0, &record);
	xs_shared_writer_unlock();
}

/* Returns whether this node's launch is already in the trace, and remembers it.
 * The nodes of a launch arrive nearly in a row. */
static bool has_launch(const struct xs_gpu_op *op, uint32_t exec)
{
	static struct {
		uint32_t correlation, exec;
	} seen[SEEN_LAUNCHES];
	const uint32_t i = op->correlation % SEEN_LAUNCHES;
	const bool has =
	    seen[i].correlation == op->correlation && seen[i].exec == exec;

	seen[i].correlation = op->correlation;
	seen[i].exec = exec;
	return has;
}

void xs_gpu_records_graph(const struct xs_gpu_op *op, uint32_t exec,
			  bool by_node)
{
	struct xs_rec_graph record = {
	    XS_RECORD(graph),
	    .correlation = op->correlation,
	    .exec = exec,
	    .by_node = by_node,
	};

	struct xs_gpu_op launch = *op;

	if (by_node)
		launch.end_ns = launch.start_ns;
	xs_shared_writer_lock();
	if (!by_node || !has_launch(op, exec))
		write_op(&launch, true, &record);
	xs_shared_writer_unlock();
}

uint32_t xs_gpu_records_name(const char *name)
{
	uint32_t number;

	xs_shared_writer_lock();
	number = name_number(name);
	xs_shared_writer_unlock();
	return number;
}

void xs_gpu_records_counters(struct xs_rec_counters *counters,
			     struct xs_rec_fills *fills,
			     struct xs_rec_accesses *accesses, const char *name)
{
	xs_shared_writer_lock();
	counters->name = name_number(name);
	if (counters->name)
		xs_writer_plain(&xs_shared_writer, counters, NULL, 0);
	if (counters->name && fills->sectors != XS_UNCOUNTED)
		xs_writer_plain(&xs_shared_writer, fills, NULL, 0);
	if (counters->name && accesses->store_sectors != XS_UNCOUNTED)
		xs_writer_plain(&xs_shared_writer, accesses, NULL, 0);
	xs_shared_writer_unlock();
}

uint64_t xs_gpu_records_devices(void)
{
	uint64_t seen;

	xs_shared_writer_lock();
	seen = devices_seen;
	xs_shared_writer_unlock();
	return seen;
}

uint64_t xs_gpu_records_last_end_ns(void)
{
	uint64_t end_ns;

	xs_shared_writer_lock();
	end_ns = last_end_ns;
	xs_shared_writer_unlock();
	return end_ns;
}
