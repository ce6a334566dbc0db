/* SPDX-License-Identifier: MIT */
/*
 * A first look at a long trace, and which parts of it are read. It counts
 * records over the time of the run; as many of them as fit into memory are then
 * read in windows, evenly spread over the records, and other calls are only
 * counted, as those of a sampled run (sampling/).
 */
#pragma once

#include "analyzer/read/trace.h"
#include "analyzer/records/trace_visitor.h"

/* Each has room for the largest rounds that are predicted, if
 * XS_READ_MOST_RECORDS are read in all. */
#define XS_READ_WINDOWS 16
#define XS_READ_GRAPHS	4096

/* Ops belong to the window of their calls, by the ids of these. */
struct xs_read_window {
	struct xs_window times;
	uint32_t first_id, last_id; /* correlation ids of its calls */
};

struct xs_survey_bin {
	uint32_t records;
	uint32_t first_id, last_id; /* of its calls; 0: none */
};

/* A visitor. Bins get wider as the run turns out to be longer. */
struct xs_survey {
	struct xs_survey_bin *bins;
	uint64_t begin_ns;
	unsigned shift; /* a bin is of 1 << shift ns */
	uint64_t calls, records;
	uint64_t base_ns; /* of the current chunk */
	bool of_calls;	  /* it is of a thread that calls */
	bool sampled;	  /* the library did not record all of the run */
	/* Launches of graphs that were recorded by node: others are taken to be
	 * like these, so they are read. */
	uint32_t graphs[XS_READ_GRAPHS]; /* their ids, sorted */
	size_t graph_count;
};

void xs_survey_init(struct xs_survey *survey, struct xs_trace_visitor *visitor);
void xs_survey_release(struct xs_survey *survey);

/* Windows of a trace; none: all of it is read. */
struct xs_read_windows {
	struct xs_read_window items[XS_READ_WINDOWS];
	size_t count;
};

/*
 * Chooses windows with about so many records, from the first one to the last.
 * None if the trace has no more records, no calls, or is of a sampled run.
 */
void xs_survey_choose(const struct xs_survey *survey, uint64_t most_records,
		      struct xs_read_windows *out);

/* Whether a call with that start, or what belongs to it, is read. */
bool xs_read_windows_have_call(const struct xs_read_windows *windows,
			       uint64_t start_ns);

/* Whether an op is read: it may begin as long after the window of its call as
 * that lasts. */
bool xs_read_windows_have_op(const struct xs_read_windows *windows,
			     uint64_t start_ns, uint32_t correlation);

/* Whether it is of the launch of a graph that is read in any case. */
bool xs_survey_has_graph(const struct xs_survey *survey, uint32_t correlation);

/* Whether a part of the span lies in a window. */
bool xs_read_windows_have_span(const struct xs_read_windows *windows,
			       uint64_t start_ns, uint64_t end_ns);
