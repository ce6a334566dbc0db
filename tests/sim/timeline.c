/* SPDX-License-Identifier: MIT */
/* Streams, events, and the worker thread of each device. */
#include "tests/sim/model.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct device {
	pthread_mutex_t lock;
	pthread_cond_t work, done; /* queue not empty; something performed */
	struct xs_sim_op *head, **tail;
	uint64_t issued, performed; /* sequence numbers */
	uint64_t awaited;	    /* the first that a thread waits for */
	uint64_t launches;
	struct xs_sim_model model;
	struct xs_sim_stream legacy;
};

static struct device devices[XS_SIM_MAX_DEVICES];
static _Thread_local struct xs_sim_stream *per_thread[XS_SIM_MAX_DEVICES];
static uint32_t last_stream_id = 13; /* the first ids are the driver's own */
static pthread_mutex_t id_lock = PTHREAD_MUTEX_INITIALIZER;

/* Sleeps for most of the time and spins for the rest, so that the caller's
 * clock agrees with the records within a few microseconds. CUDA's waits are no
 * cancellation points. */
static void sleep_until(uint64_t end_ns)
{
	int cancel_state;
	const uint64_t spin_ns = 80000;
	uint64_t wake = end_ns > spin_ns ? end_ns - spin_ns : 0;
	struct timespec at = {(time_t)(wake / 1000000000u),
			      (long)(wake % 1000000000u)};

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
	if (xs_sim_now_ns() < wake)
		clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &at, NULL);
	pthread_setcancelstate(cancel_state, NULL);
	while (xs_sim_now_ns() < end_ns)
		;
}

static void wait_performed(struct device *device, uint64_t sequence)
{
	int cancel_state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
	while (device->performed < sequence) {
		if (sequence < device->awaited)
			device->awaited = sequence;
		pthread_cond_wait(&device->done, &device->lock);
	}
	pthread_setcancelstate(cancel_state, NULL);
}

static void perform_row(char *dst, const char *src, size_t width)
{
	const size_t ends = xs_sim_config.copy_ends;

	if (!ends || width <= 2 * ends) {
		memmove(dst, src, width);
		return;
	}
	memmove(dst, src, ends);
	memmove(dst + width - ends, src + width - ends, ends);
}

static void perform_copy(const struct xs_sim_copy *copy)
{
	for (size_t z = 0; z < copy->depth; z++)
		for (size_t y = 0; y < copy->height; y++)
			perform_row(copy->dst + z * copy->dst_slice +
					y * copy->dst_pitch,
				    copy->src + z * copy->src_slice +
					y * copy->src_pitch,
				    copy->width);
}

static void perform_set(const struct xs_sim_set *set)
{
	if (set->unit == 1)
		memset(set->dst, (int)set->value, set->bytes);
	else
		for (size_t x = 0; x < set->bytes; x += set->unit)
			memcpy(set->dst + x, &set->value, set->unit);
}

/* Waits for the record that was the last when the wait was issued. Within a
 * device the order of the queue ensures it. */
static void wait_for_record(const struct xs_sim_op *op)
{
	struct device *device = &devices[op->event->device];
	uint64_t end_ns;

	pthread_mutex_lock(&device->lock);
	wait_performed(device, op->event_sequence);
	end_ns = op->event->end_ns;
	pthread_mutex_unlock(&device->lock);

	device = &devices[op->stream->device];
	pthread_mutex_lock(&device->lock);
	if (op->stream->end_ns < end_ns)
		op->stream->end_ns = end_ns;
	pthread_mutex_unlock(&device->lock);
}

/* Performs the operation; its times are computed afterwards. */
static struct xs_sim_work perform(struct device *device, struct xs_sim_op *op)
{
	struct xs_sim_work work = {0, 0};

	switch (op->kind) {
	case XS_SIM_COPY:
		perform_copy(&op->copy);
		break;
	case XS_SIM_SET:
		perform_set(&op->set);
		break;
	case XS_SIM_KERNEL:
		if (++device->launches == xs_sim_config.hang)
			for (;;)
				pause();
		work = xs_sim_run(&op->launch,
				  xs_sim_counts_of(op->stream->device));
		break;
	case XS_SIM_WAIT:
		wait_for_record(op);
		break;
	case XS_SIM_HOST:
		sleep_until(op->stream->end_ns);
		op->host.function(op->host.data);
		break;
	case XS_SIM_RECORD:
	case XS_SIM_MIGRATION:
	case XS_SIM_GRAPH:
		break;
	}
	return work;
}

static void advance(uint64_t *ns, uint64_t to_ns)
{
	if (*ns < to_ns)
		*ns = to_ns;
}

/* Returns the time of an event record: it reaches the device no faster than
 * other operations, and synchronising with its stream includes it. */
static uint64_t record_event(struct device *device, const struct xs_sim_op *op)
{
	struct xs_sim_stream *stream = op->stream;
	uint64_t end_ns = op->issue_ns + xs_sim_config.latency_ns;

	advance(&end_ns, stream->legacy ? device->model.blocking_end_ns
					: stream->end_ns);
	advance(&stream->end_ns, end_ns);
	if (!(stream->flags & 1)) /* cudaStreamNonBlocking */
		advance(&device->model.blocking_end_ns, end_ns);
	advance(&device->model.end_ns, end_ns);
	op->event->end_ns = end_ns;
	return end_ns;
}

static void widen(struct xs_sim_graph_run *run,
		  const struct xs_sim_record *record)
{
	if (!run->end_ns || record->start_ns < run->start_ns)
		run->start_ns = record->start_ns;
	if (record->end_ns > run->end_ns)
		run->end_ns = record->end_ns;
}

/* Emits the record of an operation. A graph that is launched as one emits one
 * record, after its last node. */
static void emit(const struct xs_sim_op *op, struct xs_sim_record *record)
{
	struct xs_sim_graph_run *run = op->graph_run;
	bool last;

	if (!run) {
		xs_sim_emit(record);
		return;
	}
	last = --run->nodes_left == 0;
	widen(run, record);
	if (!run->as_one) {
		xs_sim_emit(record);
	} else if (last) {
		record->kind = XS_SIM_GRAPH;
		record->start_ns = run->start_ns;
		record->end_ns = run->end_ns;
		xs_sim_emit(record);
	}
	if (last)
		free(run);
}

static void complete(struct device *device, struct xs_sim_op *op,
		     uint64_t spent_ns, struct xs_sim_work work)
{
	struct xs_sim_record record = {
	    .kind = op->kind,
	    .device = op->stream->device,
	    .stream = op->stream->id,
	    .correlation = op->correlation,
	    .op = op,
	};
	struct xs_sim_span span;
	bool awaited;

	pthread_mutex_lock(&device->lock);
	if (op->kind == XS_SIM_RECORD) {
		span.start_ns = span.end_ns = record_event(device, op);
	} else if (op->kind == XS_SIM_WAIT) {
		span.start_ns = span.end_ns = op->stream->end_ns;
		if (op->stream->legacy)
			span.end_ns = device->model.blocking_end_ns;
		if (span.end_ns < op->issue_ns)
			span.end_ns = op->issue_ns;
	} else {
		span = xs_sim_place(&device->model, op, spent_ns, work);
	}
	pthread_mutex_unlock(&device->lock);

	record.start_ns = span.start_ns;
	record.end_ns = span.end_ns;
	emit(op, &record);

	pthread_mutex_lock(&device->lock);
	device->performed = op->sequence;
	awaited = device->performed >= device->awaited;
	if (awaited)
		device->awaited = UINT64_MAX;
	pthread_mutex_unlock(&device->lock);
	if (awaited)
		pthread_cond_broadcast(&device->done);
}

static void *worker(void *argument)
{
	struct device *device = argument;

	for (;;) {
		struct xs_sim_op *op;
		struct xs_sim_work work;
		uint64_t begin;

		pthread_mutex_lock(&device->lock);
		while (!device->head)
			pthread_cond_wait(&device->work, &device->lock);
		op = device->head;
		device->head = op->next;
		if (!device->head)
			device->tail = &device->head;
		pthread_mutex_unlock(&device->lock);

		begin = xs_sim_now_ns();
		work = perform(device, op);
		complete(device, op, xs_sim_now_ns() - begin, work);
		if (op->kind == XS_SIM_KERNEL)
			free(op->launch.args);
		free(op);
	}
	return NULL;
}

/* The workers block all signals: the application's handlers are not for
 * them. */
bool xs_sim_timeline_start(void)
{
	bool started = true;
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (int i = 0; i < xs_sim_config.devices; i++) {
		struct device *device = &devices[i];
		pthread_t thread;

		pthread_mutex_init(&device->lock, NULL);
		pthread_cond_init(&device->work, NULL);
		pthread_cond_init(&device->done, NULL);
		device->tail = &device->head;
		device->awaited = UINT64_MAX;
		device->legacy.device = i;
		device->legacy.id = 7; /* as on a real device */
		device->legacy.legacy = true;
		if (pthread_create(&thread, NULL, worker, device) == 0)
			pthread_detach(thread);
		else
			started = false;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return started;
}

static uint32_t next_stream_id(void)
{
	uint32_t id;

	pthread_mutex_lock(&id_lock);
	id = last_stream_id++;
	pthread_mutex_unlock(&id_lock);
	return id;
}

struct xs_sim_stream *xs_sim_stream_create(unsigned flags)
{
	struct xs_sim_stream *stream = calloc(1, sizeof(*stream));

	if (stream) {
		stream->device = xs_sim_device();
		stream->flags = flags;
		stream->id = next_stream_id();
	}
	return stream;
}

struct xs_sim_stream *xs_sim_stream_get(const void *handle)
{
	int device = xs_sim_device();

	switch ((uintptr_t)handle) {
	case 0: /* the legacy default stream, and its name */
	case 1:
		return &devices[device].legacy;
	case 2:
		if (!per_thread[device])
			per_thread[device] = xs_sim_stream_create(0);
		return per_thread[device];
	default:
		return (struct xs_sim_stream *)(uintptr_t)handle;
	}
}

/* Queued work continues; only the handle is destroyed after it. */
void xs_sim_stream_destroy(struct xs_sim_stream *stream)
{
	struct device *device = &devices[stream->device];

	pthread_mutex_lock(&device->lock);
	wait_performed(device, stream->issued);
	pthread_mutex_unlock(&device->lock);
	free(stream);
}

struct xs_sim_event *xs_sim_event_create(void)
{
	struct xs_sim_event *event = calloc(1, sizeof(*event));

	if (event) {
		event->device = xs_sim_device();
	}
	return event;
}

/* Waits in any queue may still refer to it. */
void xs_sim_event_destroy(struct xs_sim_event *event)
{
	for (int i = 0; i < xs_sim_config.devices; i++) {
		struct device *device = &devices[i];

		pthread_mutex_lock(&device->lock);
		wait_performed(device, device->issued);
		pthread_mutex_unlock(&device->lock);
	}
	free(event);
}

/* The worker may be busy with another stream's long kernel, but an event of an
 * idle stream does not wait for that. */
static bool record_at_once(struct device *device, struct xs_sim_op *op)
{
	const struct xs_sim_stream *stream = op->stream;
	const uint64_t before = stream->legacy ? device->issued
				: stream->issued > device->legacy.issued
				    ? stream->issued
				    : device->legacy.issued;

	if (op->kind != XS_SIM_RECORD || before == 0 ||
	    before > device->performed)
		return false;
	op->event->device = stream->device;
	op->event->issued = before;
	record_event(device, op);
	return true;
}

int xs_sim_issue(const struct xs_sim_op *op)
{
	struct device *device = &devices[op->stream->device];
	struct xs_sim_op *queued;

	if (op->stream->capture ||
	    (op->kind == XS_SIM_WAIT && op->event->capture))
		return xs_sim_capture(op);
	if (op->stream->legacy && xs_sim_capture_forbids_legacy(true))
		return XS_SIM_EIMPLICIT;
	if (op->kind == XS_SIM_RECORD)
		op->event->capture = NULL;
	queued = malloc(sizeof(*queued));
	if (!queued)
		return XS_SIM_ENOMEM;
	*queued = *op;
	queued->next = NULL;
	queued->issue_ns = xs_sim_now_ns();
	queued->correlation = xs_sim_correlation();
	pthread_mutex_lock(&device->lock);
	if (record_at_once(device, queued)) {
		pthread_mutex_unlock(&device->lock);
		free(queued);
		return XS_SIM_OK;
	}
	queued->sequence = ++device->issued;
	op->stream->issued = queued->sequence;
	if (op->kind == XS_SIM_RECORD) {
		op->event->issued = queued->sequence;
		op->event->device = op->stream->device;
	}
	if (op->kind == XS_SIM_WAIT)
		queued->event_sequence = op->event->issued;
	*device->tail = queued;
	device->tail = &queued->next;
	pthread_mutex_unlock(&device->lock);
	pthread_cond_signal(&device->work);
	return XS_SIM_OK;
}

static void find_memory(const void *address, enum xs_sim_memory *memory,
			int *device)
{
	struct xs_sim_range range;
	bool known = xs_sim_find(address, &range);

	*memory = known ? range.memory : XS_SIM_PAGEABLE;
	*device = known ? range.device : xs_sim_device();
}

/* The calling thread stages pageable memory, so it takes the page faults of
 * untouched memory. Old contents are about to be overwritten. */
static void touch_pages(const struct xs_sim_copy *copy)
{
	const size_t ends = xs_sim_config.copy_ends;
	volatile char *at = copy->dst;

	if (ends && copy->width > 2 * ends)
		return;
	for (size_t i = 0; i < copy->width; i += 4096)
		at[i] = 0;
}

int xs_sim_copy(struct xs_sim_stream *stream, struct xs_sim_copy copy)
{
	struct xs_sim_op op = {.kind = XS_SIM_COPY, .stream = stream};
	bool staged, inside;
	int rc;

	if (copy.width == 0 || copy.height == 0 || copy.depth == 0)
		return XS_SIM_OK;
	if (!copy.dst || !copy.src)
		return XS_SIM_EVALUE;
	find_memory(copy.src, &copy.src_memory, &copy.src_device);
	find_memory(copy.dst, &copy.dst_memory, &copy.dst_device);
	staged = copy.src_memory == XS_SIM_PAGEABLE ||
		 copy.dst_memory == XS_SIM_PAGEABLE;
	inside = copy.src_memory == XS_SIM_DEVICE &&
		 copy.dst_memory == XS_SIM_DEVICE;
	if (copy.dst_memory == XS_SIM_PAGEABLE &&
	    copy.src_memory == XS_SIM_DEVICE)
		touch_pages(&copy);
	op.copy = copy;
	rc = xs_sim_issue(&op);
	if (rc == XS_SIM_OK && !stream->capture &&
	    (staged || (!copy.async && !inside)))
		xs_sim_stream_wait(stream);
	return rc;
}

void xs_sim_stream_wait(struct xs_sim_stream *stream)
{
	struct device *device = &devices[stream->device];
	uint64_t end_ns;

	pthread_mutex_lock(&device->lock);
	wait_performed(device,
		       stream->legacy ? device->issued : stream->issued);
	end_ns =
	    stream->legacy ? device->model.blocking_end_ns : stream->end_ns;
	pthread_mutex_unlock(&device->lock);
	sleep_until(end_ns);
}

void xs_sim_event_wait(struct xs_sim_event *event)
{
	struct device *device = &devices[event->device];
	uint64_t end_ns;

	pthread_mutex_lock(&device->lock);
	wait_performed(device, event->issued);
	end_ns = event->end_ns;
	pthread_mutex_unlock(&device->lock);
	sleep_until(end_ns);
}

void xs_sim_device_wait(int id)
{
	struct device *device = &devices[id];
	uint64_t end_ns;

	pthread_mutex_lock(&device->lock);
	wait_performed(device, device->issued);
	end_ns = device->model.end_ns;
	pthread_mutex_unlock(&device->lock);
	sleep_until(end_ns);
}

bool xs_sim_stream_done(struct xs_sim_stream *stream)
{
	struct device *device = &devices[stream->device];
	bool done;

	pthread_mutex_lock(&device->lock);
	done = device->performed >= stream->issued &&
	       xs_sim_now_ns() >= stream->end_ns;
	pthread_mutex_unlock(&device->lock);
	return done;
}

bool xs_sim_event_done(struct xs_sim_event *event)
{
	struct device *device = &devices[event->device];
	bool done;

	pthread_mutex_lock(&device->lock);
	done = device->performed >= event->issued &&
	       xs_sim_now_ns() >= event->end_ns;
	pthread_mutex_unlock(&device->lock);
	return done;
}
