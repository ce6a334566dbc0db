/* SPDX-License-Identifier: MIT */
/* A trace, binary or text, through every stage of the analyzer, to its dump,
 * and through these again. */
#include "tests/fuzz/fuzz.h"

#include "analyzer/dataflow/dataflow.h"
#include "analyzer/read/survey.h"
#include "analyzer/read/text_dump.h"
#include "analyzer/rounds/phase.h"
#include "analyzer/symbols/symbols.h"
#include "analyzer/timeline/allocations.h"
#include "analyzer/timeline/load_trace.h"
#include "analyzer/timeline/timeline.h"
#include "analyzer/waits/wait_sites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void run_stages(struct xs_trace *trace)
{
	struct xs_allocations allocations;
	struct xs_dataflow dataflow;
	struct xs_wait_sites waits;
	struct xs_timeline timeline;
	struct xs_phases phases;
	uint64_t bytes;

	xs_timeline_build(trace, &timeline);
	xs_wait_sites_build(trace, NULL, &waits);
	xs_wait_sites_free(&waits);
	xs_phases_build(trace, &phases);
	xs_phases_count(&phases, trace, trace);
	xs_phases_free(&phases);
	xs_allocations_build(trace, &allocations);
	xs_allocations_peak(&allocations, trace->begin_ns, trace->end_ns,
			    &bytes);
	xs_allocations_free(&allocations);
	if (xs_dataflow_build(trace, 0, UINT64_MAX, NULL, &dataflow) == 0)
		xs_dataflow_free(&dataflow);
	for (size_t i = 0; i < trace->site_count && i < 100; i++)
		xs_symbols_user_site(trace, (uint32_t)i);
	xs_trace_free(trace);
}

static void read_whole(const void *data, size_t size)
{
	struct xs_trace *trace;
	const char *error;

	if (xs_trace_read_memory(data, size, &trace, &error) == 0)
		run_stages(trace);
}

/* As a long trace is read. */
static void read_in_windows(const void *data, size_t size)
{
	const int file = memfd_create("trace", MFD_CLOEXEC);
	struct xs_trace *trace;
	const char *error;
	char path[40];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	if (file >= 0 && write(file, data, size) == (ssize_t)size &&
	    xs_trace_read_most(path, XS_READ_WINDOWS, &trace, &error) == 0)
		run_stages(trace);
	close(file);
}

/* A dump must be readable again, whatever the trace was. */
static void dump_and_parse(const void *data, size_t size)
{
	char *text = NULL;
	size_t text_size = 0;
	const char *error;
	FILE *out = open_memstream(&text, &text_size);

	if (!out)
		return;
	if (xs_text_dump_memory(data, size, out, &error) == 0 &&
	    fflush(out) == 0)
		read_whole(text, text_size);
	fclose(out);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* a separate, aligned allocation, so that reads past the end are
	 * detected */
	void *copy = malloc(size);

	if (!copy)
		return 0;
	memcpy(copy, data, size);
	read_whole(copy, size);
	read_in_windows(copy, size);
	dump_and_parse(copy, size);
	free(copy);
	return 0;
}
