/* SPDX-License-Identifier: MIT */
/*
 * The renderers. An output format is one file render_<name>.c and one row in
 * renderers.c; --format, its help text and its error message use that table.
 */
#pragma once

#include "report/diff/diff.h"
#include "report/formulas/formulas.h"
#include "report/job/job_diff.h"
#include "report/result/display.h"
#include "report/result/result.h"

#include <stdbool.h>
#include <stddef.h>

/* An output format. A command does not offer the format if its function is
 * NULL. */
struct xs_renderer {
	const char *name; /* as in --format NAME */
	bool dataflow;	  /* its report needs the dataflow */
	bool lacks_dataflow;
	bool timeline; /* its report needs the timeline */
	bool runs;     /* its report shows several runs and NVTX ranges */
	xs_render_report *report;
	xs_render_job *job;
	xs_render_job_diff *job_diff; /* where there is a diff */
	xs_render_diff *diff;
	xs_render_model *model;
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
