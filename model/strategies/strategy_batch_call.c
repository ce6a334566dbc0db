/* SPDX-License-Identifier: MIT */
/* batch-call: one call of cuMemcpyBatchAsync copies what is apart. */
#include "model/strategies/between_programs.h"
#include "model/strategies/strategy.h"

/* g of a batch counts from its call, as calibrate measures it: it has the
 * call's time for each copy. */
static struct xs_action op_of(const struct xs_machine *m,
			      const struct xs_small_copies *run)
{
	struct xs_action action = xs_action_copy(m, true, run->bytes, false);

	action.call_ns =
	    m->call_batch_ns.value + run->copies * m->call_batch_copy_ns.value;
	action.tail_ns = (run->copies - 1) * m->g_batch_ns.value;
	return action;
}

static double needed(const struct xs_machine *m)
{
	return m->call_batch_ns.value + m->call_batch_copy_ns.value +
	       m->g_batch_ns.value;
}

static const struct xs_batch_way way = {.op = op_of,
					.least_bytes = XS_BATCH_COPY_BYTES,
					.needs =
					    "the time of a batch of copies",
					.needed = needed};

const struct xs_strategy xs_strategy_batch_call = {
    .id = "batch-call",
    .effort = XS_EFFORT_PLACE,
    .needs = XS_NEEDS_TIMED_COPIES | XS_NEEDS_COPY_RATES,
    .changes = XS_CHANGES_SIZES,
    .spares = XS_CHANGES_HOST,
    .check = XS_CHECK_streams,
    .error = XS_ERROR_pinned,
    .keeps_allocations = true,
    .keeps_copies = true,
    .least_copies = XS_SMALL_COPIES_LEAST,
    .batch_way = &way,
    .build = xs_batch_direct_build,
    .first = "copy the small parts of {places} with one call",
    .advice = "Copy the small parts of {places} with one call, at the place of "
	      "the last: in a round, {why}.",
    .code =
	{
	    [XS_LANGUAGE_CUDA] =
		"// CUDA 12.8; in a stream of its own or the round's, not 0\n"
		"cudaMemcpyBatchAsync(to, from, bytes, count, attributes, "
		"stream);",
	},
};
