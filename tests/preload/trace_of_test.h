/* SPDX-License-Identifier: MIT */
/* A trace that each test writes, and its records. */
#pragma once

#include "tests/unit.h"

#include "preload/trace/trace_file.h"
#include "records.h"

#define PATH  "test.xspy"
#define START 1700000000000000000u

static struct records r;

/* Begins a trace in place of the last one. Returns 0 or -errno. */
static inline int begin_trace(struct xs_trace_file *trace)
{
	const struct xs_trace_file_start start = {1, START, 5};

	unlink(PATH);
	return xs_trace_file_open(trace, PATH, &start);
}

/* Ends it and reads its records, of which none is damaged. */
static inline void end_trace(struct xs_trace_file *trace)
{
	xs_trace_file_close(trace, START + 1);
	records_read(&r, PATH);
	assert_int_equal(r.damaged, 0);
}

static inline int drop_records(void **state)
{
	(void)state;
	records_free(&r);
	return 0;
}
