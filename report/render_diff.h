/* SPDX-License-Identifier: MIT */
/* A diff as text and JSON. */
#ifndef XS_REPORT_RENDER_DIFF_H
#define XS_REPORT_RENDER_DIFF_H

#include "report/diff.h"

#include <stdio.h>

/* gate_percent: of --fail-above, NAN without. 0, -ENOMEM or -EIO. */
int xs_render_diff_json(const struct xs_diff *diff, double gate_percent,
			FILE *out);
/* 0 or -ENOMEM. */
int xs_render_diff_text(struct xs_diff *diff, double gate_percent, bool color,
			FILE *out);

#endif
