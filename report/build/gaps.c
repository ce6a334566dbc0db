/* SPDX-License-Identifier: MIT */
/* Calls whose GPU records are missing, and records that cannot be right. */
#include "report/build/build.h"

#include "analyzer/waits/record_gaps.h"

#include <inttypes.h>

#define MISSING "have no GPU record"

/* kind: in JSON. of: what the counts are of. */
static const struct {
	const char *kind, *of, *what;
} kinds[XS_RECORD_GAP_KINDS] = {
    {"copies", "copies", MISSING},
    {"sets", "sets", MISSING},
    {"kernels", "kernels", MISSING},
    {"clocks", "GPU ops",
     "start before their calls, or end after a call that waited for them"},
    {"rates", "copies", "are faster than any link"},
    {"order", "GPU ops", "run at the same time as others of their stream"},
};

static const char *why(const struct xs_result_coverage *coverage,
		       enum xs_record_gap_kind kind)
{
	if (kind == XS_RECORD_GAP_CLOCKS)
		return "the clocks of host and GPU differ";
	if (kind == XS_RECORD_GAP_ORDER)
		return "they are there twice, or of several processes";
	if (kind == XS_RECORD_GAP_RATES)
		return "their times or sizes are wrong";
	if (coverage->imported)
		return "the imported file lacks them";
	if ((coverage->lost_ops || coverage->lost_cupti) &&
	    !coverage->missing_bytes)
		return "they are among the lost records";
	if (coverage->damaged)
		return "they are in the damaged part of the file";
	return "another profiler in the process (torch.profiler?) may have "
	       "disabled them; run without it";
}

static void add_gap(struct xs_result *result, enum xs_record_gap_kind kind,
		    const struct xs_result_gap *gap)
{
	struct xs_result_coverage *out = &result->coverage;
	const char *what =
	    xs_print(&result->arena, "%" PRId64 " of %" PRId64 " %s %s",
		     gap->calls, gap->of, kinds[kind].of, kinds[kind].what);

	out->gaps[out->gap_count++] = *gap;
	xs_build_note(
	    result,
	    "%s, between %s and %s of the run: %s; figures of that time are %s",
	    what, xs_units_ns(gap->from_ns).s, xs_units_ns(gap->to_ns).s,
	    why(out, kind), kind < XS_RECORD_GAP_CLOCKS ? "too low" : "wrong");
	if (out->damaged)
		what = xs_print(&result->arena, "%s: %s", what, why(out, kind));
	/* without more than a twentieth of a kind, figures mislead */
	if (!out->lacking && gap->calls > gap->of / 20)
		out->incomplete = out->lacking = what;
}

/* A sum of which all records are missing is no figure. */
static void forget(int64_t *sum)
{
	if (*sum == 0)
		*sum = XS_UNKNOWN;
}

#define FORGET(sums, copies, launches)                                         \
	do {                                                                   \
		int64_t *of_copies[] = {                                       \
		    &(sums)->h2d_ns, &(sums)->h2d_ops, &(sums)->h2d_bytes,     \
		    &(sums)->d2h_ns, &(sums)->d2h_ops, &(sums)->d2h_bytes};    \
                                                                               \
		for (size_t k = 0; (copies) && k < 6; k++)                     \
			forget(of_copies[k]);                                  \
		if (launches) {                                                \
			forget(&(sums)->kernels);                              \
			forget(&(sums)->kernel_ns);                            \
		}                                                              \
		if ((copies) || (launches))                                    \
			forget(&(sums)->overlap_ns);                           \
	} while (0)

static void forget_sums(struct xs_result *result,
			const struct xs_record_gap *gaps)
{
	const bool copies = gaps[XS_RECORD_GAP_COPIES].calls > 0;
	const bool kernels = gaps[XS_RECORD_GAP_KERNELS].calls > 0;

	FORGET(&result->totals, copies, kernels);
	FORGET(&result->steady.totals, copies, kernels);
	for (size_t i = 0; i < result->run.device_count; i++)
		FORGET(&result->run.devices[i], copies, kernels);
}

void xs_build_gaps(struct xs_result *result, const struct xs_trace *trace)
{
	struct xs_result_coverage *out = &result->coverage;
	struct xs_record_gap gaps[XS_RECORD_GAP_KINDS];

	xs_record_gaps_find(trace, gaps);
	XS_ARENA_NEW(&result->arena, out->gaps, XS_RECORD_GAP_KINDS);
	for (size_t i = 0; i < XS_RECORD_GAP_KINDS; i++) {
		const struct xs_result_gap gap = {
		    kinds[i].kind,
		    xs_number_bounded(gaps[i].from_ns - trace->begin_ns),
		    xs_number_bounded(gaps[i].to_ns - trace->begin_ns),
		    xs_number_bounded(gaps[i].calls),
		    xs_number_bounded(gaps[i].of)};

		if (gap.calls)
			add_gap(result, (enum xs_record_gap_kind)i, &gap);
	}
	if (out->lacking)
		forget_sums(result, gaps);
}

void xs_build_note_flow(struct xs_result *result, int64_t phase)
{
	xs_build_note(result,
		      "what needs what is not known of phase %" PRId64
		      " and those after it: the search took too many steps",
		      phase);
}
