/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/load_trace.h"

#include "analyzer/read/decode.h"
#include "analyzer/read/trace.h"
#include "analyzer/read/trace_input.h"
#include "analyzer/sampling/sampling.h"
#include "analyzer/timeline/alternating_threads.h"
#include "analyzer/timeline/cuda_startup.h"
#include "analyzer/timeline/infer_memory_kind.h"
#include "analyzer/timeline/join.h"
#include "analyzer/util/memory.h"

#include <stdlib.h>
#include <string.h>

static bool is_timed_by_events(const struct xs_trace *trace)
{
	const char *rung = xs_trace_find_info(trace, "rung");

	return rung && strcmp(rung, "events") == 0;
}

/* Where a trace is from, and how much of it is read; 0: all. */
struct input {
	const char *path; /* NULL: from memory */
	const void *data;
	size_t size;
	uint64_t most_records;
};

static int read_trace(const struct input *in, struct xs_trace **out,
		      const char **error)
{
	struct xs_trace *trace = xs_calloc(1, sizeof(*trace));
	struct xs_decoder decoder;
	struct xs_trace_visitor visitor;
	int rc;

	*out = NULL;
	*error = NULL;
	xs_decoder_init(&decoder, trace, in->most_records, &visitor);
	rc = in->path ? xs_trace_input_visit_file(in->path, &visitor, error)
		      : xs_trace_input_visit_memory(in->data, in->size,
						    &visitor, error);
	if (!rc)
		xs_decoder_finish(&decoder);
	xs_decoder_release(&decoder);
	if (rc) {
		xs_trace_free(trace);
		return rc;
	}
	xs_trace_join(trace);
	xs_alternating_threads_join(trace);
	xs_sampling_tidy(trace);
	xs_unhooked_estimate(trace);
	if (is_timed_by_events(trace))
		xs_infer_memory_kinds(trace);
	xs_cuda_startup_separate(trace);
	*out = trace;
	return 0;
}

int xs_trace_read(const char *path, struct xs_trace **trace, const char **error)
{
	return read_trace(&(struct input){.path = path}, trace, error);
}

int xs_trace_read_most(const char *path, uint64_t most_records,
		       struct xs_trace **trace, const char **error)
{
	return read_trace(
	    &(struct input){.path = path, .most_records = most_records}, trace,
	    error);
}

int xs_trace_read_memory(const void *data, size_t size, struct xs_trace **trace,
			 const char **error)
{
	return read_trace(&(struct input){.data = data, .size = size}, trace,
			  error);
}
