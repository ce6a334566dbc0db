/* SPDX-License-Identifier: MIT */
#include "analyzer/trace.h"

#include "analyzer/decode.h"
#include "analyzer/sampling.h"
#include "analyzer/sort.h"
#include "analyzer/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_timed_by_events(const struct xs_trace *trace)
{
	const char *rung = xs_trace_info(trace, "rung");

	return rung && strcmp(rung, "events") == 0;
}

/* Reads from path, or from memory where path is NULL. */
static int read_trace(const char *path, const void *data, size_t size,
		      struct xs_trace **out, const char **error)
{
	struct xs_trace *trace = calloc(1, sizeof(*trace));
	struct xs_decoder decoder;
	struct xs_sink sink;
	int rc;

	*out = NULL;
	*error = NULL;
	if (!trace)
		return -ENOMEM;
	xs_decoder_init(&decoder, trace, &sink);
	rc = path ? xs_source_feed_file(path, &sink, error)
		  : xs_source_feed_memory(data, size, &sink, error);
	if (!rc)
		rc = xs_decoder_finish(&decoder);
	xs_decoder_release(&decoder);
	if (!rc)
		rc = xs_trace_join(trace);
	if (!rc)
		rc = xs_sampling_tidy(trace);
	if (!rc)
		rc = xs_unhooked_estimate(trace);
	if (!rc && is_timed_by_events(trace))
		rc = xs_trace_infer_memories(trace);
	if (rc)
		xs_trace_free(trace);
	else
		*out = trace;
	return rc;
}

int xs_trace_read(const char *path, struct xs_trace **trace, const char **error)
{
	return read_trace(path, NULL, 0, trace, error);
}

int xs_trace_read_memory(const void *data, size_t size, struct xs_trace **trace,
			 const char **error)
{
	return read_trace(NULL, data, size, trace, error);
}

struct xs_site *xs_trace_add_outer(struct xs_trace *trace, uint32_t site)
{
	struct xs_site *sites =
	    xs_array_grow(trace->sites, trace->site_count, sizeof(*sites));
	struct xs_site *outer;

	if (!sites || trace->site_count >= XS_NONE)
		return NULL;
	trace->sites = sites;
	outer = &sites[trace->site_count];
	*outer = (struct xs_site){.module = sites[site].module,
				  .caller = sites[site].caller,
				  .offset = sites[site].offset,
				  .outer = true};
	sites[site].caller = (uint32_t)trace->site_count++;
	return outer;
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
	free(trace->calls);
	free(trace->sites);
	free(trace->shapes);
	free(trace->counters);
	free(trace->tallies);
	free(trace->windows);
	free(trace->faults);
	free(trace->contents);
	free(trace->queues);
	free(trace->modules);
	free(trace->devices);
	free(trace->strings);
	free(trace->infos);
	free(trace->defects);
	free(trace);
}

const char *xs_trace_info(const struct xs_trace *trace, const char *key)
{
	for (size_t i = 0; i < trace->info_count; i++)
		if (strcmp(trace->infos[i].key, key) == 0)
			return trace->infos[i].value;
	return NULL;
}
