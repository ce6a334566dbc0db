/* SPDX-License-Identifier: MIT */
#include "preload/stack.h"
#include "preload/entry.h"
#include "preload/objects.h"
#include "preload/python.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/auxv.h>
#include <unwind.h>

static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *data)
{
	struct xs_stack *stack = data;
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

void xs_stack_walk(struct xs_stack *stack)
{
	stack->count = 0;
	_Unwind_Backtrace(step, stack);
}

/* The file name of an address's object; "" when it is in none. */
static const char *object_of(uintptr_t address, void **base)
{
	Dl_info info;
	const char *slash;

	if (!dladdr((void *)address, &info) || !info.dli_fname)
		return "";
	*base = info.dli_fbase;
	slash = strrchr(info.dli_fname, '/');
	return slash ? slash + 1 : info.dli_fname;
}

static bool begins_with_any(const char *name, const char *const *beginnings)
{
	for (; *beginnings; beginnings++)
		if (strncmp(name, *beginnings, strlen(*beginnings)) == 0)
			return true;
	return false;
}

static bool is_cudart(uintptr_t address)
{
	static const char *const names[] = {"libcudart.so", NULL};
	void *base;

	return begins_with_any(object_of(address, &base), names);
}

/* CUDA and us: between the application's call and the callback. */
static bool is_tool(uintptr_t address)
{
	static const char *const names[] = {"libcupti.so", "libcuda.so",
					    "libcudart.so", NULL};
	void *ours = NULL, *base = NULL;

	object_of((uintptr_t)is_tool, &ours);
	return begins_with_any(object_of(address, &base), names) ||
	       (base && base == ours);
}

/* What called main() or a thread's function: nobody's call site. */
static bool is_libc(uintptr_t address)
{
	static const char *const names[] = {"libc.so", "libpthread.so",
					    "ld-linux", NULL};
	void *base;

	return begins_with_any(object_of(address, &base), names);
}

/* Whether a local variable is one of the frame's: it lies between the return
 * addresses into the frame and into its caller. */
static bool holds(const struct xs_stack *stack, unsigned i, const void *local)
{
	return i + 1 < stack->count &&
	       local > (const void *)stack->frames[i].stack &&
	       local < (const void *)stack->frames[i + 1].stack;
}

/* The frame that holds the arguments' struct of a callback; stack->count: none
 * does. */
static unsigned find_called(const struct xs_stack *stack, unsigned first,
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
static unsigned skip_called(const struct xs_stack *stack, unsigned first,
			    const struct xs_stack_call *call)
{
	bool shared =
	    first > 0 && is_cudart(stack->frames[first - 1].address - 1);
	unsigned called;

	if (!call->by_callback || shared || first == stack->count ||
	    !xs_function_is_runtime(call->fn))
		return first;
	called = find_called(stack, first, call->arguments);
	return called < stack->count ? called + 1 : first + 1;
}

/* A call of the driver may be one of the runtime's. */
static void skip_learned(const struct xs_stack *stack,
			 struct xs_stack_part *part)
{
	for (unsigned i = part->first;
	     i < stack->count && part->runtime == XS_FN_COUNT; i++) {
		part->runtime = xs_entry_at(stack->frames[i].address - 1);
		if (part->runtime != XS_FN_COUNT)
			part->first = i + 1;
	}
}

struct xs_stack_part xs_stack_choose(const struct xs_stack *stack,
				     const struct xs_stack_call *call,
				     unsigned wanted)
{
	struct xs_stack_part part = {.runtime = XS_FN_COUNT};

	while (part.first < stack->count &&
	       is_tool(stack->frames[part.first].address - 1))
		part.first++;
	part.first = skip_called(stack, part.first, call);
	if (call->by_callback && xs_entry_any() &&
	    !xs_function_is_runtime(call->fn))
		skip_learned(stack, &part);
	part.last = part.first;
	while (part.last < stack->count && part.last - part.first < wanted &&
	       !is_libc(stack->frames[part.last].address - 1))
		part.last++;
	return part;
}

static bool is_program(uintptr_t address)
{
	const void *base = xs_objects_base((const void *)address);

	return base &&
	       base == xs_objects_base((const void *)getauxval(AT_ENTRY));
}

bool xs_stack_learn(enum xs_function fn, const void *arguments)
{
	struct xs_stack stack = {.most = XS_STACK_FRAMES};
	unsigned called;

	xs_stack_walk(&stack);
	called = find_called(&stack, 0, arguments);
	return called < stack.count &&
	       is_program(stack.frames[called].address - 1) &&
	       xs_entry_learn(stack.frames[called].address - 1, fn);
}
