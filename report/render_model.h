/* SPDX-License-Identifier: MIT */
/* What `xferspy model` prints: equations evaluated from numbers alone. */
#ifndef XS_REPORT_RENDER_MODEL_H
#define XS_REPORT_RENDER_MODEL_H

#include "report/result.h"

#include <stdio.h>

/* One workload on one machine. */
struct xs_model_result {
	struct xs_machine machine;
	/* one round: bytes where given, else XS_UNKNOWN; times by G where not
	 * given, XS_UNKNOWN where G is not known either */
	int64_t h2d_bytes, d2h_bytes, h2d_ns, d2h_ns, kernel_ns;
	struct xs_result_estimate *estimates;
	size_t estimate_count;
};

/* {schema, machine, estimates}. 0, -ENOMEM or -EIO. */
int xs_render_model_json(const struct xs_model_result *model, FILE *out);
/* 0 or -ENOMEM. */
int xs_render_model_text(const struct xs_model_result *model, bool color,
			 FILE *out);

#endif
