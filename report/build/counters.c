/* SPDX-License-Identifier: MIT */
/* Hardware counters of a phase's kernels. */
#include "report/build/build.h"

#include <math.h>
#include <string.h>

#define SECTOR_BYTES 32

void xs_build_counters(const struct xs_phase *phase,
		       struct xs_result_counters *out)
{
	struct xs_counts sum;

	xs_phase_counts(phase, &sum);
	if (!phase->kernel_ops)
		sum.sectors_read = NAN;
	*out = (struct xs_result_counters){
	    .counted = !isnan(sum.sectors_read),
	    .sectors_read = xs_number_round(sum.sectors_read),
	    .sectors_written = xs_number_round(sum.sectors_written),
	    .requests_read = xs_number_round(sum.requests_read),
	    .requests_written = xs_number_round(sum.requests_written),
	    .bytes = xs_number_round((sum.sectors_read + sum.sectors_written) *
				     SECTOR_BYTES),
	    .host_bytes = xs_number_round(
		(sum.host_sectors_read + sum.host_sectors_written) *
		SECTOR_BYTES),
	    .instructions = xs_number_round(sum.instructions),
	    .l1_fills = xs_number_round(sum.l1_fills),
	};
}

void xs_build_note_counters(struct xs_result *result,
			    const struct xs_trace *trace,
			    const struct xs_phases *phases,
			    const struct xs_result_options *options)
{
	const char *mode = result->coverage.mode;

	if (mode && strcmp(mode, "counters") == 0 && !result->coverage.counted)
		xs_build_note(result,
			      "no kernel launch was counted in this run");
	if (options->counted && phases->counted_shapes < trace->shape_count)
		xs_build_note(result,
			      "%zu of %zu kernels are missing from the counted "
			      "run (same name, grid and block); count a run of "
			      "the same program with the same arguments",
			      trace->shape_count - phases->counted_shapes,
			      trace->shape_count);
}
