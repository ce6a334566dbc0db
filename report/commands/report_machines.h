/* SPDX-License-Identifier: MIT */
/* The machine profiles of a report. */
#pragma once

#include "model/machine/machine.h"
#include "report/build/options.h"

struct xs_report_machines {
	struct xs_machine first;	 /* for the estimates */
	struct xs_other_machine *others; /* the caller frees them */
	size_t other_count;
};

/* Loads the first profile, unless it is "fitted", and the others, and sets the
 * options for them, which then refer to *out. Returns 0, or an exit code after
 * printing an error. */
int xs_report_machines_load(const char *const *names, size_t count,
			    struct xs_report_machines *out,
			    struct xs_result_options *how);
