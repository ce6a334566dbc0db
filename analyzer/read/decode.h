/* SPDX-License-Identifier: MIT */
/* The visitor that fills a struct xs_trace. */
#pragma once

#include "analyzer/read/survey.h"
#include "analyzer/read/trace.h"
#include "analyzer/records/again.h"
#include "analyzer/records/trace_visitor.h"
#include "analyzer/util/distinct.h"

/* One table of the trace: its elements, and the index of the element of each
 * id. */
struct xs_id_table {
	void *items_at; /* address of the pointer to the elements */
	size_t *count;
	size_t item_bytes;
	const void *initial; /* initial value of a new element */
	uint32_t *slots;     /* by id: index + 1; 0: no element yet */
	size_t room;	     /* number of slots */
};

struct xs_text_piece {
	char *text;
	size_t bytes;
};

/* Indices of a source record; resolved when all strings are known. */
struct xs_source_line {
	uint32_t site, symbol, file, line;
	bool outer;
};

struct xs_decoder {
	struct xs_trace *trace;
	uint32_t id_limit; /* larger ids are damaged: the file is too small for
			    * them */
	struct xs_id_table strings, modules, sites, shapes, queues;
	struct xs_text_piece *pieces; /* strings, which may arrive in parts */
	size_t piece_count;
	struct xs_source_line *sources;
	size_t source_count;
	uint64_t losses[6];	  /* by enum xs_loss, from loss records */
	uint64_t undefined[4];	  /* by enum xs_loss, from `again` records whose
				   * original is missing */
	int64_t clock_ahead_ns;	  /* of the first clock record: by how much
				   * CLOCK_REALTIME is ahead; 0: none yet */
	uint64_t last_ns;	  /* latest time in the trace so far */
	uint64_t ignored_from_ns; /* 0: records are not being ignored */
	uint64_t counted_from_ns; /* 0: calls are not only counted */
	uint64_t most_records;	  /* that are read; 0: all */
	struct xs_survey survey;
	struct xs_trace_visitor survey_visitor;
	struct xs_read_windows windows;
	struct xs_distinct_map skipped_calls; /* outside of them */
	struct xs_skipped *skipped_ops;	      /* by queue */
	size_t skipped_room;
	/* state of the current chunk */
	struct xs_again again;
	uint64_t at, base_ns, wide_duration_ns;
	uint32_t thread, wide_site;
	uint8_t fixed_bytes[256]; /* by record kind; 0: unknown kind */
};

/* most_records: of a long trace, about so many are read (survey.h); 0: all. */
void xs_decoder_init(struct xs_decoder *decoder, struct xs_trace *trace,
		     uint64_t most_records, struct xs_trace_visitor *visitor);
/* Completes the trace after the last record; does not join it. */
void xs_decoder_finish(struct xs_decoder *decoder);
void xs_decoder_release(struct xs_decoder *decoder);

/*
 * Tables of strings, modules, sites, shapes, queues, devices and infos.
 *
 * The element of an id is created when the id is first mentioned, because its
 * own record may come later in the file. Stores the element's index in *index.
 */
void *xs_decoder_element(struct xs_decoder *decoder, struct xs_id_table *table,
			 uint32_t id, uint32_t *index);
/* Takes a record that defines a table entry. */
void xs_decoder_add_entry(struct xs_decoder *decoder, const void *record);
void xs_decoder_defect(struct xs_decoder *decoder, uint64_t at,
		       const char *text);
void xs_decoder_start_tables(struct xs_decoder *decoder, uint64_t source_bytes);
void xs_decoder_finish_tables(struct xs_decoder *decoder);

/* Takes a record of a kernel, a copy or a set (decode_ops.c). */
void xs_decoder_add_op(struct xs_decoder *decoder, const void *record);
/* Count what is not read (decode_skipped.c). */
void xs_decoder_skip_call(struct xs_decoder *decoder,
			  const struct xs_call *call);
void xs_decoder_skip_op(struct xs_decoder *decoder, const struct xs_op *op);
/* Whether an op, or the launch of a graph, is read. */
static inline bool xs_decoder_reads_op(const struct xs_decoder *d,
				       uint64_t start_ns, uint32_t correlation)
{
	return xs_read_windows_have_op(&d->windows, start_ns, correlation) ||
	       xs_survey_has_graph(&d->survey, correlation);
}
/* Adds the windows and what was skipped to the trace. */
void xs_decoder_finish_windows(struct xs_decoder *decoder);

void xs_decoder_add_graph_launch(struct xs_decoder *decoder,
				 const struct xs_rec_graph *record);

/* Returns the sum, or the largest time if it is larger. */
static inline uint64_t xs_decoder_after(uint64_t time_ns, uint64_t duration_ns)
{
	return time_ns + duration_ns < time_ns ? UINT64_MAX
					       : time_ns + duration_ns;
}
