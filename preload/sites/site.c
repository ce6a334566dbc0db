/* SPDX-License-Identifier: MIT */
#include "preload/sites/site.h"
#include "preload/sites/module.h"
#include "preload/sites/module_generation.h"
#include "preload/trace/strings.h"
#include "preload/util/clock.h"
#include "preload/util/guard.h"
#include "preload/util/intern.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

#define SITE_SLOTS  (1u << 14)
#define SITE_PROBES 64u
#define FN_BITS	    9
#define WAIT_NS	    1000000000u
_Static_assert(XS_FN_COUNT < 1 << FN_BITS, "a function's number has its bits");

/* The string id of a function's name is its number + 1. */
_Static_assert(XS_FN_COUNT < XS_STRINGS_FIRST_ID, "the ids are reserved");

static struct xs_site_slot sites[SITE_SLOTS];
static struct xs_site_slot unknown_sites[XS_FN_COUNT + 1];
static _Atomic uint32_t next_site = 1;
static atomic_bool name_written[XS_FN_COUNT];
static pthread_mutex_t strings_lock = PTHREAD_MUTEX_INITIALIZER;
static struct xs_intern strings; /* names and files of source lines */

/* The key is a 64-bit hash of the parts of a site. Two sites with equal hashes
 * become one: with a full table this happens once in 10^11 runs. In return a
 * slot is claimed with one compare-and-swap. */
static uint64_t site_key(enum xs_function fn, uintptr_t address,
			 uint32_t caller)
{
	uint64_t key = (address << FN_BITS | (uint64_t)fn) ^ (uint64_t)caller
								 << 40;

	key ^= key >> 31;
	key *= 0x7fb5d329728ea185u;
	key ^= key >> 27;
	key *= 0x81dadef4bc2dd44du;
	key ^= key >> 33;
	return key ? key : 1;
}

XS_HOT struct xs_site_slot *xs_site_find(enum xs_function fn, uintptr_t address,
					 uint32_t caller)
{
	uint64_t key = site_key(
	    fn, address,
	    caller + 31 * atomic_load_explicit(&xs_module_generation_now,
					       memory_order_acquire));

	if (!address)
		return &unknown_sites[fn];
	for (uint32_t i = 0; i < SITE_PROBES; i++) {
		struct xs_site_slot *site = &sites[(key + i) % SITE_SLOTS];
		uint64_t seen = xs_relaxed(&site->key);
		if (seen == key)
			return site;
		if (seen == 0 &&
		    (atomic_compare_exchange_strong(&site->key, &seen, key) ||
		     seen == key))
			return site;
	}
	return &unknown_sites[fn];
}

bool xs_site_is_known(const struct xs_site_slot *site)
{
	return site < unknown_sites || site > &unknown_sites[XS_FN_COUNT];
}

static uint32_t function_string(struct xs_writer *writer, enum xs_function fn)
{
	uint32_t id = (uint32_t)fn + 1;

	if (fn >= XS_FN_COUNT)
		return 0;
	if (!atomic_exchange(&name_written[fn], true) &&
	    xs_writer_string(writer, id, xs_functions[fn].name))
		atomic_store(&name_written[fn], false);
	return id;
}

static uint32_t write_site(struct xs_writer *writer, enum xs_function fn,
			   uintptr_t address, uint32_t caller)
{
	struct xs_rec_site record = {
	    XS_RECORD(site),
	    .call_class =
		fn < XS_FN_COUNT ? xs_functions[fn].call_class : XS_CALL_OTHER,
	    .site = atomic_fetch_add(&next_site, 1),
	    .function = function_string(writer, fn),
	    .module = XS_NONE32,
	    .caller = caller,
	};
	uint64_t offset = 0;

	/* The call instruction lies before the return address. */
	if (address)
		record.module = xs_module_id(writer, address - 1, &offset);
	record.offset = offset;
	return xs_writer_plain(writer, &record, NULL, 0) ? 0 : record.site;
}

/* Waits for another thread that is writing the site. Waits at most WAIT_NS,
 * since that thread may need a lock that this one holds, and after one timeout
 * never again. Returns the site's id, or 0. */
static uint32_t wait_for_id(const struct xs_site_slot *site)
{
	static atomic_bool timed_out;
	const uint64_t until_ns = xs_clock_monotonic_ns() + WAIT_NS;
	uint32_t id;

	while ((id = atomic_load(&site->id)) == XS_SITE_BUSY &&
	       !atomic_load(&timed_out)) {
		sched_yield();
		if (xs_clock_monotonic_ns() > until_ns)
			atomic_store(&timed_out, true);
	}
	return id == XS_SITE_BUSY ? 0 : id;
}

/* Returns true if the caller must write the slot's records and store its id;
 * otherwise *id has it, or 0 if another thread does not finish writing. */
static bool claim(struct xs_site_slot *site, uint32_t *id)
{
	*id = atomic_load_explicit(&site->id, memory_order_acquire);
	while (*id == 0 || *id == XS_SITE_BUSY) {
		if (*id == XS_SITE_BUSY) {
			*id = wait_for_id(site);
			if (*id == 0)
				return false;
		} else if (atomic_compare_exchange_strong(&site->id, id,
							  XS_SITE_BUSY)) {
			return true;
		}
	}
	return false;
}

struct new_site {
	struct xs_site_slot *site;
	struct xs_writer *writer;
	enum xs_function fn;
	uintptr_t address;
	uint32_t caller, id;
};

static void find_new_id(void *data)
{
	struct new_site *new = data;

	if (!claim(new->site, &new->id))
		return;
	new->id =
	    xs_site_is_known(new->site)
		? write_site(new->writer, new->fn, new->address, new->caller)
		: write_site(new->writer, new->fn, 0, 0);
	atomic_store(&new->site->id, new->id);
}

uint32_t xs_site_new_id(struct xs_site_slot *site, struct xs_writer *writer,
			enum xs_function fn, uintptr_t address, uint32_t caller)
{
	struct new_site new = {.site = site,
			       .writer = writer,
			       .fn = fn,
			       .address = address,
			       .caller = caller};

	xs_guard_run(find_new_id, &new);
	return new.id;
}

uint32_t xs_site_string(struct xs_writer *writer, const char *text)
{
	uint32_t *number, id = 0;

	pthread_mutex_lock(&strings_lock);
	number = xs_intern_number(&strings, text, strlen(text));
	if (number && *number == 0) {
		id = xs_strings_new_id();
		if (xs_writer_string(writer, id, text) == 0)
			*number = id;
	}
	id = number ? *number : 0;
	pthread_mutex_unlock(&strings_lock);
	return id;
}

static uint32_t write_source(struct xs_writer *writer,
			     const struct xs_site_source *source,
			     uint32_t caller)
{
	uint32_t id = write_site(writer, XS_FN_FRAME, 0, caller);
	struct xs_rec_source record = {
	    XS_RECORD(source),	      .site = id,
	    .symbol = source->symbol, .file = source->file,
	    .line = source->line,
	};

	if (!id || xs_writer_plain(writer, &record, NULL, 0))
		return 0;
	return id;
}

uint32_t xs_site_source_id(struct xs_writer *writer,
			   const struct xs_site_source *source, uint32_t caller)
{
	uintptr_t key = xs_hash(source, sizeof(*source));
	struct xs_site_slot *site = xs_site_find(XS_FN_FRAME, key, caller);
	uint32_t id;

	if (!xs_site_is_known(site))
		return 0;
	if (claim(site, &id)) {
		id = write_source(writer, source, caller);
		atomic_store(&site->id, id);
	}
	return id;
}
