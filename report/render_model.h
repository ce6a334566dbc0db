/* SPDX-License-Identifier: MIT */
/* What `xferspy model` prints: equations evaluated from numbers alone. */
#ifndef XS_REPORT_RENDER_MODEL_H
#define XS_REPORT_RENDER_MODEL_H

#include "report/model_result.h"

#include <stdio.h>

/* {schema, machine, estimates, bounds, compared, answers}. 0, -ENOMEM or -EIO.
 */
int xs_render_model_json(const struct xs_model_result *model, FILE *out);
/* 0 or -ENOMEM. */
int xs_render_model_text(const struct xs_model_result *model, bool color,
			 FILE *out);

#endif
