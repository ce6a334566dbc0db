/* SPDX-License-Identifier: MIT */
#include "preload/callstack/callstack.h"
#include "preload/callstack/callstack_cache.h"
#include "preload/callstack/frames.h"
#include "preload/callstack/python/python.h"
#include "preload/sites/module_generation.h"
#include "preload/sites/site.h"
#include "preload/trace/info.h"
#include "preload/util/config.h"
#include "preload/util/hot.h"

#include <errno.h>
#include <sys/mman.h>

#define NOWHERE 1u /* as a return address: in no object */

/* Of calls that are counted alone: a walk may cost as much as so many of them,
 * and there may be so many walks at once. */
#define WALK_CALLS 32u
#define MOST_AHEAD 256u

static struct xs_config_stack stack;
static bool has_python; /* whose lines are read */

struct xs_callstack_state {
	struct xs_python_cache python;
	struct xs_callstack_cache walked;
	unsigned spent; /* on walks for calls that are counted, in calls */
};

void xs_callstack_start(void)
{
	const char *unknown = xs_config_stack(&stack);
	int python = -ENOENT;
	char version[16];

	if (unknown)
		xs_trace_info("note",
			      "XFERSPY_STACK=%s is not known; call sites are "
			      "recorded as usual",
			      unknown);
	if (stack.frames)
		python = xs_python_start(version);
	has_python = python == 0;
	if (python == -ENOTSUP)
		xs_trace_info("note",
			      "Python %s is not known: its lines are missing",
			      version);
}

/* The site of a function that was called from where no frame is known, or none
 * but the line of Python. */
static uint32_t bare_site(struct xs_thread *thread, enum xs_function fn,
			  uint32_t caller)
{
	uintptr_t address = caller ? NOWHERE : 0;

	return xs_site_id(xs_site_find(fn, address, caller), &thread->writer,
			  fn, address, caller);
}

/* From the outermost frame in, so that each site has its caller's number. */
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
	/* A library without unwind tables ends a walk early: the function
	 * that was called is known all the same. */
	return part->first == part->last ? bare_site(thread, fn, caller) : id;
}

static struct xs_callstack_state *cache_of(struct xs_thread *thread)
{
	void *memory;

	if (thread->callstack)
		return thread->callstack;
	memory = mmap(NULL, sizeof(*thread->callstack), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory != MAP_FAILED)
		thread->callstack = memory;
	return thread->callstack;
}

static uint32_t python_site(struct xs_thread *thread)
{
	struct xs_callstack_state *cache = has_python ? cache_of(thread) : NULL;

	return cache ? xs_python_site(&thread->writer, &cache->python,
				      stack.frames)
		     : 0;
}

static struct xs_place walk_anew(struct xs_thread *thread,
				 const struct xs_frames_call *call,
				 const struct xs_callstack_cache_key *key)
{
	unsigned wanted = key->counted ? 1 : stack.frames;
	struct xs_frames walk = {.in_python = key->caller};
	struct xs_frames_part part;
	struct xs_place place;

	if (xs_functions[key->fn].call_class == XS_CALL_LAUNCH &&
	    stack.frames == 1 && !key->counted)
		wanted += XS_FRAMES_STUB;
	walk.most = wanted + XS_FRAMES_TOOL;
	xs_frames_walk(&walk);
	part = xs_frames_choose(&walk, call, wanted);
	place = (struct xs_place){0};
	if (part.first < part.last)
		place.address = walk.frames[part.first].address;
	if (!key->counted)
		place.site =
		    write_chain(thread, key->fn, key->caller, &walk, &part);
	if (thread->callstack && (place.site || key->counted))
		xs_callstack_cache_keep(&thread->callstack->walked, key, &place,
					&walk, part.last);
	return place;
}

static struct xs_place bare_place(struct xs_thread *thread, enum xs_function fn,
				  uint32_t caller)
{
	return (struct xs_place){.site = bare_site(thread, fn, caller)};
}

/*
 * The line of Python is the one that its writer can change, and it costs some
 * tens of ns. The frames below it are of libraries, and so many different ones
 * that a step of training pays for them more than twice: they are walked where
 * that was asked for, or where they alone tell whose call it is.
 */
XS_HOT static struct xs_place walked_place(struct xs_thread *thread,
					   const struct xs_frames_call *call,
					   uintptr_t address)
{
	struct xs_callstack_cache_key key = {
	    .top = __builtin_frame_address(0),
	    .address = address,
	    .unloads = atomic_load(&xs_module_generation_now),
	    .fn = call->fn};
	const struct xs_place *known = NULL;

	if (!stack.frames)
		return bare_place(thread, call->fn, 0);
	key.caller = python_site(thread);
	if (key.caller && !stack.hooked)
		return bare_place(thread, call->fn, key.caller);
	if (cache_of(thread))
		known =
		    xs_callstack_cache_find(&thread->callstack->walked, &key);
	return known ? *known : walk_anew(thread, call, &key);
}

bool xs_callstack_is_on(void)
{
	return stack.frames > 0;
}

/* In Python calls are counted by function: a walk of the native frames is not
 * what tells places apart there. */
static bool counts_by_place(void)
{
	return stack.frames && !has_python;
}

XS_HOT struct xs_place xs_callstack_seen(struct xs_thread *thread,
					 enum xs_function fn,
					 const void *arguments)
{
	struct xs_place place = walked_place(
	    thread, &(struct xs_frames_call){fn, true, arguments}, 0);

	if (!counts_by_place())
		place.address = 0;
	return place;
}

/* Whether the thread may walk once more for a call that is only counted. */
static bool may_walk(struct xs_callstack_state *cache)
{
	if (cache->spent > MOST_AHEAD * WALK_CALLS)
		return false;
	cache->spent += WALK_CALLS;
	return true;
}

XS_HOT struct xs_place xs_callstack_counted(struct xs_thread *thread,
					    enum xs_function fn,
					    const void *arguments)
{
	const struct xs_frames_call call = {fn, true, arguments};
	const struct xs_callstack_cache_key key = {
	    .top = __builtin_frame_address(0),
	    .unloads = atomic_load(&xs_module_generation_now),
	    .fn = fn,
	    .counted = true};
	struct xs_callstack_state *cache =
	    counts_by_place() ? cache_of(thread) : NULL;
	const struct xs_place *known;

	if (!cache)
		return (struct xs_place){0};
	cache->spent -= cache->spent > 0;
	known = xs_callstack_cache_find(&cache->walked, &key);
	if (known)
		return *known;
	if (may_walk(cache))
		return walk_anew(thread, &call, &key);
	return (struct xs_place){.unwalked = true};
}

/* Launches are walked outside of Python: they come from stubs that nvcc made,
 * which have no source line; the line to show is their caller's. */
XS_HOT uint32_t xs_callstack_hooked(struct xs_thread *thread,
				    enum xs_function fn,
				    struct xs_site_slot *site,
				    uintptr_t address)
{
	const struct xs_frames_call call = {.fn = fn};
	uint32_t caller;

	if (stack.hooked)
		return walked_place(thread, &call, address).site;
	caller = python_site(thread);
	if (caller)
		site = xs_site_find(fn, address, caller);
	else if (stack.frames && xs_functions[fn].call_class == XS_CALL_LAUNCH)
		return walked_place(thread, &call, address).site;
	return xs_site_id(site, &thread->writer, fn, address, caller);
}

void xs_callstack_drop(struct xs_callstack_state *cache)
{
	if (cache)
		munmap(cache, sizeof(*cache));
}
