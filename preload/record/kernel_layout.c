/* SPDX-License-Identifier: MIT */
#include "preload/record/kernel_layout.h"
#include "preload/api/param_info.h"
#include "preload/sites/module_generation.h"
#include "preload/util/hot.h"
#include "preload/util/intern.h"
#include "preload/util/pages.h"

#include <pthread.h>
#include <string.h>

#define SLOT_BITS      13
#define SLOTS	       (1u << SLOT_BITS)
#define MAX_PROBES     32u
#define MAX_PARAMS     256u
#define MOST_QUESTIONS 8u /* about a kernel */
#define BLOCK_BYTES    (1u << 20)
#define MAX_BLOCKS     64u
#define KEPT	       4096u /* different layouts */

static struct xs_kernel kernels[SLOTS];
static _Atomic uint32_t unloads;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Protected by the lock. */
static struct {
	char *at;
	size_t left;
	unsigned blocks;
} layouts;

/* Counts the unloaded objects of the host and modules of the device. */
static uint32_t generation_now(void)
{
	return xs_relaxed(&unloads) + xs_relaxed(&xs_module_generation_now);
}

void xs_kernel_layout_outdate(void)
{
	atomic_fetch_add(&unloads, 1);
}

static struct xs_kernel *probe(const void *function, unsigned number)
{
	const uint64_t hash = (uintptr_t)function * 0x9e3779b97f4a7c15u;

	return &kernels[((hash >> (64 - SLOT_BITS)) + number) % SLOTS];
}

/* Returns the slot of the kernel, or the free one where it may be put. NULL if
 * there is none. */
static struct xs_kernel *slot_of(const void *function)
{
	for (unsigned i = 0; i < MAX_PROBES; i++) {
		struct xs_kernel *slot = probe(function, i);
		const void *found =
		    atomic_load_explicit(&slot->function, memory_order_acquire);

		if (!found || found == function)
			return slot;
	}
	return NULL;
}

/* A function may not be loaded yet when it is launched for the first time. */
static bool is_answered(struct xs_kernel *kernel)
{
	return atomic_load_explicit(&kernel->generation,
				    memory_order_acquire) == generation_now() &&
	       (atomic_load(&kernel->layout)->known ||
		xs_relaxed(&kernel->asked) >= MOST_QUESTIONS);
}

struct xs_kernel *xs_kernel_layout_find(const void *function)
{
	struct xs_kernel *slot = slot_of(function);

	return slot &&
		       atomic_load_explicit(&slot->function,
					    memory_order_acquire) &&
		       is_answered(slot)
		   ? slot
		   : NULL;
}

static size_t words_bytes(const struct xs_kernel_layout *layout)
{
	return layout->count * sizeof(*layout->words);
}

/* Returns memory that is never freed; NULL if there is none. Caller holds the
 * lock. */
static void *reserve(size_t bytes)
{
	void *memory;

	bytes = (bytes + 7) / 8 * 8;
	if (bytes > layouts.left) {
		if (layouts.blocks == MAX_BLOCKS)
			return NULL;
		memory = xs_pages_map(BLOCK_BYTES);
		if (!memory)
			return NULL;
		layouts.at = memory;
		layouts.left = BLOCK_BYTES;
		layouts.blocks++;
	}
	memory = layouts.at;
	layouts.at += bytes;
	layouts.left -= bytes;
	return memory;
}

/* Returns a copy, NULL if there is no space. Caller holds the lock. */
static const struct xs_kernel_layout *
copy_of(const struct xs_kernel_layout *layout)
{
	struct xs_kernel_layout *copy =
	    reserve(sizeof(*copy) + words_bytes(layout));

	if (!copy)
		return NULL;
	*copy = *layout;
	copy->words = memcpy(copy + 1, layout->words, words_bytes(layout));
	return copy;
}

static bool is_same(const struct xs_kernel_layout *a,
		    const struct xs_kernel_layout *b)
{
	return a->known == b->known && a->count == b->count &&
	       a->bytes == b->bytes &&
	       (a->count == 0 ||
		memcmp(a->words, b->words, words_bytes(a)) == 0);
}

/* Returns a layout like this one that is never freed; NULL if there is no
 * space. Kernels whose layouts are equal share one. Caller holds the lock. */
static const struct xs_kernel_layout *
keep(const struct xs_kernel_layout *layout)
{
	static const struct xs_kernel_layout *kept[KEPT];
	const uint64_t hash = xs_hash(layout->words, words_bytes(layout));

	for (unsigned i = 0; i < MAX_PROBES; i++) {
		const struct xs_kernel_layout **slot = &kept[(hash + i) % KEPT];

		if (!*slot)
			*slot = copy_of(layout);
		if (!*slot || is_same(*slot, layout))
			return *slot;
	}
	return copy_of(layout);
}

/* The words of a parameter that are aligned in the kernel's parameters. */
static struct xs_kernel_words words_of(const struct xs_kernel_param *param,
				       size_t index)
{
	const size_t first = (8 - param->offset % 8) % 8;

	return (struct xs_kernel_words){
	    .param = (uint16_t)index,
	    .first_bytes = (uint16_t)first,
	    .count = (uint16_t)(param->bytes < first + 8
				    ? 0
				    : (param->bytes - first) / 8)};
}

/* Returns the layout; its words are in `words`, which has room for those of
 * MAX_PARAMS. */
static struct xs_kernel_layout ask(const void *function,
				   struct xs_kernel_words *words)
{
	struct xs_kernel_param params[MAX_PARAMS];
	struct xs_kernel_layout layout = {.words = words};
	size_t count;

	layout.known =
	    xs_param_info_of_handle(function, params, MAX_PARAMS, &count);
	for (size_t i = 0; i < count; i++) {
		const size_t end = params[i].offset + params[i].bytes;

		if (end > XS_PARAM_INFO_MOST)
			layout.known = false;
		else if (end > layout.bytes)
			layout.bytes = (uint32_t)end;
		words[layout.count] = words_of(&params[i], i);
		if (words[layout.count].count)
			layout.count++;
	}
	return layout;
}

/* Returns a slot that another kernel has: of one that was asked before code was
 * unloaded, otherwise of any. Caller holds the lock. */
static struct xs_kernel *evict(const void *function)
{
	static unsigned any;
	const uint32_t generation = generation_now();

	for (unsigned i = 0; i < MAX_PROBES; i++) {
		struct xs_kernel *slot = probe(function, i);

		if (atomic_load(&slot->generation) != generation)
			return slot;
	}
	return probe(function, any++ % MAX_PROBES);
}

/* A handle that was given out again is a new kernel if its layout differs.
 * Caller holds the lock. */
static struct xs_kernel *put(const void *function, uint32_t generation,
			     const struct xs_kernel_layout *layout)
{
	static const struct xs_kernel_layout unknown;
	struct xs_kernel *slot = slot_of(function);
	const struct xs_kernel_layout *kept;

	if (!slot) {
		slot = evict(function);
		atomic_store(&slot->launches, 0);
		atomic_store(&slot->asked, 0);
	}
	if (!layout->known)
		layout = &unknown;
	kept = atomic_load(&slot->layout);
	if (!kept || !is_same(kept, layout)) {
		kept = layout->known ? keep(layout) : layout;
		atomic_store(&slot->launches, 0);
	}
	atomic_store(&slot->layout, kept ? kept : &unknown);
	if (atomic_load(&slot->generation) != generation)
		atomic_store(&slot->asked, 0);
	atomic_fetch_add(&slot->asked, 1);
	atomic_store(&slot->generation, generation);
	atomic_store(&slot->function, function);
	return slot;
}

struct xs_kernel *xs_kernel_layout_get(const void *function,
				       const struct xs_kernel_layout **layout)
{
	const uint32_t generation = generation_now();
	struct xs_kernel_words words[MAX_PARAMS];
	struct xs_kernel_layout asked;
	struct xs_kernel *kernel;

	pthread_mutex_lock(&lock);
	kernel = xs_kernel_layout_find(function);
	if (!kernel) {
		pthread_mutex_unlock(&lock);
		asked = ask(function, words);
		pthread_mutex_lock(&lock);
		kernel = put(function, generation, &asked);
	}
	*layout = atomic_load(&kernel->layout);
	pthread_mutex_unlock(&lock);
	return kernel;
}
