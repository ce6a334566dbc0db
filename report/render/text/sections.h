/* SPDX-License-Identifier: MIT */
/* Sections of the text report. */
#pragma once

#include "report/render/text/terminal.h"
#include "report/result/result.h"

/* Phases whose missing figures are explained: each is compared with all
 * others. */
#define XS_TEXT_REASONS 100u

/* The table of phases. */
void xs_render_text_phase_table(const struct xs_terminal *terminal,
				struct xs_result *result);

/* Returns whether the result's phase of this index is one of the first to
 * print: the longest ones of the steady part, before others, or all. */
bool xs_render_text_is_first(const struct xs_result *result, size_t index);

/* Returns whether it is printed: it is one of these, unless it is small, or of
 * a printed step. */
bool xs_render_text_has_phase(const struct xs_result *result, size_t index);

/* The runs that the result is the median one of. */
void xs_render_text_runs(const struct xs_terminal *terminal,
			 struct xs_result *result);

/* How to get lines, if there are steps and no call has one. */
const char *xs_render_text_lines_note(const struct xs_result *result);

/* How complete the trace is, and what is missing. */
void xs_render_text_coverage(const struct xs_terminal *terminal,
			     struct xs_result *result);

/* Where the time went: of the steady part, if there is one. */
void xs_render_text_totals(const struct xs_terminal *terminal,
			   struct xs_result *result);

/* The devices in a few words; the work of each if there are several. */
const char *xs_render_text_devices_name(struct xs_result *result);
void xs_render_text_devices(const struct xs_terminal *terminal,
			    const struct xs_result *result);

/* The longest waits of the host. */
void xs_render_text_waits(const struct xs_terminal *terminal,
			  struct xs_result *result);

/* What bounds the run, in a few sentences. */
void xs_render_text_verdict(const struct xs_terminal *terminal,
			    struct xs_result *result);

/* The steps of the plan, or why there is none. */
void xs_render_text_plan(const struct xs_terminal *terminal,
			 struct xs_result *result);

/* The lines to write, one below the other; NULL: none. */
void xs_render_text_code(const struct xs_terminal *terminal, const char *code);

/* Returns how many of the plan's steps are printed. */
size_t xs_render_text_shown_steps(const struct xs_result *result);

/* Returns how many steps are printed with what they need. */
size_t xs_render_text_full_steps(const struct xs_result *result);

/* The source lines of a step, if the files are found. */
void xs_render_text_source_lines(const struct xs_terminal *terminal,
				 struct xs_result *result,
				 const struct xs_result_step *step);

/* The table of strategies; with --all also what follows. */
void xs_render_text_strategies(const struct xs_terminal *terminal,
			       struct xs_result *result);

/* The sweep over n, and abstentions with reasons, of printed phases. */
void xs_render_text_reasons(const struct xs_terminal *terminal,
			    struct xs_result *result);

/* Who needs what, if it is asked for. */
void xs_render_text_pinned_budget(const struct xs_terminal *terminal,
				  struct xs_result *result);
void xs_render_text_dataflow(const struct xs_terminal *terminal,
			     struct xs_result *result);
void xs_render_text_nvtx(const struct xs_terminal *terminal,
			 struct xs_result *result);

/* The phases in the ATGPU model beside measured times. */
void xs_render_text_atgpu(const struct xs_terminal *terminal,
			  struct xs_result *result);
