/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/load_trace.h"

#include "analyzer/read/decode.h"
#include "analyzer/read/trace_input.h"
#include "analyzer/sampling/sampling.h"
#include "analyzer/timeline/infer_memory_kind.h"
#include "analyzer/timeline/join.h"
#include "analyzer/timeline/turns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_timed_by_events(const struct xs_trace *trace)
{
	const char *rung = xs_trace_find_info(trace, "rung");

	return rung && strcmp(rung, "events") == 0;
}

/* Reads from path, or from memory if path is NULL. */
static int read_trace(const char *path, const void *data, size_t size,
		      struct xs_trace **out, const char **error)
{
	struct xs_trace *trace = calloc(1, sizeof(*trace));
	struct xs_decoder decoder;
	struct xs_trace_visitor visitor;
	int rc;

	*out = NULL;
	*error = NULL;
	if (!trace)
		return -ENOMEM;
	xs_decoder_init(&decoder, trace, &visitor);
	rc = path ? xs_trace_input_visit_file(path, &visitor, error)
		  : xs_trace_input_visit_memory(data, size, &visitor, error);
	if (!rc)
		rc = xs_decoder_finish(&decoder);
	xs_decoder_release(&decoder);
	if (!rc)
		rc = xs_trace_join(trace);
	if (!rc)
		rc = xs_turns_join_threads(trace);
	if (!rc)
		rc = xs_sampling_tidy(trace);
	if (!rc)
		rc = xs_unhooked_estimate(trace);
	if (!rc && is_timed_by_events(trace))
		rc = xs_infer_memory_kinds(trace);
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
