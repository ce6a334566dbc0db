/* SPDX-License-Identifier: MIT */
#include "tests/unit.h"

#include "analyzer/rounds/phase.h"
#include "analyzer/text/trace_text.h"
#include "analyzer/timeline/timeline.h"
#include "analyzer/waits/wait_sites.h"
#include "tests/analyzer/support.h"

#include "analyzer/timeline/load_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const golden_names[] = {
    "again",	     "alternating",  "context",	      "contents",
    "counters",	     "empty",	     "flow",	      "frees",
    "graph",	     "graph-as-one", "graph-unknown", "graph-updated",
    "kernel-stream", "kernels",	     "killed",	      "loop-head",
    "opsonly",	     "order",	     "pointers",      "serial",
    "sizes",	     "streams",	     "threads",	      "tiny",
    "transfers",     "waits",	     "wide"};
const size_t golden_count = sizeof(golden_names) / sizeof(*golden_names);

struct bytes binary_of(const char *text)
{
	struct xs_text_error error;
	struct bytes bytes;
	FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	FILE *out = open_memstream(&bytes.data, &bytes.size);
	int rc;

	assert_non_null(in);
	assert_non_null(out);
	rc = xs_text_parse(in, out, &error);
	if (rc)
		fail_msg("line %lu: %s", error.line, error.text);
	fclose(in);
	fclose(out);
	return bytes;
}

struct xs_trace *read_text(const char *text)
{
	struct xs_trace *trace;
	const char *error;

	if (xs_trace_read_memory(text, strlen(text), &trace, &error))
		fail_msg("%s", error ? error : "cannot be read");
	return trace;
}

struct bytes file_bytes(const char *path)
{
	FILE *in = fopen(path, "rb");
	struct bytes bytes;
	FILE *out = open_memstream(&bytes.data, &bytes.size);
	int c;

	assert_non_null(in);
	assert_non_null(out);
	while ((c = getc(in)) != EOF)
		putc(c, out);
	fclose(in);
	fclose(out);
	return bytes;
}

const char *golden_path(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path),
		 XS_SOURCE_DIR "/tests/analyzer/golden/%s.trace", name);
	return path;
}

int analyze(const void *data, size_t size, size_t *ops)
{
	struct xs_wait_sites waits;
	struct xs_timeline timeline;
	struct xs_phases phases;
	struct xs_trace *trace;
	const char *error;
	int rc = xs_trace_read_memory(data, size, &trace, &error);

	*ops = 0;
	if (rc) {
		assert_null(trace);
		return rc;
	}
	*ops = trace->op_count;
	xs_timeline_build(trace, &timeline);
	xs_wait_sites_build(trace, NULL, &waits);
	xs_wait_sites_free(&waits);
	xs_phases_build(trace, &phases);
	xs_phases_free(&phases);
	xs_trace_free(trace);
	return 0;
}
