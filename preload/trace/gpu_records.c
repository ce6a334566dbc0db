/* SPDX-License-Identifier: MIT */
#include "preload/trace/gpu_records.h"
#include "preload/callstack/site.h"
#include "preload/sampling/capture_mode.h"
#include "preload/sampling/op_tracker.h"
#include "preload/sampling/sample_window.h"
#include "preload/trace/writer.h"
#include "preload/util/clock.h"
#include "preload/util/intern.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST_DEFAULT_STREAMS 256

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct xs_writer writer;
static struct xs_intern names, shapes, queues;
static uint32_t next_shape = 1;
static uint32_t next_queue;
static uint64_t devices_seen;
static uint64_t last_end_ns;

static struct default_stream {
	uint32_t context, stream;
	uint16_t kind;
} default_streams[MOST_DEFAULT_STREAMS];
static unsigned default_stream_count;

void xs_gpu_records_open(struct xs_trace_file *trace)
{
	xs_writer_open(&writer, trace, 0);
}

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

	pthread_mutex_lock(&lock);
	if (queue_kind(&queue) == XS_QUEUE_STREAM &&
	    default_stream_count < MOST_DEFAULT_STREAMS)
		default_streams[default_stream_count++] =
		    (struct default_stream){context, stream, kind};
	pthread_mutex_unlock(&lock);
}

/* A queue's number + 1. The record has 16 bits; streams beyond share the last.
 */
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

	if (next_queue == XS_WIDE16 - 1u)
		return next_queue;
	if (xs_writer_plain(&writer, &record, NULL, 0))
		return 0;
	return ++next_queue;
}

static uint32_t new_name(const void *name)
{
	const uint32_t id = xs_strings_new_id();

	return xs_writer_string(&writer, id, name) ? 0 : id;
}

static uint32_t new_shape(const void *key)
{
	const struct xs_gpu_shape *shape = key;
	struct xs_rec_shape record = {
	    XS_RECORD(shape),
	    .registers = shape->registers,
	    .shape = next_shape,
	    .name = shape->name,
	    .grid_x = shape->grid[0],
	    .grid_y = shape->grid[1],
	    .grid_z = shape->grid[2],
	    .block_x = shape->block[0],
	    .block_y = shape->block[1],
	    .block_z = shape->block[2],
	    .local_bytes = shape->local_bytes < UINT16_MAX
			       ? (xs_u16)shape->local_bytes
			       : UINT16_MAX,
	    .shared_static_bytes = shape->shared_static_bytes,
	    .shared_dynamic_bytes = shape->shared_dynamic_bytes,
	};

	return xs_writer_plain(&writer, &record, NULL, 0) ? 0 : next_shape++;
}

/* What `make` returned for a key, which it writes at first sight: its number in
 * the trace, and of a queue that + 1; 0: there was no room for it. */
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

/* Writes an op, or counts it. numbered: what else it refers to has numbers. */
static void write_op(const struct xs_gpu_op *op, bool numbered, void *record)
{
	const uint32_t queue =
	    numbered
		? number_of(&queues, &op->queue, sizeof(op->queue), new_queue)
		: 0;

	if (!queue || xs_writer_timed(&writer, record, queue - 1, op->start_ns,
				      op->end_ns)) {
		xs_trace_file_lose(writer.trace, XS_LOSS_OPS, 1);
		return;
	}
	if (op->queue.device < 64)
		devices_seen |= 1ull << op->queue.device;
	if (op->end_ns > last_end_ns)
		last_end_ns = op->end_ns;
}

/* Whether an op is to be written. Without its times it says nothing: that it
 * was is counted, if it is of a call that is known; and none is known of what
 * came after a window. */
static bool is_wanted(const struct xs_gpu_op *op)
{
	xs_op_tracker_note_op(op->correlation);
	if (atomic_load_explicit(&xs_capture_mode_is_limited,
				 memory_order_relaxed))
		xs_op_tracker_op_arrived(op->correlation);
	if (xs_sample_window_is_past(op->correlation))
		return false;
	if (op->start_ns && op->end_ns)
		return true;
	if (!xs_sample_window_has_all())
		xs_trace_file_lose(writer.trace, XS_LOSS_OPS, 1);
	return false;
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

	if (!is_wanted(op))
		return;
	pthread_mutex_lock(&lock);
	write_op(op, true, &record);
	pthread_mutex_unlock(&lock);
}

void xs_gpu_records_set(const struct xs_gpu_op *op)
{
	struct xs_rec_set record = {
	    XS_RECORD(set),	.correlation = op->correlation,
	    .bytes = op->bytes, .memory = op->dst_memory,
	    .flags = op->flags, .value = op->value,
	};

	if (!is_wanted(op))
		return;
	pthread_mutex_lock(&lock);
	write_op(op, true, &record);
	pthread_mutex_unlock(&lock);
}

void xs_gpu_records_kernel(const struct xs_gpu_op *op, const char *name,
			   struct xs_gpu_shape *shape)
{
	struct xs_rec_kernel record = {XS_RECORD(kernel),
				       .correlation = op->correlation};

	if (!is_wanted(op))
		return;
	pthread_mutex_lock(&lock);
	if (!shape->name)
		shape->name = name_number(name ? name : "");
	if (shape->name)
		record.shape =
		    number_of(&shapes, shape, sizeof(*shape), new_shape);
	write_op(op, record.shape != 0, &record);
	pthread_mutex_unlock(&lock);
}

uint32_t xs_gpu_records_name(const char *name)
{
	uint32_t number;

	pthread_mutex_lock(&lock);
	number = name_number(name);
	pthread_mutex_unlock(&lock);
	return number;
}

void xs_gpu_records_counters(const struct xs_gpu_counts *counts,
			     const char *name)
{
	struct xs_rec_counters record = {
	    XS_RECORD(counters),
	    .device = counts->device,
	    .correlation = counts->correlation,
	    .grid_x = counts->grid[0],
	    .grid_y = counts->grid[1],
	    .grid_z = counts->grid[2],
	    .block_x = counts->block[0],
	    .block_y = counts->block[1],
	    .block_z = counts->block[2],
	    .launch = counts->launch,
	    .sectors_read = counts->sectors_read,
	    .sectors_written = counts->sectors_written,
	    .requests_read = counts->requests_read,
	    .requests_written = counts->requests_written,
	    .host_sectors_read = counts->host_sectors_read,
	    .host_sectors_written = counts->host_sectors_written,
	    .instructions = counts->instructions,
	};

	pthread_mutex_lock(&lock);
	record.name = name_number(name);
	if (record.name)
		xs_writer_plain(&writer, &record, NULL, 0);
	pthread_mutex_unlock(&lock);
}

void xs_trace_info(const char *key, const char *format, ...)
{
	struct xs_rec_info record = {XS_RECORD(info)};
	char text[XS_RECORD_MAX_BYTES];
	int length = snprintf(text, sizeof(text), "%s=", key);
	size_t left = sizeof(text) - (size_t)length;
	struct timespec until;
	va_list args;

	va_start(args, format);
	vsnprintf(text + length, left, format, args);
	va_end(args);
	/* Written at exit too, perhaps from a signal handler that interrupted
	 * the owner of the lock: not forever. */
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	if (pthread_mutex_timedlock(&lock, &until))
		return;
	xs_writer_plain(&writer, &record, text, strlen(text));
	pthread_mutex_unlock(&lock);
}

void xs_trace_info_clock(uint64_t cupti_ns)
{
	struct xs_rec_clock record = {
	    XS_RECORD(clock),
	    .realtime_ns = xs_clock_realtime_ns(),
	    .monotonic_ns = xs_clock_ns(CLOCK_MONOTONIC),
	    .cupti_ns = cupti_ns,
	};

	pthread_mutex_lock(&lock);
	xs_writer_plain(&writer, &record, NULL, 0);
	pthread_mutex_unlock(&lock);
}

void xs_trace_info_detail(enum xs_detail detail, uint64_t time_ns)
{
	struct xs_rec_detail record = {XS_RECORD(detail), .detail = detail,
				       .time_ns = time_ns};

	pthread_mutex_lock(&lock);
	xs_writer_plain(&writer, &record, NULL, 0);
	pthread_mutex_unlock(&lock);
}

void xs_trace_info_loss(enum xs_loss what, uint64_t count)
{
	struct xs_rec_loss record = {
	    XS_RECORD(loss),
	    .what = (xs_u16)what,
	    .count = count,
	    .last_ns = xs_clock_realtime_ns(),
	};

	pthread_mutex_lock(&lock);
	xs_writer_plain(&writer, &record, NULL, 0);
	pthread_mutex_unlock(&lock);
}

void xs_trace_info_context(void)
{
	struct xs_rec_context record = {
	    XS_RECORD(context),
	    .tid = (xs_u32)syscall(SYS_gettid),
	    .time_ns = xs_clock_realtime_ns(),
	};

	pthread_mutex_lock(&lock);
	xs_writer_plain(&writer, &record, NULL, 0);
	pthread_mutex_unlock(&lock);
}

void xs_trace_info_device(const struct xs_rec_device *device, const char *name)
{
	struct xs_rec_device record = *device;

	pthread_mutex_lock(&lock);
	xs_writer_plain(&writer, &record, name, strlen(name));
	pthread_mutex_unlock(&lock);
}

uint64_t xs_gpu_records_devices(void)
{
	uint64_t seen;

	pthread_mutex_lock(&lock);
	seen = devices_seen;
	pthread_mutex_unlock(&lock);
	return seen;
}

uint64_t xs_gpu_records_last_end_ns(void)
{
	uint64_t end_ns;

	pthread_mutex_lock(&lock);
	end_ns = last_end_ns;
	pthread_mutex_unlock(&lock);
	return end_ns;
}
