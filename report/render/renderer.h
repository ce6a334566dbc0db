/* SPDX-License-Identifier: MIT */
/*
 * The renderers. An output format is one file render_<name>.c and one row in
 * renderers.c; --format, its help text and its error message use that table.
 */
#ifndef XS_REPORT_RENDER_RENDERER_H
#define XS_REPORT_RENDER_RENDERER_H

#include "report/diff/diff.h"
#include "report/formulas/formulas.h"
#include "report/job/job_diff.h"
#include "report/result/display.h"
#include "report/result/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* An output format. A command does not offer the format if its function is
 * NULL. The functions return 0 or -errno; display: what shows out. */
struct xs_renderer {
	const char *name; /* as in --format NAME */
	bool dataflow;	  /* its report needs the dataflow */
	bool timeline;	  /* its report needs the timeline */
	bool runs;	  /* its report shows several runs and NVTX ranges */
	/* results of traces that could not be read are NULL */
	int (*report)(struct xs_result *const *results, size_t count,
		      const struct xs_display *display, FILE *out);
	/* of the traces of a job; all: no list is cut. NULL: the format has
	 * none */
	int (*job)(struct xs_job *job, bool all,
		   const struct xs_display *display, FILE *out);
	/* of two jobs; where there is one of two runs */
	int (*job_diff)(struct xs_job_diff *diff,
			const struct xs_display *display, FILE *out);
	/* gate_percent: value of --fail-above, NAN without */
	int (*diff)(struct xs_diff *diff, double gate_percent,
		    const struct xs_display *display, FILE *out);
	int (*model)(const struct xs_formulas_result *model,
		     const struct xs_display *display, FILE *out);
};

/* The commands that print through a renderer. */
enum xs_render_command { XS_RENDER_REPORT, XS_RENDER_DIFF, XS_RENDER_MODEL };

/* All renderers, the default first. */
extern const struct xs_renderer *const xs_renderers[];
extern const size_t xs_renderer_count;

/* Returns whether the command offers the format. */
bool xs_renderer_offers(const struct xs_renderer *renderer,
			enum xs_render_command command);

/* Returns the renderer of that name, or NULL if the command has none. */
const struct xs_renderer *xs_renderer_find(const char *name,
					   enum xs_render_command command);

/* Writes the names that the command offers: "text, json, csv". */
void xs_renderer_names(enum xs_render_command command, char *out, size_t size);

#endif
