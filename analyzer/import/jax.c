/* SPDX-License-Identifier: MIT */
/* Events of JAX: its processes are the host and the devices, whose threads are
 * streams. Of the host's calls only those that issue work have an event, which
 * does not name the function: with these alone, a report would take waits for
 * the host's own code. They are left out. */
#include "analyzer/import/chrome.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t memory_of(const char *details, const char *key)
{
	const char *at = strstr(details, key);

	return xs_foreign_memory(at ? at + strlen(key) : "");
}

/* Whether the details of a copy or set have a size, which is stored. */
static bool has_size(const char *details, uint64_t *bytes)
{
	const char *at = strstr(details, "size:");
	const size_t digits = at ? strspn(at + 5, "0123456789") : 0;

	if (!digits || digits > 18)
		return false;
	*bytes = strtoull(at + 5, NULL, 10);
	return true;
}

static uint8_t direction_of(const char *name)
{
	if (strcmp(name, "MemcpyH2D") == 0)
		return XS_DIR_H2D;
	if (strcmp(name, "MemcpyD2H") == 0)
		return XS_DIR_D2H;
	if (strcmp(name, "MemcpyD2D") == 0)
		return XS_DIR_D2D;
	if (strcmp(name, "MemcpyP2P") == 0)
		return XS_DIR_P2P;
	return XS_DIR_UNKNOWN;
}

static void add_kernel(struct xs_chrome *c, const struct xs_chrome_event *e)
{
	struct xs_foreign_op op = {.kind = XS_REC_kernel};
	struct xs_rec_shape shape = {0};
	unsigned registers = 0, fixed = 0, dynamic = 0;
	unsigned grid[3] = {0}, block[3] = {0};

	sscanf(e->details,
	       "regs:%u static_shared:%u dynamic_shared:%u grid:%u,%u,%u "
	       "block:%u,%u,%u",
	       &registers, &fixed, &dynamic, &grid[0], &grid[1], &grid[2],
	       &block[0], &block[1], &block[2]);
	shape = (struct xs_rec_shape){.registers = (xs_u16)registers,
				      .grid_x = grid[0],
				      .grid_y = grid[1],
				      .grid_z = grid[2],
				      .block_x = (xs_u16)block[0],
				      .block_y = (xs_u16)block[1],
				      .block_z = (xs_u16)block[2],
				      .shared_static_bytes = fixed,
				      .shared_dynamic_bytes = dynamic};
	xs_foreign_add_shape(&c->foreign, e->name, &shape, &op.shape);
	xs_chrome_add_op(c, e, &op);
}

static void add_op(struct xs_chrome *c, const struct xs_chrome_event *e)
{
	struct xs_foreign_op op = {.kind = XS_REC_copy};

	if (strncmp(e->name, "Memcpy", 6) == 0) {
		op.direction = direction_of(e->name);
		op.src_memory = memory_of(e->details, "kind_src:");
		op.dst_memory = memory_of(e->details, "kind_dst:");
		xs_chrome_add_op(c, e, &op);
	} else if (strncmp(e->name, "Memset", 6) == 0) {
		op.kind = XS_REC_set;
		xs_chrome_add_op(c, e, &op);
	} else {
		add_kernel(c, e);
	}
}

void xs_jax_add(struct xs_chrome *c, const struct xs_chrome_event *e)
{
	struct xs_chrome_event on_device = *e;
	unsigned device;

	if (e->phase == 'M' && strcmp(e->name, "process_name") == 0 &&
	    sscanf(e->label, "/device:GPU:%u", &device) == 1) {
		c->devices[e->pid % XS_CHROME_DEVICES] = device + 1;
		return;
	}
	if (e->phase != 'X' || !e->correlation)
		return;
	device = c->devices[e->pid % XS_CHROME_DEVICES];
	if (!device)
		return;
	c->events++;
	on_device.device = device - 1;
	on_device.stream = e->tid;
	if ((strncmp(e->name, "Memcpy", 6) == 0 ||
	     strncmp(e->name, "Memset", 6) == 0) &&
	    !has_size(e->details, &on_device.bytes)) {
		c->foreign.left_out++;
		return;
	}
	add_op(c, &on_device);
}
