/* SPDX-License-Identifier: MIT */
/* Traces in the formats of other tools: one file each, and their table. */
#ifndef XS_REPORT_EXPORT_EXPORT_H
#define XS_REPORT_EXPORT_EXPORT_H

#include "analyzer/read/trace.h"

#include <stdio.h>

struct xs_exporter {
	const char *name; /* as in --to NAME */
	/* Writes the trace, which is read and resolved, to an empty file, by
	 * its stream or its name. Returns 0 or -errno. */
	int (*write)(const struct xs_trace *trace, FILE *out, const char *path);
};

/* All of them; NULL ends the list. */
extern const struct xs_exporter *const xs_exporters[];

extern const struct xs_exporter xs_exporter_perfetto, xs_exporter_sqlite;

#endif
