/* SPDX-License-Identifier: MIT */
#include "model/replay/mapped_access.h"

#include "model/replay/plan.h"

#include <math.h>

#define SECTOR_BYTES 32.0
#define LINE_SECTORS 4.0
#define LINE_BYTES   (LINE_SECTORS * SECTOR_BYTES)

/* ns per byte of requests of 1, 2 and 4 sectors. */
struct rates {
	double one, two, four;
};

/* Returns ns of one request of that many sectors: measured for 1, 2 and 4,
 * linear in between. */
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

/* Returns the counted sectors, or those of the bytes. */
static double sectors_or(double counted, double bytes)
{
	return isnan(counted) ? bytes / SECTOR_BYTES : counted;
}

/*
 * Returns the extra time of partial sectors. More sectors than the bytes fill
 * mean rows that do not begin at a sector. Each such row of a warp ends in two
 * partial sectors. The L2 merges them with those of neighbouring warps of the
 * block; those at the edges of the block cross the bus alone. 0 if nothing is
 * known.
 */
static double partial_ns(const struct xs_machine *m,
			 const struct xs_round_work *w, double excess)
{
	const double warps = fmax(w->block_x / 32.0, 1);

	if (!(excess > 0) || isnan(m->mapped_write_partial_ns.value))
		return 0;
	return 2 * excess / warps * m->mapped_write_partial_ns.value;
}

/* Returns the time of the writes of the results in that many requests. */
static double writes_ns(const struct xs_machine *m,
			const struct xs_round_work *w, double requests)
{
	const struct rates rates = {m->mapped_write_32.value,
				    m->mapped_write_64.value,
				    m->mapped_write.value};
	const double full = w->out_bytes / SECTOR_BYTES;
	const double sectors = sectors_or(w->write_sectors, w->out_bytes);

	if (sectors >= XS_MAPPED_ELSEWHERE * full)
		return accesses_ns(&rates, full, NAN);
	return accesses_ns(&rates, sectors, requests);
}

/* Returns the time of the writes of a whole kernel, whose blocks drift apart.
 */
static double whole_ns(const struct xs_machine *m,
		       const struct xs_round_work *w)
{
	const double full = w->out_bytes / SECTOR_BYTES;
	const double excess = w->write_sectors - full;
	const double partial = excess < (XS_MAPPED_ELSEWHERE - 1) * full
				   ? partial_ns(m, w, excess)
				   : 0;

	return partial > 0
		   ? full * SECTOR_BYTES * m->mapped_write.value + partial
		   : writes_ns(m, w, w->write_requests);
}

/*
 * Returns the share of the blocks in the first wave: it reads before any block
 * writes, and the last wave writes after all reads. Blocks of a single wave
 * loop over their data and read and write all along.
 */
static double first_wave(const struct xs_machine *m,
			 const struct xs_round_work *w)
{
	const double at_once = xs_round_work_blocks_per_sm(w, m) * m->sm_count;

	return at_once > 0 && w->blocks >= 2 * at_once ? at_once / w->blocks
						       : 0;
}

struct xs_mapped_times xs_mapped_access_times(const struct xs_machine *machine,
					      const struct xs_round_work *work)
{
	const struct xs_machine *m = machine;
	const struct rates read = {m->mapped_read_32.value,
				   m->mapped_read_64.value,
				   m->mapped_read.value};
	struct xs_mapped_times mapped = {
	    accesses_ns(&read, sectors_or(work->read_sectors, work->in_bytes),
			work->read_requests),
	    whole_ns(m, work), 0};
	/* Each read request occupies the outbound link of the writes. */
	double each_ns =
	    (m->mapped_both_write.value - m->mapped_write.value) * LINE_BYTES;
	double requests = work->read_requests;

	if (isnan(requests))
		requests = work->in_bytes / LINE_BYTES;
	if (!(each_ns > 0) || !(mapped.write_ns > 0))
		each_ns = 0;
	mapped.both_ns =
	    fmax(mapped.read_ns, mapped.write_ns + each_ns * requests) +
	    first_wave(m, work) * fmin(mapped.read_ns, mapped.write_ns);
	return mapped;
}

double xs_mapped_access_piece_ns(const struct xs_machine *machine,
				 const struct xs_round_work *work, double n)
{
	const double sectors = sectors_or(work->write_sectors, work->out_bytes);
	double requests = work->write_requests;

	if (fmod(work->out_bytes / n, LINE_BYTES) > 0)
		requests = fmax(xs_or_zero(requests), sectors / 2);
	return writes_ns(machine, work, requests) / n;
}

double xs_mapped_access_reads_per_byte(const struct xs_round_work *work)
{
	return work->read_sectors * SECTOR_BYTES / work->in_bytes;
}

double xs_mapped_access_writes_per_byte(const struct xs_round_work *work)
{
	return work->write_sectors * SECTOR_BYTES / work->out_bytes;
}
