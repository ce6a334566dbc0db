/* SPDX-License-Identifier: MIT */
#include "preload/callstack/frames.h"
#include "preload/callstack/python/python.h"
#include "preload/util/objects.h"

#include <unwind.h>

static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *data)
{
	struct xs_frames *stack = data;
	uintptr_t address = _Unwind_GetIP(context);

	if (!address || stack->count == stack->most ||
	    (stack->in_python && xs_python_holds(address - 1)))
		return _URC_END_OF_STACK;
	/* The canonical frame address of the callee: its return address lies
	 * just below, where a call instruction pushes it. */
	stack->frames[stack->count++] = (struct xs_frame){
	    .address = address,
	    .stack = (const uintptr_t *)_Unwind_GetCFA(context) - 1,
	};
	return _URC_NO_REASON;
}

void xs_frames_walk(struct xs_frames *stack)
{
	stack->count = 0;
	_Unwind_Backtrace(step, stack);
}

/* Whose an object is. */
enum owner { ANYBODY, CUDART, DRIVER, OURS, LIBC };

static enum owner owner_of(const struct xs_frame *frame)
{
	static const struct {
		const char *library;
		enum owner owner;
	} known[] = {
	    {XS_CUDART_LIBRARY, CUDART}, {"libcuda.so", DRIVER},
	    {XS_CUPTI_LIBRARY, DRIVER},	 {"libc.so", LIBC},
	    {"libpthread.so", LIBC},	 {"ld-linux", LIBC},
	};
	const struct link_map *map =
	    xs_objects_at((const void *)(frame->address - 1));

	if (!map)
		return ANYBODY;
	if (map == xs_objects_at((const void *)owner_of))
		return OURS;
	for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (xs_objects_is_library(map->l_name, known[i].library))
			return known[i].owner;
	return ANYBODY;
}

/* CUDA and us: between the application's call and the callback. */
static bool is_tool(const struct xs_frame *frame)
{
	const enum owner owner = owner_of(frame);

	return owner == CUDART || owner == DRIVER || owner == OURS;
}

/* Whether a local variable is one of the frame's: it lies between the return
 * addresses into the frame and into its caller. */
static bool holds(const struct xs_frames *stack, unsigned i, const void *local)
{
	return i + 1 < stack->count &&
	       local > (const void *)stack->frames[i].stack &&
	       local < (const void *)stack->frames[i + 1].stack;
}

/* The frame that holds the arguments' struct of a callback; stack->count: none
 * does. */
static unsigned find_called(const struct xs_frames *stack, unsigned first,
			    const void *arguments)
{
	while (first < stack->count && !holds(stack, first, arguments))
		first++;
	return first;
}

/*
 * A callback of the runtime comes from the function that the application
 * called, wherever that was linked: linked statically, it is a frame of the
 * application's own object. It is the one that holds the arguments' struct,
 * which CUPTI hands on; without arguments, the one that called CUPTI.
 */
static unsigned skip_called(const struct xs_frames *stack, unsigned first,
			    const struct xs_frames_call *call)
{
	bool shared =
	    first > 0 && owner_of(&stack->frames[first - 1]) == CUDART;
	unsigned called;

	if (!call->by_callback || shared || first == stack->count ||
	    !xs_function_is_runtime(call->fn))
		return first;
	called = find_called(stack, first, call->arguments);
	return called < stack->count ? called + 1 : first + 1;
}

struct xs_frames_part xs_frames_choose(const struct xs_frames *stack,
				       const struct xs_frames_call *call,
				       unsigned wanted)
{
	struct xs_frames_part part = {0};

	while (part.first < stack->count && is_tool(&stack->frames[part.first]))
		part.first++;
	part.first = skip_called(stack, part.first, call);
	part.last = part.first;
	while (part.last < stack->count && part.last - part.first < wanted &&
	       owner_of(&stack->frames[part.last]) != LIBC)
		part.last++;
	return part;
}
