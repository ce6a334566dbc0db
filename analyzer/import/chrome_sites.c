/* SPDX-License-Identifier: MIT */
/* Who called: the functions of Python and operations of the framework that run
 * on the thread of a call, and what such a file lacks. */
#include "analyzer/import/chrome.h"

#include "analyzer/util/memory.h"
#include "analyzer/util/sort.h"

#include <stdlib.h>
#include <string.h>

/* Frames of Python that a site has at most, the innermost. */
#define FRAMES_MOST 12
/* Deeper frames are not looked at: Python itself allows 1000. */
#define DEPTH_MOST 2000

/* The frames that are open on a thread, the outermost first. */
struct stack {
	uint32_t *frames;
	size_t count;
};

struct finder {
	struct xs_chrome *chrome;
	struct xs_distinct_map stacks; /* by thread */
};

static struct stack *stack_of(struct finder *f, uint32_t thread)
{
	return xs_distinct_map_find(&f->stacks, &thread, sizeof(thread),
				    sizeof(struct stack));
}

static void close_ended(const struct finder *f, struct stack *stack,
			uint64_t now_ns)
{
	while (stack->count &&
	       f->chrome->frames[stack->frames[stack->count - 1]].end_ns <=
		   now_ns)
		stack->count--;
}

static void push(struct finder *f, uint32_t index)
{
	const struct xs_chrome_frame *frame = &f->chrome->frames[index];
	struct stack *stack = stack_of(f, frame->thread);

	close_ended(f, stack, frame->start_ns);
	if (stack->count < DEPTH_MOST)
		XS_ARRAY_ADD(stack->frames, stack->count, index);
}

/* Functions of the framework itself are named by their operations. */
static bool is_of_program(const struct xs_foreign *f,
			  const struct xs_chrome_frame *frame)
{
	return frame->python && frame->file &&
	       strncmp(xs_distinct_value(&f->strings, frame->file), "torch/",
		       6) != 0;
}

/* Adds the program's functions that are open, from the outermost of the last
 * FRAMES_MOST. Stores the number of the innermost + 1. */
static void add_callers(struct finder *f, const struct stack *stack,
			uint32_t *caller)
{
	const struct xs_chrome_frame *frames = f->chrome->frames;
	size_t python = 0, skip;

	for (size_t i = 0; i < stack->count; i++)
		python += is_of_program(&f->chrome->foreign,
					&frames[stack->frames[i]]);
	skip = python > FRAMES_MOST ? python - FRAMES_MOST : 0;
	*caller = 0;
	for (size_t i = 0; i < stack->count; i++) {
		const struct xs_chrome_frame *frame = &frames[stack->frames[i]];
		const struct xs_foreign_site site = {.symbol = frame->symbol,
						     .file = frame->file,
						     .line = frame->line,
						     .caller = *caller};
		uint32_t number;

		if (!is_of_program(&f->chrome->foreign, frame))
			continue;
		if (skip) {
			skip--;
			continue;
		}
		xs_foreign_add_site(&f->chrome->foreign, &site, &number);
		*caller = number + 1;
	}
}

/* The operation that the program asked for, such as aten::to, names the site.
 */
static void set_site(struct finder *f, struct xs_foreign_call *call)
{
	struct xs_foreign *foreign = &f->chrome->foreign;
	const struct xs_chrome_frame *frames = f->chrome->frames;
	struct stack *stack = stack_of(f, call->thread);
	struct xs_foreign_site site;

	close_ended(f, stack, call->start_ns);
	memcpy(&site, xs_distinct_value(&foreign->sites, call->site),
	       sizeof(site));
	for (size_t i = 0; i < stack->count && !site.symbol; i++)
		if (!frames[stack->frames[i]].python)
			site.symbol = frames[stack->frames[i]].symbol;
	add_callers(f, stack, &site.caller);
	xs_foreign_add_site(foreign, &site, &call->site);
}

/* Frames have the first numbers. */
static uint64_t start_of(const void *chrome, uint32_t index)
{
	const struct xs_chrome *c = chrome;

	return index < c->frame_count
		   ? c->frames[index].start_ns
		   : c->foreign.calls[index - c->frame_count].start_ns;
}

/* Calls come last of what starts together. */
static uint64_t end_of(const void *chrome, uint32_t index)
{
	const struct xs_chrome *c = chrome;

	return index < c->frame_count ? c->frames[index].end_ns : 0;
}

void xs_chrome_find_sites(struct xs_chrome *c)
{
	const size_t count = c->frame_count + c->foreign.call_count;
	struct xs_key *keys = xs_malloc((count + 1) * sizeof(*keys));
	struct finder f = {.chrome = c};

	xs_keys_sort_nested(keys, count, c, start_of, end_of);
	for (size_t i = 0; i < count; i++) {
		const uint32_t index = keys[i].index;

		if (index < c->frame_count)
			push(&f, index);
		else
			set_site(&f, &c->foreign.calls[index - c->frame_count]);
	}
	for (size_t i = 0; i < f.stacks.keys.count; i++)
		free(((struct stack *)f.stacks.items)[i].frames);
	xs_distinct_map_release(&f.stacks);
	free(keys);
}

static size_t count_calls(const struct xs_foreign *f, uint8_t call_class)
{
	size_t count = 0;

	for (size_t i = 0; i < f->call_count; i++)
		count += f->calls[i].call_class == call_class;
	return count;
}

void xs_chrome_add_notes(struct xs_chrome *c)
{
	struct xs_foreign *f = &c->foreign;
	const bool streams = count_calls(f, XS_CALL_SYNC_STREAM) &&
			     f->queues.count > 1 && !f->detail_count;
	const struct {
		bool missing;
		const char *text;
	} infos[] = {
	    {c->torch, "imported=PyTorch's profiler"},
	    {c->torch, "framework=pytorch"},
	    {!c->torch, "imported=the profiler of JAX"},
	    {!c->torch, "framework=jax"},
	    {f->has_span, "note=the run is the profiled part of it"},
	    {c->torch && !c->has_stack,
	     "note=the file has no functions of Python "
	     "(torch.profiler.profile(with_stack=True) records them)"},
	    {c->has_stack, "note=lines are those where a function begins, not "
			   "those of its calls"},
	    {!c->torch, "note=the file does not tell which functions of CUDA "
			"were called, nor what the host waited for: calls are "
			"left out"},
	    {f->op_count > 0,
	     "note=the file has no addresses of memory and no sizes of "
	     "allocations: whether data is copied in again (resident), or "
	     "which op needs what another one wrote (--dataflow), cannot be "
	     "told; each copy of a round counts as one buffer to pin, in "
	     "ranges as up to four that take turns, copies out as two"},
	    {count_calls(f, XS_CALL_STREAM_WAIT) && !f->detail_count,
	     "note=the file does not tell which events streams waited for: "
	     "orders between streams are unknown"},
	    {streams, "note=the file does not tell for which stream a call "
		      "waited"},
	};

	xs_foreign_add_driver(f, c->driver);
	f->base_ns = c->base_ns;
	for (size_t i = 0; i < sizeof(infos) / sizeof(*infos); i++)
		if (infos[i].missing)
			xs_foreign_add_info(f, "%s", infos[i].text);
}
