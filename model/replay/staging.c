/* SPDX-License-Identifier: MIT */
#include "model/replay/staging.h"

#include <math.h>

bool xs_step_is_pageable(const struct xs_step *step)
{
	return (step->kind == XS_STEP_H2D &&
		step->src_memory == XS_MEM_PAGEABLE) ||
	       (step->kind == XS_STEP_D2H &&
		step->dst_memory == XS_MEM_PAGEABLE);
}

#define LONG_LAUNCH_NS 30000u

bool xs_step_is_long_launch(const struct xs_step *step)
{
	return step->kind == XS_STEP_KERNEL && !step->blocking &&
	       step->return_ns - step->call_ns > LONG_LAUNCH_NS;
}

double xs_launches_await_staging(const struct xs_phase *phase)
{
	double staging_ns = 0, launches_ns = 0;

	if (phase->concurrent_ns <= phase->total_ns / 2 || !phase->wall_ns)
		return 0;
	for (size_t i = 0; i < phase->step_count; i++) {
		const struct xs_step *step = &phase->steps[i];
		const double call_ns =
		    (double)(step->return_ns - step->call_ns);

		if (xs_step_is_allocation(step))
			return 0;
		if (xs_step_is_pageable(step) &&
		    (double)step->bytes > XS_COPIED_BY_CALL_BYTES)
			staging_ns += call_ns;
		else if (xs_step_is_long_launch(step))
			launches_ns += call_ns;
	}
	staging_ns *= (double)phase->total_ns / (double)phase->wall_ns - 1;
	return launches_ns > 0 ? fmin(staging_ns / launches_ns, 1) : 0;
}
