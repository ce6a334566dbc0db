/* SPDX-License-Identifier: MIT */
#include "model/replay/mapped_requests.h"

#include "model/replay/plan.h"

#include <math.h>

/*
 * Returns ns of one request of that many sectors in the mean: measured for 1, 2
 * and 4, linear in between. Means of reads that are no whole number are those
 * of whole lines and single sectors, as rows that do not begin at a line have
 * them: a request of one sector takes as long as one of two.
 */
static double request_ns(const struct xs_mapped_rates *r, double sectors)
{
	const double one = r->one * XS_MAPPED_SECTOR_BYTES;
	const double two = r->two * 2 * XS_MAPPED_SECTOR_BYTES;
	const double four = r->four * 4 * XS_MAPPED_SECTOR_BYTES;

	if (!r->merged && fabs(sectors - 2) > XS_MAPPED_EQUAL_SECTORS)
		return one + (four - one) * (sectors - 1) / 3;
	if (sectors <= 2)
		return one + (two - one) * (sectors - 1);
	return two + (four - two) * (sectors - 2) / 2;
}

double xs_mapped_requests_ns(const struct xs_mapped_rates *r, double sectors,
			     double requests)
{
	double size;

	if (!(sectors > 0))
		return 0;
	if (isnan(requests) || isnan(r->one) || isnan(r->two))
		return sectors * XS_MAPPED_SECTOR_BYTES * r->four;
	size = fmin(fmax(sectors / requests, 1), XS_MAPPED_LINE_SECTORS);
	return sectors / size * request_ns(r, size);
}

/* Bytes that an SM loads or stores in a clock, from its L1 to the L2. */
#define SM_BYTES 64.0

double xs_mapped_most_sectors(const struct xs_machine *m,
			      const struct xs_round_work *w)
{
	const double ns = fmax(w->kernel_ns - xs_kernel_edges_ns(m), 0);
	const double sms =
	    fmin(w->blocks > 0 ? w->blocks : m->sm_count, m->sm_count);

	return m->clock_khz > 0 && sms > 0
		   ? ns * m->clock_khz / 1e6 * sms * SM_BYTES /
			 XS_MAPPED_SECTOR_BYTES
		   : NAN;
}

double xs_mapped_sectors_or(double counted, double bytes)
{
	return isnan(counted) ? bytes / XS_MAPPED_SECTOR_BYTES : counted;
}
