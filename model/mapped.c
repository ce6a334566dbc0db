/* SPDX-License-Identifier: MIT */
#include "model/mapped.h"

#include <math.h>

#define SECTOR_BYTES 32.0
#define LINE_SECTORS 4.0

/* ns a byte of requests of 1, 2 and 4 sectors. */
struct rates {
	double one, two, four;
};

/* ns of one request of so many sectors: measured for 1, 2 and 4, a straight
 * line in between. */
static double request_ns(const struct rates *r, double sectors)
{
	const double one = r->one * SECTOR_BYTES;
	const double two = r->two * 2 * SECTOR_BYTES;
	const double four = r->four * 4 * SECTOR_BYTES;

	if (sectors <= 2)
		return one + (two - one) * (sectors - 1);
	return two + (four - two) * (sectors - 2) / 2;
}

static double accesses_ns(const struct rates *r, double sectors,
			  double requests)
{
	double size;

	if (!(sectors > 0))
		return 0;
	if (isnan(requests) || isnan(r->one) || isnan(r->two))
		return sectors * SECTOR_BYTES * r->four;
	size = fmin(fmax(sectors / requests, 1), LINE_SECTORS);
	return sectors / size * request_ns(r, size);
}

/* Sectors as counted, or those of the bytes. */
static double sectors_or(double counted, double bytes)
{
	return isnan(counted) ? bytes / SECTOR_BYTES : counted;
}

struct xs_mapped xs_mapped_work(const struct xs_machine *machine,
				const struct xs_work *work)
{
	const struct xs_machine *m = machine;
	const struct rates read = {m->mapped_read_32.value,
				   m->mapped_read_64.value,
				   m->mapped_read.value};
	const struct rates write = {m->mapped_write_32.value,
				    m->mapped_write_64.value,
				    m->mapped_write.value};
	struct xs_mapped mapped = {
	    accesses_ns(&read, sectors_or(work->read_sectors, work->in_bytes),
			work->read_requests),
	    accesses_ns(&write,
			sectors_or(work->write_sectors, work->out_bytes),
			work->write_requests),
	    0};
	/* Requests of reads take room from writes on the way out. */
	double share = (m->mapped_both_write.value - m->mapped_write.value) /
		       m->mapped_read.value;

	if (!(share > 0))
		share = 0;
	mapped.both_ns =
	    fmax(mapped.read_ns, mapped.write_ns + share * mapped.read_ns);
	if (!(mapped.write_ns > 0))
		mapped.both_ns = mapped.read_ns;
	return mapped;
}

double xs_mapped_read_times(const struct xs_work *work)
{
	return work->read_sectors * SECTOR_BYTES / work->in_bytes;
}

double xs_mapped_write_times(const struct xs_work *work)
{
	return work->write_sectors * SECTOR_BYTES / work->out_bytes;
}
