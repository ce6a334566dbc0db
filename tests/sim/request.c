/* SPDX-License-Identifier: MIT */
/* Requests common to runtime and driver, with their errors. */
#include "tests/sim/internal.h"

#include <string.h>

int xs_sim_set(struct xs_sim_stream *stream, const struct xs_sim_set *set)
{
	struct xs_sim_op op = {
	    .kind = XS_SIM_SET,
	    .stream = stream,
	    .set = *set,
	};

	if (set->bytes == 0)
		return XS_SIM_OK;
	return xs_sim_issue(&op);
}

int xs_sim_event_issue(enum xs_sim_op_kind kind, struct xs_sim_event *event,
		       struct xs_sim_stream *stream)
{
	struct xs_sim_op op = {
	    .kind = kind,
	    .stream = stream,
	    .event = event,
	};

	return event ? xs_sim_issue(&op) : XS_SIM_EHANDLE;
}

int xs_sim_event_query(struct xs_sim_event *event)
{
	if (!event)
		return XS_SIM_EHANDLE;
	if (xs_sim_capture_forbids_query())
		return XS_SIM_ECAPTURE;
	return xs_sim_event_done(event) ? XS_SIM_OK : XS_SIM_ENOTREADY;
}

int xs_sim_event_elapsed(struct xs_sim_event *start, struct xs_sim_event *end,
			 float *ms)
{
	if (!start || !end || !start->issued || !end->issued)
		return XS_SIM_EHANDLE;
	if (!xs_sim_event_done(start) || !xs_sim_event_done(end))
		return XS_SIM_ENOTREADY;
	*ms = (float)((double)(int64_t)(end->end_ns - start->end_ns) / 1e6);
	return XS_SIM_OK;
}

int xs_sim_device_pointer(const void *host, void **device)
{
	struct xs_sim_range range;

	if (!xs_sim_find(host, &range) || range.memory != XS_SIM_PINNED)
		return XS_SIM_EVALUE;
	*device = (void *)(uintptr_t)host;
	return XS_SIM_OK;
}

/* There is no other process: a handle stands for fresh memory of the size of
 * what it was made from. One handle is open at a time. */
static struct {
	struct xs_sim_range of; /* what the handle was made from */
	void *address;
	unsigned times;
} opened;

int xs_sim_ipc_handle(void *handle, const void *address)
{
	struct xs_sim_range range;

	if (!xs_sim_find(address, &range) || range.memory != XS_SIM_DEVICE)
		return XS_SIM_EVALUE;
	memcpy(handle, &range, sizeof(range));
	return XS_SIM_OK;
}

int xs_sim_ipc_open(void **address, const void *handle)
{
	struct xs_sim_range of;
	int rc = XS_SIM_OK;

	memcpy(&of, handle, sizeof(of));
	if (opened.times && opened.of.base != of.base)
		return XS_SIM_EVALUE;
	if (!opened.times)
		rc = xs_sim_alloc(XS_SIM_DEVICE, of.bytes, &opened.address);
	if (rc != XS_SIM_OK)
		return rc;
	opened.of = of;
	opened.times++;
	*address = opened.address;
	return XS_SIM_OK;
}

int xs_sim_ipc_close(void *address)
{
	if (!opened.times || address != opened.address)
		return XS_SIM_EVALUE;
	xs_sim_device_wait(xs_sim_device());
	return --opened.times ? XS_SIM_OK : xs_sim_free(address, XS_SIM_DEVICE);
}
