/* SPDX-License-Identifier: MIT */
/* The least time of rounds side by side, which share a GPU and its link. */
#include "report/build/build.h"

#include <math.h>

/* What the rounds that have others beside them take of the run, and need of one
 * GPU, ns. */
struct demand {
	double wall_ns, in_ns, out_ns, kernels_ns;
	double
	    queue_ns; /* of those in the queue of the one that is looked at */
	double blocking_ns; /* the time of those that share its blocking queue
			     */
};

static bool is_beside(const struct xs_result_phase *phase)
{
	return phase->concurrent_ns > 0 && phase->total_ns > 0 &&
	       phase->rounds > 0;
}

/* The time that so many bytes take on the link; 0 if that is not known. */
static double link_ns(int64_t bytes, const struct xs_param *byte_ns)
{
	return isfinite(byte_ns->value) ? (double)bytes * byte_ns->value : 0;
}

static void add(const struct xs_machine *machine,
		const struct xs_result_phase *phase, bool same_queue,
		struct demand *to)
{
	const double rounds = (double)phase->rounds;
	const double in_ns =
	    rounds * link_ns(phase->h2d_bytes, &machine->G_h2d);
	const double out_ns =
	    rounds * link_ns(phase->d2h_bytes, &machine->G_d2h);
	const double kernels_ns =
	    rounds * (double)xs_number_or_zero(phase->kernel_busy_ns);

	to->in_ns += in_ns;
	to->out_ns += out_ns;
	to->kernels_ns += kernels_ns;
	if (same_queue)
		to->queue_ns += in_ns + out_ns + kernels_ns;
}

/* The time in which at least one kernel ran on the GPU: those of rounds side by
 * side may overlap. */
static double kernels_of_ns(const struct xs_result_run *run, int64_t device)
{
	for (size_t i = 0; i < run->device_count; i++)
		if (run->devices[i].index == device &&
		    run->devices[i].kernel_ns != XS_UNKNOWN)
			return (double)run->devices[i].kernel_ns;
	return 0;
}

static struct demand demand_of(const struct xs_result *result,
			       const struct xs_result_phase *of)
{
	struct demand sum = {0};

	XS_EACH(phase, result->phases, result->phase_count) {
		if (!is_beside(phase))
			continue;
		sum.wall_ns += (double)phase->wall_ns;
		if (phase->blocking_queue != XS_UNKNOWN &&
		    phase->blocking_queue == of->blocking_queue)
			sum.blocking_ns += (double)phase->total_ns;
		if (phase->device == of->device)
			add(&result->machine, phase,
			    phase->queue != XS_UNKNOWN &&
				phase->queue == of->queue,
			    &sum);
	}
	sum.kernels_ns =
	    fmin(sum.kernels_ns, kernels_of_ns(&result->run, of->device));
	return sum;
}

void xs_build_side_by_side(struct xs_result *result)
{
	XS_EACH_MUTABLE(phase, result->phases, result->phase_count) {
		struct demand all;
		double scale;

		if (!is_beside(phase))
			continue;
		all = demand_of(result, phase);
		if (all.wall_ns <= 0)
			continue;
		/* a round's part of the run is as its part of all rounds */
		scale = (double)phase->total_ns / (double)phase->rounds /
			all.wall_ns;
		phase->beside_link_ns =
		    xs_number_round(scale * fmax(all.in_ns, all.out_ns));
		phase->beside_kernels_ns =
		    xs_number_round(scale * all.kernels_ns);
		phase->beside_queue_ns = xs_number_round(scale * all.queue_ns);
		phase->blocking_at_once = all.blocking_ns / all.wall_ns;
	}
}
