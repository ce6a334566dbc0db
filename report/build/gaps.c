/* SPDX-License-Identifier: MIT */
/* Calls whose GPU records are missing. */
#include "report/build/build.h"

#include "analyzer/waits/record_gaps.h"

#include <errno.h>
#include <inttypes.h>

static const char *why(const struct xs_result_coverage *coverage)
{
	if (coverage->imported)
		return "the imported file lacks them";
	if (coverage->lost_ops || coverage->lost_cupti)
		return "they are among the lost records";
	return "another profiler in the process (torch.profiler?) may have "
	       "disabled them; run without it";
}

static void add_gap(struct xs_result *result, const struct xs_result_gap *gap)
{
	struct xs_result_coverage *out = &result->coverage;
	const char *what = xs_arena_print(
	    &result->arena, "%" PRId64 " of %" PRId64 " %s have no GPU record",
	    gap->calls, gap->of, gap->kind);

	if (!out->gaps || !what)
		return;
	out->gaps[out->gap_count++] = *gap;
	xs_build_note(result,
		      "%s, between %s and %s of the run: %s; figures of that "
		      "time are too low",
		      what, xs_units_ns(gap->from_ns).s,
		      xs_units_ns(gap->to_ns).s, why(out));
	/* without more than a twentieth of a kind, figures mislead */
	if (!out->lacking && gap->calls > gap->of / 20)
		out->incomplete = out->lacking = what;
}

int xs_build_gaps(struct xs_result *result, const struct xs_trace *trace)
{
	struct xs_result_coverage *out = &result->coverage;
	static const char *const kinds[] = {"copies", "sets", "kernels"};
	struct xs_record_gap gaps[XS_RECORD_GAP_KINDS];

	if (xs_record_gaps_find(trace, gaps))
		return -ENOMEM;
	out->gaps = xs_arena_alloc(&result->arena, XS_RECORD_GAP_KINDS,
				   sizeof(*out->gaps));
	for (size_t i = 0; i < XS_RECORD_GAP_KINDS; i++) {
		const struct xs_result_gap gap = {
		    kinds[i],
		    xs_number_bounded(gaps[i].from_ns - trace->begin_ns),
		    xs_number_bounded(gaps[i].to_ns - trace->begin_ns),
		    xs_number_bounded(gaps[i].calls),
		    xs_number_bounded(gaps[i].of)};

		if (gap.calls)
			add_gap(result, &gap);
	}
	return 0;
}
