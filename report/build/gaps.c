/* SPDX-License-Identifier: MIT */
/* Spans of the run without GPU records. */
#include "report/build/build.h"

#include "analyzer/waits/record_gaps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* Gaps that get a note; further ones are counted. */
#define GAPS_SAID 3

static const char *const kind_names[XS_RECORD_GAP_KINDS] = {
    [XS_RECORD_GAP_COPIES] = "copies",
    [XS_RECORD_GAP_SETS] = "sets",
    [XS_RECORD_GAP_KERNELS] = "kernels",
};

static void note_gaps(struct xs_result *result)
{
	const struct xs_result_coverage *out = &result->coverage;

	for (size_t i = 0; i < out->gap_count && i < GAPS_SAID; i++) {
		const struct xs_result_gap *gap = &out->gaps[i];

		xs_build_note(
		    result,
		    "GPU records of %s are missing between %s and %s of the "
		    "run, where %" PRId64 " calls issued some: %s",
		    gap->kind, xs_units_ns(gap->from_ns).s,
		    xs_units_ns(gap->to_ns).s, gap->calls,
		    out->lost_ops
			? "they are among the lost records"
			: "another profiler in the process (torch.profiler?) "
			  "may have disabled them; figures for that time are "
			  "too low; run without it");
	}
	if (out->gap_count > GAPS_SAID)
		xs_build_note(result, "%zu more such gaps",
			      out->gap_count - GAPS_SAID);
}

int xs_build_gaps(struct xs_result *result, const struct xs_trace *trace)
{
	struct xs_result_coverage *out = &result->coverage;
	struct xs_record_gap *gaps;
	size_t count;
	int rc = xs_record_gaps_find(trace, &gaps, &count);

	if (rc)
		return rc;
	out->gaps = xs_arena_alloc(&result->arena, count, sizeof(*out->gaps));
	for (size_t i = 0; out->gaps && i < count; i++)
		out->gaps[out->gap_count++] = (struct xs_result_gap){
		    .kind = kind_names[gaps[i].kind],
		    .from_ns =
			xs_number_bounded(gaps[i].from_ns - trace->begin_ns),
		    .to_ns = xs_number_bounded(gaps[i].to_ns - trace->begin_ns),
		    .calls = xs_number_bounded(gaps[i].calls)};
	free(gaps);
	note_gaps(result);
	return 0;
}
