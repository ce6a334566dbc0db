/* SPDX-License-Identifier: MIT */
/* Shared by the tests of analyzer/. */
#pragma once

#include "analyzer/read/trace.h"

struct bytes {
	char *data; /* owned */
	size_t size;
};

/* Returns the binary trace that a text describes. Errors fail the test. */
struct bytes binary_of(const char *text);
struct bytes file_bytes(const char *path);
/* Returns the trace that a text describes. Errors fail the test. */
struct xs_trace *read_text(const char *text);
/* Returns tests/analyzer/golden/NAME.trace, in static storage. */
const char *golden_path(const char *name);
extern const char *const golden_names[];
extern const size_t golden_count;

/* Reads a trace and runs every stage. Returns what xs_trace_read() returned. */
int analyze(const void *data, size_t size, size_t *ops);
