/* SPDX-License-Identifier: MIT */
#include "analyzer/read/survey.h"

#include "analyzer/util/bisect.h"
#include "analyzer/util/memory.h"

#include <stdlib.h>
#include <string.h>

#define BINS	    (1u << 17)
#define FIRST_SHIFT 10 /* 134 ms in all */

static bool is_call(xs_u8 kind)
{
	return kind == XS_REC_call || kind == XS_REC_copycall ||
	       kind == XS_REC_memcall || kind == XS_REC_waitcall ||
	       kind == XS_REC_pollcall;
}

static bool is_op(xs_u8 kind)
{
	return kind == XS_REC_kernel || kind == XS_REC_copy ||
	       kind == XS_REC_set || kind == XS_REC_graph;
}

/* Bins of the same time as both of a pair. */
static void widen(struct xs_survey *s)
{
	for (size_t i = 0; i < BINS; i++) {
		struct xs_survey_bin first = {0}, second = {0};

		if (2 * i < BINS) {
			first = s->bins[2 * i];
			second = s->bins[2 * i + 1];
		}
		first.records += second.records;
		if (!first.first_id ||
		    (second.first_id && second.first_id < first.first_id))
			first.first_id = second.first_id;
		if (second.last_id > first.last_id)
			first.last_id = second.last_id;
		s->bins[i] = first;
	}
	s->shift++;
}

static struct xs_survey_bin *bin_of(struct xs_survey *s, uint64_t start_ns)
{
	const uint64_t after_ns =
	    start_ns > s->begin_ns ? start_ns - s->begin_ns : 0;

	while (after_ns >> s->shift >= BINS)
		widen(s);
	return &s->bins[after_ns >> s->shift];
}

static void add_id(struct xs_survey_bin *bin, uint32_t id)
{
	if (!id)
		return;
	if (!bin->first_id || id < bin->first_id)
		bin->first_id = id;
	if (id > bin->last_id)
		bin->last_id = id;
}

static void on_header(void *self, const struct xs_file_header *header,
		      uint64_t file_bytes, uint64_t source_bytes)
{
	struct xs_survey *s = self;

	(void)file_bytes;
	(void)source_bytes;
	s->begin_ns = header->start_realtime_ns;
	s->shift = FIRST_SHIFT;
	s->bins = xs_calloc(BINS, sizeof(*s->bins));
}

static void on_chunk(void *self, uint64_t at,
		     const struct xs_chunk_header *chunk)
{
	struct xs_survey *s = self;

	(void)at;
	s->base_ns = chunk->base_ns;
	s->of_calls = chunk->thread != 0;
}

/* A record that begins as all calls and ops do. */
static void add(struct xs_survey *s, const struct xs_rec_again *record)
{
	const bool call = is_call(record->kind) ||
			  (record->kind == XS_REC_again && s->of_calls);
	const uint64_t start_ns = s->base_ns + record->start;
	struct xs_survey_bin *bin = bin_of(s, start_ns);

	s->records++;
	bin->records++;
	if (!call)
		return;
	s->calls++;
	add_id(bin, record->correlation);
}

/* Returns the index of the first id that is not less. */
static size_t find_graph(const struct xs_survey *s, uint32_t correlation)
{
	size_t low = 0, high = s->graph_count;

	XS_BISECT(low, high, i, s->graphs[i] < correlation);
	return low;
}

bool xs_survey_has_graph(const struct xs_survey *s, uint32_t correlation)
{
	const size_t at = find_graph(s, correlation);

	return at < s->graph_count && s->graphs[at] == correlation;
}

static void add_graph(struct xs_survey *s, const struct xs_rec_graph *record)
{
	const size_t at = find_graph(s, record->correlation);

	add(s, (const void *)record);
	if (!record->by_node || s->graph_count == XS_READ_GRAPHS ||
	    xs_survey_has_graph(s, record->correlation))
		return;
	memmove(&s->graphs[at + 1], &s->graphs[at],
		(s->graph_count++ - at) * sizeof(*s->graphs));
	s->graphs[at] = record->correlation;
}

static void on_record(void *self, uint64_t at, const xs_u8 *record)
{
	struct xs_survey *s = self;
	const xs_u8 kind = record[0];
	const size_t bytes = record[1] * 4u;

	(void)at;
	if (kind == XS_REC_time && bytes >= sizeof(struct xs_rec_time))
		s->base_ns =
		    ((const struct xs_rec_time *)(const void *)record)->base_ns;
	else if (kind == XS_REC_detail || kind == XS_REC_tally)
		s->sampled = true;
	else if (kind == XS_REC_graph && bytes >= sizeof(struct xs_rec_graph))
		add_graph(s, (const void *)record);
	else if ((is_call(kind) || is_op(kind) || kind == XS_REC_again) &&
		 bytes >= sizeof(struct xs_rec_again))
		add(s, (const void *)record);
}

/* The second visitor is told. */
static void on_defect(void *self, uint64_t at, const char *text)
{
	(void)self;
	(void)at;
	(void)text;
}

void xs_survey_init(struct xs_survey *s, struct xs_trace_visitor *visitor)
{
	*s = (struct xs_survey){0};
	*visitor = (struct xs_trace_visitor){.self = s,
					     .header = on_header,
					     .chunk = on_chunk,
					     .record = on_record,
					     .defect = on_defect};
}

void xs_survey_release(struct xs_survey *s)
{
	free(s->bins);
	s->bins = NULL;
}

static uint64_t begin_of_bin(const struct xs_survey *s, size_t bin)
{
	const uint64_t after_ns = (uint64_t)bin << s->shift;

	if (!bin)
		return 0;
	return after_ns >> s->shift != bin || s->begin_ns + after_ns < after_ns
		   ? UINT64_MAX
		   : s->begin_ns + after_ns;
}

/* Adds a bin, the last one so far, to a window. */
static void add_bin(const struct xs_survey *s, size_t i,
		    struct xs_read_window *window)
{
	const struct xs_survey_bin *bin = &s->bins[i];

	window->times.end_ns = begin_of_bin(s, i + 1);
	if (!window->first_id ||
	    (bin->first_id && bin->first_id < window->first_id))
		window->first_id = bin->first_id;
	if (bin->last_id > window->last_id)
		window->last_id = bin->last_id;
}

void xs_survey_choose(const struct xs_survey *s, uint64_t most_records,
		      struct xs_read_windows *out)
{
	const uint64_t length = most_records / XS_READ_WINDOWS;
	uint64_t seen = 0, end = 0;

	*out = (struct xs_read_windows){.count = 0};
	if (!s->calls || s->records <= most_records || s->sampled)
		return;
	for (size_t i = 0; i < BINS; seen += s->bins[i++].records) {
		if (out->count < XS_READ_WINDOWS && seen >= end &&
		    seen >= out->count * (s->records - length) /
				(XS_READ_WINDOWS - 1)) {
			out->items[out->count++].times.begin_ns =
			    begin_of_bin(s, i);
			end = seen + length;
		}
		if (seen < end)
			add_bin(s, i, &out->items[out->count - 1]);
	}
	if (end >= s->records)
		out->items[out->count - 1].times.end_ns = UINT64_MAX;
}

/* Returns the last window that begins by then; the first begins at 0. */
static size_t last_begun(const struct xs_read_windows *windows,
			 uint64_t time_ns)
{
	size_t low = 1, high = windows->count;

	XS_BISECT(low, high, i, windows->items[i].times.begin_ns <= time_ns);
	return low - 1;
}

bool xs_read_windows_have_call(const struct xs_read_windows *windows,
			       uint64_t start_ns)
{
	return !windows->count ||
	       start_ns <
		   windows->items[last_begun(windows, start_ns)].times.end_ns;
}

bool xs_read_windows_have_op(const struct xs_read_windows *windows,
			     uint64_t start_ns, uint32_t correlation)
{
	size_t last;

	if (!windows->count)
		return true;
	last = last_begun(windows, start_ns);
	for (size_t i = last ? last - 1 : 0; i <= last; i++) {
		const struct xs_read_window *window = &windows->items[i];

		if (correlation >= window->first_id &&
		    correlation <= window->last_id &&
		    (start_ns < window->times.end_ns ||
		     start_ns - window->times.end_ns <
			 window->times.end_ns - window->times.begin_ns))
			return true;
	}
	return false;
}

bool xs_read_windows_have_span(const struct xs_read_windows *windows,
			       uint64_t start_ns, uint64_t end_ns)
{
	return xs_read_windows_have_call(windows, start_ns) ||
	       last_begun(windows, start_ns) != last_begun(windows, end_ns);
}
