/* SPDX-License-Identifier: MIT */
#include "preload/walk.h"
#include "preload/site.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>
#include <unwind.h>

#define MOST_FRAMES 24u /* walked, the tools' own included */
#define KEPT_FRAMES 8u	/* recorded */
#define CACHE_SLOTS 64u

struct frame {
	uintptr_t address;	/* that is returned to */
	const uintptr_t *stack; /* where the stack holds it */
};

struct walk {
	unsigned count;
	struct frame frames[MOST_FRAMES];
};

/*
 * Unwinding costs more than a launch, so a walk is remembered with the places
 * on the stack that held its return addresses. If the same function is called
 * at the same depth and all these places still hold the same addresses, it is
 * the same stack: a return address fixes the size of the frame above it, and
 * so where the next one lies, one after the other.
 */
struct cached {
	const void *top; /* the stack pointer; NULL: free */
	uint32_t fn;
	uint32_t site;
	unsigned count;
	struct frame frames[MOST_FRAMES];
};

struct xs_walk_cache {
	struct cached slots[CACHE_SLOTS];
};

static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *data)
{
	struct walk *walk = data;
	uintptr_t address = _Unwind_GetIP(context);

	if (!address || walk->count == MOST_FRAMES)
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

/* From the outermost frame in, so that each site has its caller's number. */
static uint32_t write_chain(struct xs_thread *thread, enum xs_function fn,
			    const struct walk *walk)
{
	unsigned first = 0, last;
	uint32_t id = 0;

	while (first < walk->count && is_tool(walk->frames[first].address - 1))
		first++;
	last = first;
	while (last < walk->count && last - first < KEPT_FRAMES &&
	       !is_libc(walk->frames[last].address - 1))
		last++;
	for (unsigned i = last; i-- > first;) {
		enum xs_function of = i == first ? fn : XS_FN_FRAME;
		uintptr_t address = walk->frames[i].address;
		struct xs_site_slot *site = xs_site_find(of, address, id);
		id = xs_site_id(site, &thread->writer, of, address, id);
	}
	/* A library without unwind tables ends a walk early: the function
	 * that was called is known all the same. */
	if (first == last)
		id = xs_site_id(xs_site_find(fn, 0, 0), &thread->writer, fn, 0,
				0);
	return id;
}

static struct cached *cache_slot(struct xs_thread *thread, enum xs_function fn,
				 const void *top)
{
	if (!thread->walks) {
		void *memory =
		    mmap(NULL, sizeof(*thread->walks), PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (memory == MAP_FAILED)
			return NULL;
		thread->walks = memory;
	}
	uintptr_t hash = ((uintptr_t)top >> 4) * 31 + (uintptr_t)fn;
	return &thread->walks->slots[hash % CACHE_SLOTS];
}

static bool still_true(const struct cached *c, enum xs_function fn,
		       const void *top)
{
	if (c->top != top || c->fn != (uint32_t)fn)
		return false;
	for (unsigned i = 0; i < c->count; i++)
		if (*c->frames[i].stack != c->frames[i].address)
			return false;
	return true;
}

/* Only a walk whose return addresses all lie where a call pushes them can be
 * checked again; other machines keep them elsewhere. */
static void remember(struct cached *slot, enum xs_function fn, const void *top,
		     const struct walk *walk, uint32_t site)
{
	slot->top = NULL;
	/* The first is this function's own caller, at this very instruction. */
	for (unsigned i = 1; i < walk->count; i++)
		if (*walk->frames[i].stack != walk->frames[i].address)
			return;
	if (walk->count < 2)
		return;
	slot->fn = (uint32_t)fn;
	slot->site = site;
	slot->count = walk->count - 1;
	memcpy(slot->frames, walk->frames + 1,
	       slot->count * sizeof(*slot->frames));
	slot->top = top;
}

uint32_t xs_walk_site(struct xs_thread *thread, enum xs_function fn)
{
	const void *top = __builtin_frame_address(0);
	struct cached *slot = cache_slot(thread, fn, top);
	struct walk walk = {0};
	uint32_t site;

	if (slot && still_true(slot, fn, top))
		return slot->site;
	_Unwind_Backtrace(step, &walk);
	site = write_chain(thread, fn, &walk);
	if (slot && site)
		remember(slot, fn, top, &walk, site);
	return site;
}

void xs_walk_drop(struct xs_walk_cache *cache)
{
	if (cache)
		munmap(cache, sizeof(*cache));
}
