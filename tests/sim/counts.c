/* SPDX-License-Identifier: MIT */
/* Counts what kernels do. The SMs have no cache: every access of a warp goes to
 * the L2 in sectors of 32 bytes; a line of 128 is one request. */
#include "tests/sim/internal.h"

#include <stdatomic.h>
#include <string.h>

#define SECTOR_BYTES 32
#define LINE_BYTES   128

static struct xs_sim_counts counts[XS_SIM_MAX_DEVICES];
static atomic_bool counting[XS_SIM_MAX_DEVICES];

void xs_sim_count_start(int device)
{
	xs_sim_device_wait(device);
	memset(&counts[device], 0, sizeof(counts[device]));
	atomic_store(&counting[device], true);
}

void xs_sim_count_stop(int device, struct xs_sim_counts *out)
{
	xs_sim_device_wait(device);
	atomic_store(&counting[device], false);
	*out = counts[device];
}

struct xs_sim_counts *xs_sim_counts_of(int device)
{
	return atomic_load(&counting[device]) ? &counts[device] : NULL;
}

/* Returns whether the unit is new, and remembers it. */
static bool is_new(uintptr_t unit, uintptr_t *seen, unsigned *seen_count)
{
	for (unsigned i = 0; i < *seen_count; i++)
		if (seen[i] == unit)
			return false;
	seen[(*seen_count)++] = unit;
	return true;
}

static bool on_host(uintptr_t address)
{
	struct xs_sim_range range;

	return xs_sim_find((const void *)address, &range) &&
	       range.memory == XS_SIM_PINNED;
}

void xs_sim_count_access(struct xs_sim_counts *to, bool store,
			 const uintptr_t *at, const uint8_t *mask, size_t bytes)
{
	uintptr_t sectors[2 * XS_SIM_WARP_SIZE], lines[2 * XS_SIM_WARP_SIZE];
	unsigned sector_count = 0, line_count = 0;
	uint64_t host = 0;

	for (unsigned l = 0; l < XS_SIM_WARP_SIZE; l++) {
		if (!mask[l])
			continue;
		for (uintptr_t s = at[l] / SECTOR_BYTES;
		     s <= (at[l] + bytes - 1) / SECTOR_BYTES; s++)
			if (is_new(s, sectors, &sector_count))
				host += on_host(at[l]);
		for (uintptr_t s = at[l] / LINE_BYTES;
		     s <= (at[l] + bytes - 1) / LINE_BYTES; s++)
			is_new(s, lines, &line_count);
	}
	*(store ? &to->sectors_written : &to->sectors_read) += sector_count;
	*(store ? &to->requests_written : &to->requests_read) += line_count;
	*(store ? &to->host_sectors_written : &to->host_sectors_read) += host;
	*(store ? &to->stores : &to->waiting_cycles) += sector_count > 0;
	to->warp_cycles += sector_count > 0;
}
