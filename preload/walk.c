/* SPDX-License-Identifier: MIT */
#include "preload/walk.h"
#include "preload/config.h"
#include "preload/gpu.h"
#include "preload/python.h"
#include "preload/site.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unwind.h>

#define TOOL_FRAMES 16u /* walked on top of those that are recorded */
#define STUB_FRAMES 2u	/* made by nvcc, between a launch and its line */
#define MOST_FRAMES (XS_STACK_MOST + STUB_FRAMES + TOOL_FRAMES)
#define CACHE_SETS  32u
#define CACHE_WAYS  4u /* stacks that end at one depth in one function */
#define NOWHERE	    1u /* as a return address: in no object */

static struct xs_config_stack stack;

struct frame {
	uintptr_t address;	/* that is returned to */
	const uintptr_t *stack; /* where the stack holds it */
};

/* How a call came to be seen. */
struct seen {
	enum xs_function fn;
	bool by_callback;
	const void
	    *arguments; /* of the callback; NULL: the function has none */
};

struct walk {
	unsigned count, most;
	bool in_python; /* it ends at the interpreter */
	struct frame frames[MOST_FRAMES];
};

/*
 * Unwinding costs more than a launch, so a walk is remembered with the places
 * on the stack that held its return addresses. If the same function is called
 * at the same depth and all these places still hold the same addresses, it is
 * the same stack: a return address fixes the size of the frame above it, and
 * so where the next one lies, one after the other.
 */
struct key {
	const void *top; /* the stack pointer; NULL: free */
	enum xs_function fn;
	uint32_t caller; /* the site of the line of Python; 0: none */
};

struct cached {
	struct key key;
	uint32_t site;
	unsigned count;
	struct frame frames[MOST_FRAMES];
};

struct xs_walk_cache {
	struct xs_python_cache python;
	struct cached sets[CACHE_SETS][CACHE_WAYS];
	uint8_t next_way[CACHE_SETS]; /* to be overwritten */
};

void xs_walk_start(void)
{
	const char *unknown = xs_config_stack(&stack);
	char version[16];

	if (unknown)
		xs_gpu_info("note",
			    "XFERSPY_STACK=%s is not known; call sites are "
			    "recorded as usual",
			    unknown);
	if (stack.frames && xs_python_start(version) == -ENOTSUP)
		xs_gpu_info("note",
			    "Python %s is not known: its lines are missing",
			    version);
}

static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *data)
{
	struct walk *walk = data;
	uintptr_t address = _Unwind_GetIP(context);

	if (!address || walk->count == walk->most ||
	    (walk->in_python && xs_python_holds(address - 1)))
		return _URC_END_OF_STACK;
	/* The canonical frame address of the callee: its return address lies
	 * just below, where a call instruction pushes it. */
	walk->frames[walk->count++] = (struct frame){
	    .address = address,
	    .stack = (const uintptr_t *)_Unwind_GetCFA(context) - 1,
	};
	return _URC_NO_REASON;
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
static bool holds(const struct walk *walk, unsigned i, const void *local)
{
	return i + 1 < walk->count &&
	       local > (const void *)walk->frames[i].stack &&
	       local < (const void *)walk->frames[i + 1].stack;
}

/*
 * A callback of the runtime comes from the function that the application
 * called, wherever that was linked: linked statically, it is a frame of the
 * application's own object. It is the one that holds the arguments' struct,
 * which CUPTI hands on; without arguments, the one that called CUPTI.
 */
static unsigned skip_runtime(const struct walk *walk, unsigned first,
			     const struct seen *seen)
{
	bool shared =
	    first > 0 && is_cudart(walk->frames[first - 1].address - 1);

	if (!seen->by_callback || shared || first == walk->count ||
	    !xs_function_is_runtime(seen->fn))
		return first;
	for (unsigned i = first; i < walk->count; i++)
		if (holds(walk, i, seen->arguments))
			return i + 1;
	return first + 1;
}

/* Which frames of a walk are recorded, from the nearest on. */
static void choose(const struct walk *walk, const struct seen *seen,
		   unsigned wanted, unsigned *first, unsigned *last)
{
	*first = 0;
	while (*first < walk->count &&
	       is_tool(walk->frames[*first].address - 1))
		++*first;
	*first = skip_runtime(walk, *first, seen);
	*last = *first;
	while (*last < walk->count && *last - *first < wanted &&
	       !is_libc(walk->frames[*last].address - 1))
		++*last;
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
			    uint32_t caller, const struct walk *walk,
			    unsigned first, unsigned last)
{
	uint32_t id = caller;

	for (unsigned i = last; i-- > first;) {
		enum xs_function of = i == first ? fn : XS_FN_FRAME;
		uintptr_t address = walk->frames[i].address;
		struct xs_site_slot *site = xs_site_find(of, address, id);
		id = xs_site_id(site, &thread->writer, of, address, id);
	}
	/* A library without unwind tables ends a walk early: the function
	 * that was called is known all the same. */
	return first == last ? bare_site(thread, fn, caller) : id;
}

static struct xs_walk_cache *cache_of(struct xs_thread *thread)
{
	void *memory;

	if (thread->walks)
		return thread->walks;
	memory = mmap(NULL, sizeof(*thread->walks), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory != MAP_FAILED)
		thread->walks = memory;
	return thread->walks;
}

static bool still_true(const struct cached *c, const struct key *wanted)
{
	if (c->key.top != wanted->top || c->key.fn != wanted->fn ||
	    c->key.caller != wanted->caller)
		return false;
	for (unsigned i = 0; i < c->count; i++)
		if (*c->frames[i].stack != c->frames[i].address)
			return false;
	return true;
}

/* Only a walk whose return addresses all lie where a call pushes them can be
 * checked again; other machines keep them elsewhere. Those below the top are of
 * the walk itself. */
static void remember(struct cached *slot, const struct key *key, uint32_t site,
		     const struct walk *walk, unsigned last)
{
	unsigned first = 0;

	slot->key.top = NULL;
	while (first < last &&
	       (const void *)walk->frames[first].stack < key->top)
		first++;
	for (unsigned i = first; i < last; i++)
		if (*walk->frames[i].stack != walk->frames[i].address)
			return;
	if (first == last)
		return;
	slot->site = site;
	slot->count = last - first;
	memcpy(slot->frames, walk->frames + first,
	       slot->count * sizeof(*slot->frames));
	slot->key = *key;
}

static uint32_t python_site(struct xs_thread *thread,
			    struct xs_walk_cache *cache)
{
	return cache && stack.frames
		   ? xs_python_site(&thread->writer, &cache->python,
				    stack.frames)
		   : 0;
}

/* The stack's slot, or one for it; *known: whether it holds the stack. */
static struct cached *find_slot(struct xs_walk_cache *cache,
				const struct key *wanted, bool *known)
{
	uintptr_t hash = ((uintptr_t)wanted->top >> 4) * 31 + wanted->fn +
			 wanted->caller * 7;
	unsigned set = hash % CACHE_SETS;

	*known = false;
	for (unsigned way = 0; way < CACHE_WAYS && !*known; way++) {
		struct cached *slot = &cache->sets[set][way];

		*known = still_true(slot, wanted);
		if (*known)
			return slot;
	}
	return &cache->sets[set][cache->next_way[set]++ % CACHE_WAYS];
}

static uint32_t walk_anew(struct xs_thread *thread, const struct seen *seen,
			  const struct key *key, struct cached *slot)
{
	unsigned wanted = stack.frames, first, last;
	struct walk walk = {.in_python = key->caller};
	uint32_t site;

	if (xs_functions[key->fn].call_class == XS_CALL_LAUNCH && wanted == 1)
		wanted += STUB_FRAMES;
	walk.most = wanted + TOOL_FRAMES;
	_Unwind_Backtrace(step, &walk);
	choose(&walk, seen, wanted, &first, &last);
	site = write_chain(thread, key->fn, key->caller, &walk, first, last);
	if (slot && site)
		remember(slot, key, site, &walk, last);
	return site;
}

/*
 * The line of Python is the one that its writer can change, and it costs some
 * tens of ns. The frames below it are of libraries, and so many different ones
 * that a step of training pays for them more than twice: they are walked where
 * that was asked for.
 */
static uint32_t walked_site(struct xs_thread *thread, const struct seen *seen)
{
	struct key key = {.top = __builtin_frame_address(0), .fn = seen->fn};
	struct cached *slot = NULL;
	bool known = false;

	if (!stack.frames)
		return bare_site(thread, seen->fn, 0);
	key.caller = python_site(thread, cache_of(thread));
	if (key.caller && !stack.hooked)
		return bare_site(thread, seen->fn, key.caller);
	if (thread->walks)
		slot = find_slot(thread->walks, &key, &known);
	return known ? slot->site : walk_anew(thread, seen, &key, slot);
}

uint32_t xs_walk_seen(struct xs_thread *thread, enum xs_function fn,
		      const void *arguments)
{
	const struct seen seen = {fn, true, arguments};

	return walked_site(thread, &seen);
}

/* Launches are walked outside of Python: they come from stubs that nvcc made,
 * which have no source line; the line to show is their caller's. */
uint32_t xs_walk_hooked(struct xs_thread *thread, enum xs_function fn,
			struct xs_site_slot *site, uintptr_t address)
{
	const struct seen seen = {.fn = fn};
	uint32_t caller;

	if (stack.hooked)
		return walked_site(thread, &seen);
	caller = python_site(thread, cache_of(thread));
	if (caller)
		site = xs_site_find(fn, address, caller);
	else if (stack.frames && xs_functions[fn].call_class == XS_CALL_LAUNCH)
		return walked_site(thread, &seen);
	return xs_site_id(site, &thread->writer, fn, address, caller);
}

void xs_walk_drop(struct xs_walk_cache *cache)
{
	if (cache)
		munmap(cache, sizeof(*cache));
}
