/* SPDX-License-Identifier: MIT */
/* What a change costs once: pinned memory and streams. */
#include "model/strategies/strategy.h"

#include "model/machine/range_end.h"
#include "model/replay/recorded_plan.h"

#include <math.h>

/* Fewer bytes of a buffer than were measured take as long as the fewest that
 * were. */
static double measured_bytes(double buffers, double bytes)
{
	return fmax(bytes, buffers * XS_PIN_LEAST_BYTES);
}

double xs_registering_ns(const struct xs_machine *machine, double buffers,
			 double bytes)
{
	return buffers * machine->register_fixed_ns.value +
	       measured_bytes(buffers, bytes) * machine->register_byte_ns.value;
}

double xs_pinned_allocation_ns(const struct xs_machine *machine, double buffers,
			       double bytes)
{
	return buffers * machine->pin_fixed_ns.value +
	       measured_bytes(buffers, bytes) * machine->pin_byte_ns.value;
}

double xs_registering_work_ns(const struct xs_machine *machine,
			      const struct xs_round_work *work)
{
	return xs_registering_ns(machine, work->pinned_buffers,
				 work->pinned_bytes) +
	       work->fresh_bytes * xs_or_zero(machine->touch_byte_ns.value);
}

double xs_allocating_work_ns(const struct xs_machine *machine,
			     const struct xs_round_work *work)
{
	return xs_pinned_allocation_ns(machine, work->pinned_buffers,
				       work->pinned_bytes);
}

double xs_pinning_ns(const struct xs_machine *machine,
		     enum xs_language language, double buffers, double bytes)
{
	const double ns = xs_pinned_allocation_ns(machine, buffers, bytes);

	return language == XS_LANGUAGE_CUDA
		   ? fmin(xs_registering_ns(machine, buffers, bytes), ns)
		   : ns;
}

/* With a framework of Python, which allocates the memory with cudaMallocHost.
 * PyTorch's pin_memory() then copies what is copied in. */
static double framework_pinning_ns(const struct xs_strategy_case *c)
{
	const double ns = xs_allocating_work_ns(c->machine, &c->work);

	if (c->options->language != XS_LANGUAGE_PYTORCH)
		return ns;
	return ns + c->work.filled_bytes *
			xs_or_zero(c->machine->host_copy_byte_ns.value);
}

/* Of the host memory of a round's pageable copies. */
static double pinning_work_ns(const struct xs_strategy_case *c)
{
	const double ns = xs_allocating_work_ns(c->machine, &c->work);

	return c->options->language == XS_LANGUAGE_CUDA
		   ? fmin(xs_registering_work_ns(c->machine, &c->work), ns)
		   : framework_pinning_ns(c);
}

static double streams_and_pinning_ns(const struct xs_strategy_case *c,
				     double streams)
{
	return streams * xs_or_zero(c->machine->stream_create_ns.value) +
	       (c->work.pinned_buffers > 0 ? pinning_work_ns(c) : 0);
}

void xs_estimate_add_setup(const struct xs_strategy_case *c,
			   xs_setup_fn setup_ns, double amount,
			   struct xs_estimate *row)
{
	const double ns = setup_ns(c, amount);
	double ends[XS_RANGE_ENDS];

	for (int end = 0; end < XS_RANGE_ENDS; end++) {
		const struct xs_machine machine =
		    xs_machine_at(c->machine, (enum xs_range_end)end);
		struct xs_strategy_case at = *c;

		at.machine = &machine;
		if (end == XS_RANGE_HIGH) {
			at.work.pinned_buffers += c->work.more_buffers;
			at.work.pinned_bytes += c->work.more_bytes;
			at.work.filled_bytes += c->work.more_filled_bytes;
		}
		ends[end] = setup_ns(&at, amount);
	}
	row->setup_ns += ns;
	row->setup_less_ns += ns - ends[XS_RANGE_LOW];
	row->setup_more_ns += ends[XS_RANGE_HIGH] - ns;
}

void xs_estimate_set_setup_ns(const struct xs_strategy_case *c,
			      unsigned streams, struct xs_estimate *row)
{
	row->setup_ns = row->setup_less_ns = row->setup_more_ns = 0;
	row->pins_new = c->options->language == XS_LANGUAGE_CUDA &&
			xs_allocating_work_ns(c->machine, &c->work) <
			    xs_registering_work_ns(c->machine, &c->work);
	xs_estimate_add_setup(c, streams_and_pinning_ns, streams, row);
}

/* Whether every round copies from and to pageable memory at the same addresses.
 */
static bool are_same_addresses(const struct xs_phase *phase)
{
	for (size_t i = 0; i < phase->step_count; i++)
		if (xs_step_is_pageable(&phase->steps[i]) &&
		    !phase->steps[i].same_host)
			return false;
	return phase->step_count > 0;
}

/* The least number of uses of a buffer, in the mean. */
#define TURNS 8.0

/* Whether rounds use the same few buffers in turn: all of them are pinned. The
 * tensors of a framework may be new ones, to which the allocator gave memory
 * that it has freed. */
static bool are_in_turn(const struct xs_strategy_case *c)
{
	const struct xs_phase *phase = c->phase;
	const double copies = (double)(phase->h2d_ops + phase->d2h_ops);

	return c->options->language == XS_LANGUAGE_CUDA && phase->buffers > 0 &&
	       c->work.more_buffers <= 0 &&
	       (double)phase->buffers * TURNS <= (double)phase->rounds * copies;
}

#define ONE_SET "you keep one set of buffers: now "
#define MORE_SETS                                                              \
	"you keep a set of buffers for each round that runs at once: now "

static const char *const keeps_sets[][2] = {
    {ONE_SET "their addresses differ", MORE_SETS "their addresses differ"},
    {ONE_SET "each round has new pages, by its page faults",
     MORE_SETS "each has new pages, by its page faults"},
};

/* The sets of buffers that the phase's rounds use at one time. Rounds of other
 * phases beside them, as of other threads, have their own: they are not in the
 * time from its first round to its last one. */
static double sets_at_once(const struct xs_phase *phase)
{
	const double total_ns = (double)phase->total_ns;
	const double span_ns =
	    fmax((double)phase->wall_ns,
		 (double)(phase->last_end_ns - phase->first_start_ns));

	return xs_rounds_are_concurrent((double)phase->concurrent_ns,
					total_ns) &&
		       span_ns > 0
		   ? fmax(round(total_ns / span_ns), 1)
		   : 1;
}

/* What must be true of the buffers. *keeps: it is no more than that nothing
 * frees them. Their pages stay mapped if no round touches one first, but a
 * round may still free them and allocate them anew: malloc gives the same
 * memory again. NULL: nothing, as there is one round, or nothing to pin. */
static const char *same_buffers(const struct xs_strategy_case *c, bool *keeps)
{
	const struct xs_round_work *work = &c->work;
	/* the trace has no addresses of what CuPy stages */
	const bool known = work->staging_ns <= 0;
	const bool same = known && are_same_addresses(c->phase);
	const bool old = work->fresh_bytes <= 0;
	const bool more = sets_at_once(c->phase) > 1;

	*keeps = old && (same || are_in_turn(c));
	if (work->pinned_buffers <= 0 || c->phase->rounds <= 1)
		return NULL;
	if (*keeps)
		return same ? "no round frees the buffers, whose addresses are "
			      "the same in each"
			    : "no round frees the buffers";
	if (!xs_buffers_are_new(work) && known && !same &&
	    (c->phase->h2d_buffers || c->phase->d2h_buffers))
		return keeps_sets[0][more];
	return old ? "every round uses the same buffers (their addresses are "
		     "not known)"
		   : keeps_sets[1][more];
}

void xs_strategy_case_keep_buffers(struct xs_strategy_case *c)
{
	struct xs_round_work *work = &c->work;
	const double sets = sets_at_once(c->phase);
	bool keeps;

	if (!same_buffers(c, &keeps) || keeps || work->more_buffers > 0)
		return;
	work->pinned_bytes = fmin(work->pinned_bytes, sets * work->set_bytes);
	work->pinned_buffers =
	    fmin(work->pinned_buffers, sets * work->set_buffers);
	work->filled_bytes =
	    fmin(work->filled_bytes, sets * work->set_filled_bytes);
}

const char *xs_estimate_set_setup(const struct xs_strategy_case *c,
				  unsigned streams, struct xs_estimate *row)
{
	bool keeps;
	const char *same = same_buffers(c, &keeps);

	xs_estimate_set_setup_ns(c, streams, row);
	if (!same)
		return NULL;
	xs_estimate_assume(row, same);
	return keeps ? NULL : same;
}
