/* SPDX-License-Identifier: MIT */
#include "analyzer/rounds/connections.h"

#include <stdlib.h>

/* First compute capability with a separate number of connections for copies. */
#define COPY_CC_MAJOR 8u

static unsigned asked(const struct xs_trace *trace, const char *variable)
{
	const char *value = xs_trace_find_info(trace, variable);
	const unsigned long number = value ? strtoul(value, NULL, 10) : 0;

	return number <= XS_HW_QUEUES_MAX ? (unsigned)number : 0;
}

struct xs_connections xs_connections_asked(const struct xs_trace *trace)
{
	return (struct xs_connections){
	    .all = asked(trace, "CUDA_DEVICE_MAX_CONNECTIONS"),
	    .copy = asked(trace, "CUDA_DEVICE_MAX_COPY_CONNECTIONS")};
}

static bool is_older(const struct xs_trace *trace, uint16_t device)
{
	const struct xs_device *found = xs_trace_device(trace, device);

	return found && found->rec.cc_major < COPY_CC_MAJOR;
}

void xs_connections_fill(const struct xs_trace *trace, struct xs_phases *phases)
{
	const struct xs_connections asked = xs_connections_asked(trace);

	for (size_t i = 0; i < phases->count; i++)
		phases->items[i].kernel_hw_queues =
		    phases->items[i].copy_hw_queues = asked.all;
	/* an unknown device counts as a newer one */
	for (size_t i = 0; asked.copy && i < phases->count; i++)
		if (!is_older(trace, phases->items[i].device))
			phases->items[i].copy_hw_queues = asked.copy;
}
