/* SPDX-License-Identifier: MIT */
/* The closed forms for a workload that is given in numbers. */
#include "model/strategies/model.h"

#include <errno.h>
#include <math.h>

/* Returns whether the bytes or the time of a direction are given. */
static bool given(double bytes, double ns)
{
	return (isfinite(ns) && ns >= 0) ||
	       (isnan(ns) && isfinite(bytes) && bytes >= 0);
}

int xs_model_workload(const struct xs_workload *workload,
		      const struct xs_machine *machine,
		      const struct xs_model_options *options,
		      struct xs_estimates *out)
{
	const struct xs_closed_form c = {machine, *workload, 1, 1, 0, true};

	if (!given(workload->h2d_bytes, workload->h2d_ns) ||
	    !given(workload->d2h_bytes, workload->d2h_ns) ||
	    !isfinite(workload->kernel_ns) || workload->kernel_ns < 0)
		return -EINVAL;
	for (size_t i = 0; xs_closed_forms[i]; i++)
		xs_closed_forms[i]->add(&c, options->streams, out);
	return 0;
}
