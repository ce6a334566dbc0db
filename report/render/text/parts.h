/* SPDX-License-Identifier: MIT */
/* The parts of the text report that have a file of their own. */
#ifndef XS_REPORT_RENDER_TEXT_PARTS_H
#define XS_REPORT_RENDER_TEXT_PARTS_H

#include "report/render/text/terminal.h"
#include "report/result/result.h"

/* Phases whose strategies are shown. */
#define XS_TEXT_PHASES 6

/* What was seen, and what of it was seen in part alone. */
void xs_render_text_coverage(const struct xs_terminal *terminal,
			     struct xs_result *result);

/* The devices in a few words, and what each of several did. */
const char *xs_render_text_devices_name(struct xs_result *result);
int xs_render_text_devices(const struct xs_terminal *terminal,
			   const struct xs_result *result);

/* What the host waited for, the longest waits. */
void xs_render_text_waits(const struct xs_terminal *terminal,
			  const struct xs_result *result);

/* The best change for each phase, and the alternatives. */
void xs_render_text_advice(const struct xs_terminal *terminal,
			   struct xs_result *result);

/* The source lines that an advice is about, where they are to be had. */
void xs_render_text_source_lines(const struct xs_terminal *terminal,
				 struct xs_result *result,
				 const struct xs_result_advice *advice);

/* The table of strategies, the sweep over n, and what abstained and why. 0 or
 * -ENOMEM. */
int xs_render_text_strategies(const struct xs_terminal *terminal,
			      struct xs_result *result);

/* The phases on ATGPU, and what it says of them beside what was measured. 0 or
 * -ENOMEM. */
int xs_render_text_atgpu(const struct xs_terminal *terminal,
			 struct xs_result *result);

#endif
