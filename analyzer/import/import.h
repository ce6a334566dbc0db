/* SPDX-License-Identifier: MIT */
/* Traces of other tools, read as records of the xferspy format. */
#pragma once

#include "analyzer/records/trace_reader.h"

/*
 * Passes a trace to the visitor. Returns 0, an error of the visitor, -errno, or
 * -EPROTO or -EPROTONOSUPPORT with *error set; it is valid until this thread's
 * next read.
 */
typedef int xs_importer(const struct xs_trace_bytes *bytes,
			const struct xs_trace_visitor *visitor,
			const char **error);

/* Returns what reads a file, by its first bytes, or NULL. */
xs_importer *xs_importer_find(const void *data, uint64_t size);

/* An SQLite export of Nsight Systems. */
xs_importer xs_import_nsys;

/* Events in the format of Chrome, of PyTorch's profiler or of JAX: JSON, plain
 * or compressed by gzip. */
xs_importer xs_import_chrome;

/* Stores a message for *error. Returns -EPROTO. */
int xs_import_fail(const char **error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
