/* SPDX-License-Identifier: MIT */
#include "analyzer/read/trace.h"

#include "analyzer/util/bisect.h"
#include "analyzer/util/sort.h"

#include <stdlib.h>
#include <string.h>

struct xs_site *xs_trace_add_outer(struct xs_trace *trace, uint32_t site)
{
	struct xs_site *sites =
	    xs_array_grow(trace->sites, trace->site_count, sizeof(*sites));
	struct xs_site *outer;

	trace->sites = sites;
	outer = &sites[trace->site_count];
	*outer = (struct xs_site){.module = sites[site].module,
				  .caller = sites[site].caller,
				  .offset = sites[site].offset,
				  .outer = true};
	sites[site].caller = (uint32_t)trace->site_count++;
	return outer;
}

void xs_skipped_add(struct xs_skipped *skipped, const struct xs_op *op)
{
	skipped->ns[op->kind] += op->end_ns - op->start_ns;
	if (op->flags & XS_OP_STAGED_IN)
		return;
	skipped->count[op->kind] += op->copies;
	skipped->bytes[op->kind] += op->bytes;
}

void xs_skipped_sum(struct xs_skipped *sum, const struct xs_skipped *skipped)
{
	for (size_t i = 0; i < XS_OP_KINDS; i++) {
		sum->count[i] += skipped->count[i];
		sum->bytes[i] += skipped->bytes[i];
		sum->ns[i] += skipped->ns[i];
	}
}

void xs_trace_free(struct xs_trace *trace)
{
	if (!trace)
		return;
	for (size_t i = 0; i < trace->site_count; i++) {
		if (trace->sites[i].has_source)
			continue;
		free(trace->sites[i].symbol);
		free(trace->sites[i].file);
	}
	for (size_t i = 0; i < trace->info_count; i++) {
		free(trace->infos[i].key);
		free(trace->infos[i].value);
	}
	for (size_t i = 0; i < trace->string_count; i++)
		free(trace->strings[i]);
	free(trace->ops);
	free(trace->migrations);
	free(trace->graph_launches);
	free(trace->calls);
	free(trace->startup.recorded);
	free(trace->sites);
	free(trace->shapes);
	free(trace->counters);
	free(trace->tallies);
	free(trace->skipped);
	free(trace->windows);
	free(trace->faults);
	free(trace->contents);
	free(trace->pointers);
	free(trace->nvtx);
	free(trace->queues);
	free(trace->modules);
	free(trace->devices);
	free(trace->strings);
	free(trace->infos);
	free(trace->defects);
	free(trace);
}

size_t xs_trace_first_pointers(const struct xs_trace *trace, uint32_t call)
{
	size_t low = 0, high = trace->pointers_count;

	XS_BISECT(low, high, i, trace->pointers[i].call < call);
	return low;
}

bool xs_trace_has_pointers(const struct xs_trace *trace, uint32_t call)
{
	const size_t first = xs_trace_first_pointers(trace, call);

	return first < trace->pointers_count &&
	       trace->pointers[first].call == call;
}

/* The year 2001: no trace is older. */
#define LEAST_REALTIME_NS 1000000000000000000u

uint64_t xs_trace_started_ns(const struct xs_trace *trace)
{
	const uint64_t ns = trace->header.start_realtime_ns;

	return ns < LEAST_REALTIME_NS ? 0 : ns;
}

const struct xs_device *xs_trace_device(const struct xs_trace *trace,
					size_t number)
{
	XS_EACH(device, trace->devices, trace->device_count) {
		if (device->rec.device == number)
			return device;
	}
	return NULL;
}

const char *xs_trace_find_info(const struct xs_trace *trace, const char *key)
{
	for (size_t i = 0; i < trace->info_count; i++)
		if (strcmp(trace->infos[i].key, key) == 0)
			return trace->infos[i].value;
	return NULL;
}
