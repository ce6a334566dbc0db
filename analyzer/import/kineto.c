/* SPDX-License-Identifier: MIT */
/* Events of PyTorch's profiler. */
#include "analyzer/import/call_class.h"
#include "analyzer/import/chrome.h"

#include "analyzer/util/memory.h"
#include "analyzer/util/sort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is(const struct xs_chrome_event *e, const char *category)
{
	return strcasecmp(e->category, category) == 0;
}

static void number_thread(struct xs_chrome *c, const struct xs_chrome_event *e,
			  uint32_t *number)
{
	const struct xs_chrome_thread thread = {(uint32_t)e->pid,
						(uint32_t)e->tid};

	*number = xs_distinct_find(&c->threads, &thread, sizeof(thread));
}

static void add_call(struct xs_chrome *c, const struct xs_chrome_event *e,
		     uint8_t call_class)
{
	struct xs_foreign_call call = {
	    .start_ns = e->start_ns,
	    .end_ns = e->end_ns,
	    .correlation = (uint32_t)e->correlation,
	    .call_class = call_class,
	    /* what waits for it names it by the call that recorded it */
	    .event = call_class == XS_CALL_EVENT_RECORD ? e->correlation : 0,
	    .result_unknown = true};
	struct xs_foreign_site site = {.call_class = call_class};

	xs_foreign_add_string(&c->foreign, e->name, &site.function);
	/* the caller is found when all frames are known */
	xs_foreign_add_site(&c->foreign, &site, &call.site);
	number_thread(c, e, &call.thread);
	xs_foreign_add_call(&c->foreign, &call);
}

static void add_runtime(struct xs_chrome *c, const struct xs_chrome_event *e)
{
	const uint8_t call_class = xs_call_class_of(e->name);

	if (!c->foreign.pid)
		c->foreign.pid = (uint32_t)e->pid;
	if (call_class != XS_CALL_OTHER)
		add_call(c, e, call_class);
}

void xs_chrome_add_op(struct xs_chrome *c, const struct xs_chrome_event *e,
		      struct xs_foreign_op *op)
{
	const struct xs_foreign_queue queue = {.device = (uint16_t)e->device,
					       .context = (uint32_t)e->context,
					       .stream = (uint32_t)e->stream};

	if (e->device != queue.device || e->context != queue.context ||
	    e->stream != queue.stream ||
	    e->correlation != (uint32_t)e->correlation) {
		c->foreign.left_out++;
		return;
	}
	op->queue = xs_foreign_add_queue(&c->foreign, &queue);
	op->start_ns = e->start_ns;
	op->end_ns = e->end_ns;
	op->bytes = e->bytes;
	op->correlation = (uint32_t)e->correlation;
	xs_foreign_add_op(&c->foreign, op);
}

static void add_kernel(struct xs_chrome *c, const struct xs_chrome_event *e)
{
	struct xs_rec_shape shape = {.registers = (xs_u16)e->registers,
				     .grid_x = (xs_u32)e->grid[0],
				     .grid_y = (xs_u32)e->grid[1],
				     .grid_z = (xs_u32)e->grid[2],
				     .block_x = (xs_u16)e->block[0],
				     .block_y = (xs_u16)e->block[1],
				     .block_z = (xs_u16)e->block[2],
				     .shared_dynamic_bytes =
					 (xs_u32)e->shared_bytes};
	struct xs_foreign_op op = {.kind = XS_REC_kernel};

	xs_foreign_add_shape(&c->foreign, e->name, &shape, &op.shape);
	xs_chrome_add_op(c, e, &op);
}

/* "Memcpy HtoD (Pageable -> Device)" */
static void add_copy(struct xs_chrome *c, const struct xs_chrome_event *e)
{
	static const struct {
		const char *name;
		uint8_t direction;
	} ways[] = {{"HtoD", XS_DIR_H2D}, {"DtoH", XS_DIR_D2H},
		    {"DtoD", XS_DIR_D2D}, {"HtoH", XS_DIR_H2H},
		    {"PtoP", XS_DIR_P2P}, {"HtoA", XS_DIR_H2D},
		    {"AtoH", XS_DIR_D2H}, {"AtoD", XS_DIR_D2D},
		    {"DtoA", XS_DIR_D2D}, {"AtoA", XS_DIR_D2D}};
	struct xs_foreign_op op = {.kind = XS_REC_copy};
	char way[8] = "", from[24] = "", to[24] = "";

	sscanf(e->name, "Memcpy %7s (%23[^->] -> %23[^)])", way, from, to);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (strcmp(way, ways[i].name) == 0)
			op.direction = ways[i].direction;
	if (!op.direction) {
		c->foreign.left_out++;
		return;
	}
	op.src_memory = xs_foreign_memory(from);
	op.dst_memory = xs_foreign_memory(to);
	xs_chrome_add_op(c, e, &op);
}

/* "Memset (Device)" */
static void add_set(struct xs_chrome *c, const struct xs_chrome_event *e)
{
	struct xs_foreign_op op = {.kind = XS_REC_set};
	char on[24] = "";

	sscanf(e->name, "Memset (%23[^)])", on);
	op.dst_memory = xs_foreign_memory(on);
	xs_chrome_add_op(c, e, &op);
}

/* What a call waited for, if the profiler was asked for it. */
static void add_sync(struct xs_chrome *c, const struct xs_chrome_event *e)
{
	const struct xs_foreign_queue queue = {.device = (uint16_t)e->device,
					       .context = (uint32_t)e->context,
					       .stream = (uint32_t)e->stream};
	struct xs_foreign_detail detail = {
	    .correlation = (uint32_t)e->correlation, .event = e->waits_for};

	if (e->has_stream && e->stream < INT32_MAX) {
		detail.has_stream = true;
		detail.stream = xs_foreign_stream(
		    &c->foreign, xs_foreign_add_queue(&c->foreign, &queue));
	}
	if (detail.correlation)
		xs_foreign_add_detail(&c->foreign, &detail);
}

/* "train.py(42): step": the line is that where the function begins. */
static void split_name(struct xs_foreign *f, const char *name,
		       struct xs_chrome_frame *frame)
{
	const char *colon = strstr(name, "): "), *open = colon;
	char *file;

	while (open && open > name && *open != '(')
		open--;
	if (!open || open == name) {
		xs_foreign_add_string(f, name, &frame->symbol);
		return;
	}
	file = xs_strndup(name, (size_t)(open - name));
	xs_foreign_add_string(f, file, &frame->file);
	free(file);
	frame->line = (uint32_t)strtoul(open + 1, NULL, 10);
	xs_foreign_add_string(f, colon + 3, &frame->symbol);
}

static void add_frame(struct xs_chrome *c, const struct xs_chrome_event *e,
		      bool python)
{
	struct xs_chrome_frame frame = {
	    .start_ns = e->start_ns, .end_ns = e->end_ns, .python = python};

	if (python)
		split_name(&c->foreign, e->name, &frame);
	else
		xs_foreign_add_string(&c->foreign, e->name, &frame.symbol);
	c->has_stack |= python;
	number_thread(c, e, &frame.thread);
	XS_ARRAY_ADD(c->frames, c->frame_count, frame);
}

/* What the program named with record_function(). The steps of the profiler have
 * numbers: "ProfilerStep#7". */
static void add_range(struct xs_chrome *c, const struct xs_chrome_event *e)
{
	static const char step[] = "ProfilerStep";
	struct xs_foreign_range range = {.start_ns = e->start_ns,
					 .end_ns = e->end_ns};
	const bool is_step = strncmp(e->name, step, sizeof(step) - 1) == 0 &&
			     e->name[sizeof(step) - 1] == '#';

	xs_foreign_add_string(&c->foreign, is_step ? step : e->name,
			      &range.name);
	number_thread(c, e, &range.thread);
	xs_foreign_add_range(&c->foreign, &range);
}

/* A call, or an op with its device and stream. */
static void add_work(struct xs_chrome *c, const struct xs_chrome_event *e,
		     const struct xs_chrome_event *on_device)
{
	const bool copy = is(e, "gpu_memcpy"), set = is(e, "gpu_memset");
	const bool runtime = is(e, "cuda_runtime"), kernel = is(e, "kernel");
	const bool call = runtime || is(e, "cuda_driver");

	c->torch |= kernel || copy || runtime;
	c->events += kernel || copy || set || call;
	if (call)
		add_runtime(c, e);
	else if (kernel)
		add_kernel(c, on_device);
	else if (!e->has_bytes && (copy || set))
		c->foreign.left_out++;
	else if (copy)
		add_copy(c, on_device);
	else if (set)
		add_set(c, on_device);
}

void xs_kineto_add(struct xs_chrome *c, const struct xs_chrome_event *e)
{
	static const char profiler[] = "PyTorch Profiler";
	struct xs_chrome_event on_device = *e;

	if (e->phase != 'X')
		return;
	if (!e->has_device)
		on_device.device = e->pid;
	if (!e->has_stream)
		on_device.stream = e->tid;
	if (is(e, "cpu_op") || is(e, "python_function")) {
		add_frame(c, e, is(e, "python_function"));
	} else if (is(e, "user_annotation")) {
		add_range(c, e);
	} else if (is(e, "Trace")) {
		if (strncmp(e->name, profiler, sizeof(profiler) - 1) != 0)
			return;
		c->foreign.begin_ns = e->start_ns;
		c->foreign.end_ns = e->end_ns;
	} else if (is(e, "cuda_sync")) {
		add_sync(c, e);
	} else {
		add_work(c, e, &on_device);
	}
}
