/* SPDX-License-Identifier: MIT */
/* Traces in the formats of other tools: one file each, and their table. */
#pragma once

#include "analyzer/read/trace.h"

#include <stdio.h>

struct xs_exporter {
	const char *name; /* as in --to NAME */
	const char *help; /* what it writes */
	bool folder;	  /* that is a folder, not a file */
	/* Returns why it cannot write there and what to do instead, or NULL.
	 * NULL: it can write anywhere. */
	const char *(*refuse)(const char *path, const char **what_to_do);
	/* Writes the trace, which is read and resolved, to an empty file, by
	 * its stream or its name, or to an empty folder, for which out is NULL.
	 * Returns 0 or -errno. */
	int (*write)(const struct xs_trace *trace, FILE *out, const char *path);
};

/* All of them; one without a name ends the list. */
extern const struct xs_exporter xs_exporters[];

int xs_export_perfetto(const struct xs_trace *trace, FILE *out,
		       const char *path);
int xs_export_otf2(const struct xs_trace *trace, FILE *out, const char *path);
int xs_export_sqlite(const struct xs_trace *trace, FILE *out, const char *path);
const char *xs_export_sqlite_refuse(const char *path, const char **what_to_do);
