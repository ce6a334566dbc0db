/* SPDX-License-Identifier: MIT */
/* The address map: all ranges that the driver allocated or pinned, sorted by
 * base. All of it is ordinary memory of the process. */
#include "tests/sim/internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct xs_sim_range *ranges;
static size_t count, capacity;
static uint64_t used_bytes[XS_SIM_MAX_DEVICES];

/* Index of the first range that ends beyond the address. */
static size_t lower_bound(uintptr_t address)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (ranges[mid].base + ranges[mid].bytes <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool contains(size_t i, uintptr_t address)
{
	return i < count && ranges[i].base <= address;
}

static int insert(const struct xs_sim_range *range)
{
	size_t i = lower_bound(range->base);

	if (i < count && ranges[i].base < range->base + range->bytes)
		return XS_SIM_EREGISTERED;
	if (count == capacity) {
		size_t grown = capacity ? capacity * 2 : 64;
		void *bigger = realloc(ranges, grown * sizeof(*ranges));

		if (!bigger)
			return XS_SIM_ENOMEM;
		ranges = bigger;
		capacity = grown;
	}
	memmove(&ranges[i + 1], &ranges[i], (count - i) * sizeof(*ranges));
	ranges[i] = *range;
	count++;
	return XS_SIM_OK;
}

static void remove_at(size_t i)
{
	count--;
	memmove(&ranges[i], &ranges[i + 1], (count - i) * sizeof(*ranges));
}

/* Pinned pages are resident from the start, as the real driver's are. Huge
 * pages, where the kernel has them, save most page faults. */
static void *map_pages(enum xs_sim_memory memory, size_t bytes)
{
	const bool pinned = memory == XS_SIM_PINNED, huge = bytes >= 2 << 20;
	const int populate = pinned && !huge ? MAP_POPULATE : 0;
	void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | populate, -1, 0);

	if (pages == MAP_FAILED)
		return NULL;
	if (huge)
		madvise(pages, bytes, MADV_HUGEPAGE);
	if (huge && pinned && madvise(pages, bytes, MADV_POPULATE_WRITE))
		memset(pages, 0, bytes);
	return pages;
}

int xs_sim_alloc(enum xs_sim_memory memory, size_t bytes, void **address)
{
	struct xs_sim_range range = {
	    .bytes = bytes,
	    .memory = memory,
	    .device = xs_sim_device(),
	};
	uint64_t *used = &used_bytes[range.device];
	int rc = XS_SIM_ENOMEM;

	*address = NULL;
	if (bytes == 0)
		return memory == XS_SIM_PINNED ? XS_SIM_EVALUE : XS_SIM_OK;
	pthread_mutex_lock(&lock);
	if (memory == XS_SIM_DEVICE &&
	    bytes > xs_sim_config.memory_bytes - *used)
		goto out;
	*address = map_pages(memory, bytes);
	if (!*address)
		goto out;
	range.base = (uintptr_t)*address;
	rc = insert(&range);
	if (rc != XS_SIM_OK) {
		munmap(*address, bytes);
		*address = NULL;
	} else if (memory == XS_SIM_DEVICE) {
		*used += bytes;
	}
out:
	pthread_mutex_unlock(&lock);
	return rc;
}

static void release(size_t i)
{
	if (ranges[i].memory == XS_SIM_DEVICE)
		used_bytes[ranges[i].device] -= ranges[i].bytes;
	munmap((void *)ranges[i].base, ranges[i].bytes);
	remove_at(i);
}

int xs_sim_free(void *address, enum xs_sim_memory memory)
{
	bool pinned = memory == XS_SIM_PINNED;
	int rc = XS_SIM_EVALUE;
	size_t i;

	if (!address)
		return XS_SIM_OK;
	pthread_mutex_lock(&lock);
	i = lower_bound((uintptr_t)address);
	if (contains(i, (uintptr_t)address) &&
	    ranges[i].base == (uintptr_t)address && !ranges[i].registered &&
	    (ranges[i].memory == XS_SIM_PINNED) == pinned) {
		release(i);
		rc = XS_SIM_OK;
	}
	pthread_mutex_unlock(&lock);
	return rc;
}

int xs_sim_register(enum xs_sim_memory memory, void *address, size_t bytes)
{
	struct xs_sim_range range = {
	    .base = (uintptr_t)address,
	    .bytes = bytes,
	    .memory = memory,
	    .device = xs_sim_device(),
	    .registered = true,
	};
	int rc;

	if (!address || bytes == 0)
		return XS_SIM_EVALUE;
	pthread_mutex_lock(&lock);
	rc = insert(&range);
	pthread_mutex_unlock(&lock);
	return rc;
}

int xs_sim_unregister(void *address)
{
	int rc = XS_SIM_EUNREGISTERED;
	size_t i;

	pthread_mutex_lock(&lock);
	i = lower_bound((uintptr_t)address);
	if (contains(i, (uintptr_t)address) && ranges[i].registered &&
	    ranges[i].base == (uintptr_t)address) {
		remove_at(i);
		rc = XS_SIM_OK;
	}
	pthread_mutex_unlock(&lock);
	return rc;
}

bool xs_sim_find(const void *address, struct xs_sim_range *range)
{
	bool found;
	size_t i;

	pthread_mutex_lock(&lock);
	i = lower_bound((uintptr_t)address);
	found = contains(i, (uintptr_t)address);
	if (found)
		*range = ranges[i];
	pthread_mutex_unlock(&lock);
	return found;
}

void xs_sim_memory_reset(int device)
{
	pthread_mutex_lock(&lock);
	for (size_t i = count; i-- > 0;)
		if (ranges[i].device == device && !ranges[i].registered)
			release(i);
	pthread_mutex_unlock(&lock);
}

/* Migrates a whole range at once, at the speed of a pinned copy. */
static void emit_migration(const struct xs_sim_range *range, bool to_device)
{
	const struct xs_sim_op op = {
	    .kind = XS_SIM_MIGRATION,
	    .copy = {.dst = (char *)range->base,
		     .width = range->bytes,
		     .height = 1,
		     .depth = 1,
		     .dst_memory = to_device ? XS_SIM_DEVICE : XS_SIM_PAGEABLE},
	};
	struct xs_sim_record record = {
	    .kind = XS_SIM_MIGRATION,
	    .start_ns = xs_sim_now_ns(),
	    .device = range->device,
	    .op = &op,
	};
	double gbs = to_device ? xs_sim_config.h2d_gbs : xs_sim_config.d2h_gbs;

	record.end_ns =
	    record.start_ns + (uint64_t)((double)range->bytes / gbs) + 1;
	xs_sim_emit(&record);
}

int xs_sim_migrate(const void *address, size_t bytes, int device,
		   bool to_device)
{
	uintptr_t from = (uintptr_t)address;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < count; i++) {
		struct xs_sim_range *range = &ranges[i];

		if (range->memory != XS_SIM_MANAGED ||
		    range->migrated == to_device ||
		    range->base + range->bytes <= from ||
		    range->base >= from + bytes)
			continue;
		range->migrated = to_device;
		if (to_device)
			range->device = device;
		emit_migration(range, to_device);
	}
	pthread_mutex_unlock(&lock);
	return XS_SIM_OK;
}
