/* SPDX-License-Identifier: MIT */
#include "preload/callstack/frames.h"
#include "preload/callstack/python/python.h"
#include "preload/util/guard.h"
#include "preload/util/objects.h"

#include <sys/uio.h>
#include <unistd.h>
#include <unwind.h>

/* Of the object that contains this code; set by the linker. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _etext[] __attribute__((visibility("hidden")));

static bool is_ours(uintptr_t address)
{
	return address > (uintptr_t)__ehdr_start &&
	       address <= (uintptr_t)_etext;
}

#ifdef __x86_64__
#define FRAME_POINTER 6
#else
#define FRAME_POINTER 29
#endif

/* How many frames of ours there are differs between builds. A walk ends at code
 * made while the program runs: its unwind table may only name who handles its
 * errors, as LuaJIT's does, where _Unwind_Backtrace() calls abort(). */
static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *data)
{
	struct xs_frames *stack = data;
	uintptr_t address = _Unwind_GetIP(context);
	const uintptr_t *at = (const uintptr_t *)_Unwind_GetCFA(context) - 1;

	stack->frame = (uintptr_t)_Unwind_GetGR(context, FRAME_POINTER);
	if (xs_guard_holds(at) || is_ours(address))
		return _URC_NO_REASON;
	if (!address || stack->count == stack->max ||
	    (stack->in_python && xs_python_holds(address - 1)))
		return _URC_END_OF_STACK;
	/* _Unwind_GetCFA() gives the callee's canonical frame address. Its
	 * return address lies just below, where a call instruction pushes
	 * it. */
	stack->frames[stack->count++] = (struct xs_frame){
	    .address = address,
	    .stack = at,
	};
	return xs_objects_at((const void *)(address - 1)) ? _URC_NO_REASON
							  : _URC_END_OF_STACK;
}

/* Lets the kernel read the memory: it may not be there. */
static bool read_memory(const void *from, void *to, size_t bytes)
{
	const struct iovec local = {to, bytes}, remote = {(void *)from, bytes};

	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) ==
	       (ssize_t)bytes;
}

/*
 * Go calls C on the stack of a thread. There runtime.asmcgocall saves the
 * distance from the end of the goroutine's own stack to its stack pointer, and
 * the address of struct g, whose first two words are the bounds of that stack.
 * Returns the stack's end; 0: this is no such call, or a sandbox refuses to
 * read.
 */
static uintptr_t goroutine_end(const uintptr_t *top, uintptr_t frame)
{
	enum { LAST_WORD = 5 };		      /* 0 in Go 1.22, 5 in 1.19 */
	const uintptr_t stack_max = 1u << 30; /* of Go */
	uintptr_t kept[LAST_WORD + 2], bounds[2];

	if (!read_memory(top, kept, sizeof(kept)))
		return 0;
	for (unsigned i = 0; i <= LAST_WORD; i++) {
		const uintptr_t depth = kept[i];

		if (depth && depth <= stack_max && depth % sizeof(depth) == 0 &&
		    read_memory((void *)kept[i + 1], bounds, sizeof(bounds)) &&
		    bounds[0] < bounds[1] - depth &&
		    bounds[1] - depth <= frame && frame < bounds[1])
			return bounds[1];
	}
	return 0;
}

/* Go's code has frame pointers instead of unwind tables. */
static void walk_goroutine(struct xs_frames *stack)
{
	const struct xs_frame *last = &stack->frames[stack->count - 1];
	uintptr_t end = goroutine_end(last->stack + 1, stack->frame);

	while (stack->frame + 2 * sizeof(end) <= end &&
	       stack->count < stack->max) {
		const uintptr_t *at = (const uintptr_t *)stack->frame;
		uintptr_t frame[2];

		if (!read_memory(at, frame, sizeof(frame)))
			break;
		stack->frames[stack->count++] =
		    (struct xs_frame){.address = frame[1], .stack = at + 1};
		if (frame[0] <= stack->frame)
			break;
		stack->frame = frame[0];
	}
}

/* Returns whether the outermost function may be Go's: it is not the start of a
 * coroutine by makecontext(). */
static bool may_be_go(const struct xs_frames *stack)
{
	const struct link_map *map = xs_objects_at(
	    (const void *)(stack->frames[stack->count - 1].address - 1));

	return map && !xs_objects_is_library(map->l_name, "libc.so");
}

/* The unwinder itself ends a walk only at a function without a table; others
 * end in step(). */
void xs_frames_walk(struct xs_frames *stack)
{
	stack->count = 0;
	if (_Unwind_Backtrace(step, stack) == _URC_END_OF_STACK &&
	    stack->count && may_be_go(stack))
		walk_goroutine(stack);
}

/* The owner of an object. */
enum owner { OTHER, CUDART, DRIVER, LIBC };

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
		return OTHER;
	for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (xs_objects_is_library(map->l_name, known[i].library))
			return known[i].owner;
	return OTHER;
}

/* Frames of CUDA, between the application's call and the callback. */
static bool is_tool(const struct xs_frame *frame)
{
	const enum owner owner = owner_of(frame);

	return owner == CUDART || owner == DRIVER;
}

/* Returns whether a local variable belongs to the frame: it lies between the
 * return addresses into the frame and into its caller. */
static bool holds(const struct xs_frames *stack, unsigned i, const void *local)
{
	return i + 1 < stack->count &&
	       local > (const void *)stack->frames[i].stack &&
	       local < (const void *)stack->frames[i + 1].stack;
}

/* Returns the frame that contains the callback's argument struct, or
 * stack->count if there is none. */
static unsigned find_called_function(const struct xs_frames *stack,
				     unsigned first, const void *arguments)
{
	while (first < stack->count && !holds(stack, first, arguments))
		first++;
	return first;
}

/*
 * Skips the called runtime function. If the runtime is linked statically, this
 * is a frame of the application's own object: the frame that contains the
 * argument struct, which CUPTI passes on. For a function without arguments, it
 * is the frame that called CUPTI.
 */
static unsigned skip_called_function(const struct xs_frames *stack,
				     unsigned first,
				     const struct xs_frames_call *call)
{
	bool shared =
	    first > 0 && owner_of(&stack->frames[first - 1]) == CUDART;
	unsigned called;

	if (!call->by_callback || shared || first == stack->count ||
	    !xs_function_is_runtime(call->fn))
		return first;
	called = find_called_function(stack, first, call->arguments);
	return called < stack->count ? called + 1 : first + 1;
}

struct xs_frames_part xs_frames_choose(const struct xs_frames *stack,
				       const struct xs_frames_call *call,
				       unsigned wanted)
{
	struct xs_frames_part part = {0};

	while (part.first < stack->count && is_tool(&stack->frames[part.first]))
		part.first++;
	part.first = skip_called_function(stack, part.first, call);
	part.last = part.first;
	while (part.last < stack->count && part.last - part.first < wanted &&
	       owner_of(&stack->frames[part.last]) != LIBC)
		part.last++;
	return part;
}
