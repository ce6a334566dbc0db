/* SPDX-License-Identifier: MIT */
/* Options of a report. */
#ifndef XS_REPORT_BUILD_OPTIONS_H
#define XS_REPORT_BUILD_OPTIONS_H

#include "model/machine.h"

#include <stdbool.h>
#include <stddef.h>

struct xs_elsewhere;

struct xs_trace;

struct xs_result_options {
	const struct xs_machine *machine; /* NULL: fit one from the trace */
	/* machines to replay the run on unchanged; they may go afterwards */
	const struct xs_elsewhere *elsewhere;
	size_t elsewhere_count;
	const struct xs_trace *counted; /* what kernels do; NULL: the trace */
	unsigned streams; /* also exactly this n; 0: the usual ones */
	bool atgpu;	  /* ATGPU's figures in text too */
};

#endif
