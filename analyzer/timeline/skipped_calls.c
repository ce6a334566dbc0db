/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/skipped_calls.h"

#include "analyzer/util/memory.h"

#include <stdlib.h>

double *xs_skipped_call_time(const struct xs_trace *trace)
{
	double *read = xs_calloc(trace->site_count + 1, sizeof(*read));
	double *all = xs_calloc(trace->site_count + 1, sizeof(*all));

	for (size_t i = 0; i < trace->call_count; i++)
		read[trace->calls[i].site] +=
		    (double)xs_call_ns(&trace->calls[i]);
	for (size_t i = 0; i < trace->tally_count; i++)
		all[trace->tallies[i].site] += (double)trace->tallies[i].ns;
	for (size_t i = 0; i < trace->site_count; i++)
		all[i] = read[i] > 0 ? 1 + all[i] / read[i] : 0;
	free(read);
	return all;
}
