/* SPDX-License-Identifier: MIT */
/* Reads the binary form of a trace and passes its parts to a visitor. */
#ifndef XS_ANALYZER_RECORDS_TRACE_READER_H
#define XS_ANALYZER_RECORDS_TRACE_READER_H

#include "analyzer/records/trace_visitor.h"

#include <stdbool.h>

/*
 * Reads a binary trace in memory. Time and memory are bounded by its size,
 * whatever the input. Damage is reported to visitor->defect. mapped: data is a
 * mapping, whose pages are dropped once read. Returns 0, an error of the
 * visitor, or -EPROTO or -EPROTONOSUPPORT with *error set to static text.
 */
int xs_trace_reader_read(const void *data, uint64_t size, bool mapped,
			 const struct xs_trace_visitor *visitor,
			 const char **error);

#endif
