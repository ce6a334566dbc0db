/* SPDX-License-Identifier: MIT */
#include "preload/callstack/callstack.h"
#include "preload/callstack/callstack_cache.h"
#include "preload/callstack/frames.h"
#include "preload/callstack/python/python.h"
#include "preload/sites/module_generation.h"
#include "preload/sites/site.h"
#include "preload/trace/info.h"
#include "preload/util/config.h"
#include "preload/util/guard.h"
#include "preload/util/hot.h"
#include "preload/util/pages.h"

#include <errno.h>

#define NOWHERE 1u /* a return address in no object */

/* Budget of call stack walks for calls that are only counted: one walk may be
 * spent every WALK_CALLS such calls, and MAX_WALKS may be spent in advance. */
#define WALK_CALLS 32u
#define MAX_WALKS  256u

static struct xs_config_stack stack;
static bool has_python; /* read lines of Python */

struct xs_callstack_state {
	struct xs_python_cache python;
	struct xs_callstack_cache stacks;
	unsigned spent; /* budget spent, in counted calls */
};

void xs_callstack_start(void)
{
	int python = -ENOENT;
	char version[16];

	stack = xs_config_stack();
	if (stack.frames)
		python = xs_python_start(version);
	has_python = python == 0;
	if (python == -ENOTSUP)
		xs_trace_info("note",
			      "Python %s is not known: its lines are missing",
			      version);
}

/* Returns the site of a call without native frames: only the line of Python is
 * known, or nothing. */
static uint32_t site_without_frames(struct xs_thread *thread,
				    enum xs_function fn, uint32_t caller)
{
	uintptr_t address = caller ? NOWHERE : 0;

	return xs_site_id(xs_site_find(fn, address, caller), &thread->writer,
			  fn, address, caller);
}

/* Writes the frames from the outermost one inwards, since each site contains
 * its caller's number. */
static uint32_t write_chain(struct xs_thread *thread, enum xs_function fn,
			    uint32_t caller, const struct xs_frames *walk,
			    const struct xs_frames_part *part)
{
	uint32_t id = caller;

	for (unsigned i = part->last; i-- > part->first;) {
		enum xs_function of = i == part->first ? fn : XS_FN_FRAME;
		uintptr_t address = walk->frames[i].address;
		struct xs_site_slot *site = xs_site_find(of, address, id);
		id = xs_site_id(site, &thread->writer, of, address, id);
	}
	/* A library without unwind tables ends a walk early; the called
	 * function is still known. */
	return part->first == part->last
		   ? site_without_frames(thread, fn, caller)
		   : id;
}

static struct xs_callstack_state *state_of(struct xs_thread *thread)
{
	if (!thread->callstack)
		thread->callstack = xs_pages_map(sizeof(*thread->callstack));
	return thread->callstack;
}

static uint32_t find_python_site(struct xs_thread *thread)
{
	struct xs_callstack_state *state = has_python ? state_of(thread) : NULL;

	return state ? xs_python_site(&thread->writer, &state->python,
				      stack.frames)
		     : 0;
}

struct walk {
	struct xs_thread *thread;
	const struct xs_frames_call *call;
	const struct xs_callstack_cache_key *key;
	struct xs_place place;
};

static void walk_now(void *data)
{
	struct walk *this = data;
	struct xs_thread *thread = this->thread;
	const struct xs_callstack_cache_key *key = this->key;
	unsigned wanted = key->counted ? 1 : stack.frames;
	struct xs_frames walk = {.in_python = key->caller};
	struct xs_place *place = &this->place;
	struct xs_frames_part part;

	if (xs_functions[key->fn].call_class == XS_CALL_LAUNCH &&
	    stack.frames == 1 && !key->counted)
		wanted += XS_FRAMES_STUB;
	walk.max = wanted + XS_FRAMES_TOOL;
	xs_frames_walk(&walk);
	part = xs_frames_choose(&walk, this->call, wanted);
	if (part.first < part.last)
		place->address = walk.frames[part.first].address;
	if (!key->counted)
		place->site =
		    write_chain(thread, key->fn, key->caller, &walk, &part);
	if (thread->callstack && (place->site || key->counted))
		xs_callstack_cache_store(&thread->callstack->stacks, key, place,
					 &walk, part.last);
}

/* The unwinder alone takes 5 KiB of stack. */
static struct xs_place walk_and_cache(struct xs_thread *thread,
				      const struct xs_frames_call *call,
				      const struct xs_callstack_cache_key *key)
{
	struct walk walk = {.thread = thread, .call = call, .key = key};

	xs_guard_run(walk_now, &walk);
	return walk.place;
}

static struct xs_place place_without_frames(struct xs_thread *thread,
					    enum xs_function fn,
					    uint32_t caller)
{
	return (struct xs_place){.site =
				     site_without_frames(thread, fn, caller)};
}

/*
 * A line of Python is what its author can change, and it costs some tens of ns.
 * The frames below it belong to libraries and vary so much that they would more
 * than double the cost of a training step: they are walked only if requested,
 * or if there is no line of Python.
 */
XS_HOT static struct xs_place find_place(struct xs_thread *thread,
					 const struct xs_frames_call *call,
					 uintptr_t address)
{
	struct xs_callstack_cache_key key = {
	    .top = __builtin_frame_address(0),
	    .address = address,
	    .generation = atomic_load(&xs_module_generation_now),
	    .fn = call->fn};
	const struct xs_place *known = NULL;

	if (!stack.frames)
		return place_without_frames(thread, call->fn, 0);
	key.caller = find_python_site(thread);
	if (key.caller && !stack.hooked)
		return place_without_frames(thread, call->fn, key.caller);
	if (state_of(thread))
		known =
		    xs_callstack_cache_find(&thread->callstack->stacks, &key);
	return known ? *known : walk_and_cache(thread, call, &key);
}

/* In Python, calls are counted by function: native frames do not distinguish
 * call sites there. */
static bool counts_by_address(void)
{
	return stack.frames && !has_python;
}

XS_HOT struct xs_place xs_callstack_seen(struct xs_thread *thread,
					 enum xs_function fn,
					 const void *arguments)
{
	struct xs_place place = find_place(
	    thread, &(struct xs_frames_call){fn, true, arguments}, 0);

	if (!counts_by_address())
		place.address = 0;
	return place;
}

/* Returns whether a counted call may be walked, and spends its budget. */
static bool spend_walk(struct xs_callstack_state *state)
{
	if (state->spent > MAX_WALKS * WALK_CALLS)
		return false;
	state->spent += WALK_CALLS;
	return true;
}

XS_HOT struct xs_place xs_callstack_counted(struct xs_thread *thread,
					    enum xs_function fn,
					    const void *arguments)
{
	const struct xs_frames_call call = {fn, true, arguments};
	const struct xs_callstack_cache_key key = {
	    .top = __builtin_frame_address(0),
	    .generation = atomic_load(&xs_module_generation_now),
	    .fn = fn,
	    .counted = true};
	struct xs_callstack_state *state =
	    counts_by_address() ? state_of(thread) : NULL;
	const struct xs_place *known;

	if (!state)
		return (struct xs_place){0};
	state->spent -= state->spent > 0;
	known = xs_callstack_cache_find(&state->stacks, &key);
	if (known)
		return *known;
	if (spend_walk(state))
		return walk_and_cache(thread, &call, &key);
	return (struct xs_place){.walk_skipped = true};
}

/* Outside of Python, launches need a call stack walk: they are called from
 * stubs generated by nvcc, which have no source line. The line to report is
 * that of the stub's caller. */
XS_HOT uint32_t xs_callstack_hooked(struct xs_thread *thread,
				    enum xs_function fn,
				    struct xs_site_slot *site,
				    uintptr_t address)
{
	const struct xs_frames_call call = {.fn = fn};
	uint32_t caller;

	if (stack.hooked)
		return find_place(thread, &call, address).site;
	caller = find_python_site(thread);
	if (caller)
		site = xs_site_find(fn, address, caller);
	else if (stack.frames && xs_functions[fn].call_class == XS_CALL_LAUNCH)
		return find_place(thread, &call, address).site;
	return xs_site_id(site, &thread->writer, fn, address, caller);
}

void xs_callstack_drop(struct xs_callstack_state *state)
{
	if (state)
		munmap(state, sizeof(*state));
}
