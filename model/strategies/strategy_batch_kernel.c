/* SPDX-License-Identifier: MIT */
/* batch-kernel: a kernel reads over the link what is apart in pinned memory. */
#include "model/strategies/between_programs.h"
#include "model/strategies/strategy.h"

static struct xs_action op_of(const struct xs_machine *m,
			      const struct xs_small_copies *run)
{
	struct xs_action action = xs_action_kernel(m, 0);

	action.bytes[XS_LINK_READ] = run->bytes;
	action.tail_ns = xs_or_zero(m->mapped_read_latency_ns.value);
	return action;
}

static double needed(const struct xs_machine *m)
{
	return m->mapped_read.value;
}

/* A request reads a line of 128 bytes, at the rate of mapped reads. */
static const struct xs_batch_way way = {.op = op_of,
					.least_bytes = 128,
					.needs = "the rate of mapped reads",
					.needed = needed};

const struct xs_strategy xs_strategy_batch_kernel = {
    .id = "batch-kernel",
    .effort = XS_EFFORT_PLACE,
    .needs = XS_NEEDS_TIMED_COPIES | XS_NEEDS_COPY_RATES,
    .changes = XS_CHANGES_SIZES,
    .spares = XS_CHANGES_HOST,
    .check = XS_CHECK_mapped,
    .error = XS_ERROR_mapped,
    .keeps_allocations = true,
    .keeps_copies = true,
    .least_copies = XS_SMALL_COPIES_LEAST,
    .batch_way = &way,
    .build = xs_batch_direct_build,
    .first = "let a kernel read the small parts of {places}",
    .advice = "Let a kernel read the small parts of {places} from pinned "
	      "memory and write them to the device's, at the place of the "
	      "last: in a round, {why} that reads them over the link.",
    .code =
	{
	    [XS_LANGUAGE_CUDA] =
		"for (; i < all; i += threads) // 16 bytes each; from: pinned\n"
		"    to[i] = from[i / part][i % part];",
	},
};
