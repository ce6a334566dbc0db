/* SPDX-License-Identifier: MIT */
/* Reads the binary form of a trace and passes its parts to a visitor. */
#pragma once

#include "analyzer/records/trace_visitor.h"

#include <stdbool.h>

/* The bytes of a trace. Those of a file are read when they are needed, into a
 * private mapping of its size, and dropped after that: a large trace is not in
 * memory beside its decoded form. */
struct xs_trace_bytes {
	const xs_u8 *data;
	uint64_t size;
	int fd;		  /* the file; -1: data has all bytes */
	uint64_t filled;  /* bytes that were read from the file */
	uint64_t dropped; /* bytes that are no longer in memory */
	bool is_own;	  /* the data may be changed */
};

/* Reads the bytes before `end`, unless they were. What the file lost meanwhile
 * is 0. Returns 0 or -errno. */
int xs_trace_bytes_need(struct xs_trace_bytes *bytes, uint64_t end);

/*
 * Reads a binary trace. Time and memory are bounded by its size, whatever the
 * input. Damage is reported to visitor->defect. Returns 0, -errno of reading
 * the file, or -EPROTO or -EPROTONOSUPPORT with *error set to static text.
 */
int xs_trace_reader_read(struct xs_trace_bytes *bytes,
			 const struct xs_trace_visitor *visitor,
			 const char **error);
