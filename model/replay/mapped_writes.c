/* SPDX-License-Identifier: MIT */
#include "model/replay/mapped_writes.h"

#include "model/replay/plan.h"

#include <math.h>

bool xs_mapped_writes_elsewhere(const struct xs_round_work *w, double sectors)
{
	return w->other_bytes != 0 && sectors > 0 &&
	       sectors * XS_MAPPED_SECTOR_BYTES >=
		   XS_MAPPED_ELSEWHERE * w->out_bytes;
}

/* Returns the time of the writes of the results in that many requests. */
static double requests_of_ns(const struct xs_machine *m,
			     const struct xs_round_work *w, double requests,
			     enum xs_mapped_case which)
{
	const struct xs_mapped_rates rates = {m->mapped_write_32.value,
					      m->mapped_write_64.value,
					      m->mapped_write.value, true};
	const double full = w->out_bytes / XS_MAPPED_SECTOR_BYTES;
	const double sectors =
	    xs_mapped_sectors_or(w->write_sectors, w->out_bytes);

	if (xs_mapped_writes_elsewhere(w, sectors) && which != XS_MAPPED_MOST)
		return xs_mapped_requests_ns(&rates, full, NAN);
	return xs_mapped_requests_ns(&rates, sectors, requests);
}

/* One write to the host has the bytes of one run of a sector, or any bytes of
 * one of its quarters. */
#define SECTOR_WRITES 4.0

/* Returns how many bytes a lane stores in the mean. If less than one, data is
 * stored again, or few lanes store: then a word. */
static double lane_bytes(const struct xs_round_work *w)
{
	const double bytes = w->out_bytes / (XS_MAPPED_LANES * w->stores);

	return bytes < 1 ? XS_MAPPED_WORD_BYTES : bytes;
}

/*
 * Returns the number of partial writes. More sectors than the bytes fill mean
 * rows that do not begin at a sector: two warps write parts of the sector that
 * they share. If the L2 joins the two, none crosses the bus, otherwise both do.
 * This depends on when they write; one is the value.
 */
static double partial_writes(double excess, enum xs_mapped_case which)
{
	return which == XS_MAPPED_LEAST	  ? 0
	       : which == XS_MAPPED_USUAL ? excess
					  : 2 * excess;
}

/* Returns the sectors that cross if the L1 joins all stores that it can. Some
 * GPUs count fewer in the L2 than the results have. */
static double joined_sectors(const struct xs_round_work *w)
{
	const double sectors =
	    xs_mapped_sectors_or(w->write_sectors, w->out_bytes);
	const double full = w->out_bytes / XS_MAPPED_SECTOR_BYTES;

	return w->store_sectors > 0
		   ? fmin(fmax(sectors, full), w->store_sectors)
		   : sectors;
}

/* Returns ns of a write of a part of a sector: less if each request has one
 * sector, so that a warp's lie in different lines. */
static double part_ns(const struct xs_machine *m, const struct xs_round_work *w,
		      enum xs_mapped_case which)
{
	const double apart_ns = m->mapped_write_apart_ns.value;
	const bool lines = w->write_sectors <=
			   (1 + XS_MAPPED_EQUAL_SECTORS) * w->write_requests;

	return which != XS_MAPPED_MOST && lines && !isnan(apart_ns)
		   ? apart_ns
		   : m->mapped_write_partial_ns.value;
}

/*
 * Returns the time of the writes of a whole kernel, whose blocks drift apart,
 * if its stores are joined. Requests whose sectors fill the results side by
 * side become whole lines, at most none. What the kernel writes again, it
 * writes in parts or in whole requests.
 */
static double joined_ns(const struct xs_machine *m,
			const struct xs_round_work *w,
			enum xs_mapped_case which)
{
	const double full = w->out_bytes / XS_MAPPED_SECTOR_BYTES;
	const double excess = joined_sectors(w) - full;
	const double each_ns = part_ns(m, w, which);
	const double requests_ns =
	    requests_of_ns(m, w, w->write_requests, which);
	const double lines_ns = w->out_bytes * m->mapped_write.value;
	double parts_ns;

	if (excess == 0)
		return which == XS_MAPPED_MOST ? requests_ns : lines_ns;
	if (!(excess > 0) || isnan(each_ns) ||
	    xs_mapped_writes_elsewhere(w, joined_sectors(w)))
		return requests_ns;
	parts_ns = lines_ns + partial_writes(excess, which) * each_ns;
	return excess < (XS_MAPPED_ELSEWHERE - 1) * full
		   ? parts_ns
		   : fmin(parts_ns, requests_ns);
}

/* Returns the time of the writes if each lane's store crosses alone, or what
 * lies side by side in a sector. One sector for an instruction has the bytes of
 * all lanes, or is of one lane. */
static double apart_ns(const struct xs_machine *m,
		       const struct xs_round_work *w)
{
	const double lanes = XS_MAPPED_LANES * w->stores / w->store_sectors;
	const double gaps = XS_MAPPED_SECTOR_BYTES / lane_bytes(w) - lanes;
	const double runs = fmin(fmin(lanes, gaps + 1), SECTOR_WRITES);
	const double writes =
	    w->store_sectors < 2 * w->stores ? 1 : fmax(runs, 1);

	return w->store_sectors * writes * m->mapped_write_partial_ns.value;
}

/* The L1 joins half of the stores to one sector between which its SM stores so
 * many sectors; measured on an H200 and an H100. */
#define JOINS_HALF 150.0

static double apart_share(const struct xs_round_work *w, double warps)
{
	const double sectors = warps * w->store_sectors / w->stores;

	return sectors / (sectors + JOINS_HALF);
}

/* Returns the share that the device does not join although its memory is idle
 * for this part of the kernel: something in the kernel separates the stores. */
static double separated_share(const struct xs_machine *m,
			      const struct xs_round_work *w)
{
	const double full = w->out_bytes / XS_MAPPED_SECTOR_BYTES;
	const double joined = joined_sectors(w);
	const double busy_ns = (w->read_sectors + joined) *
			       XS_MAPPED_SECTOR_BYTES * 1e9 /
			       m->memory_bandwidth;

	return (joined - full) / (w->store_sectors - full) *
	       fmax(1 - busy_ns / w->kernel_ns, 0);
}

/*
 * Returns the part of the writes that exceeds the room of the path to the host
 * (mapped_write_early_ns). If the kernel reads, only the warps on the SMs write
 * before they read again: `resident` is their share of all blocks.
 */
static double queued_share(const struct xs_machine *m,
			   const struct xs_round_work *w, double resident)
{
	const double room =
	    m->mapped_write_early_ns.value / m->mapped_write.value;
	const double sectors = joined_sectors(w);
	const double bytes =
	    sectors * XS_MAPPED_SECTOR_BYTES / fmax(w->kernels, 1);
	const bool waits = w->read_sectors >= XS_MAPPED_LEAST_READS * sectors;

	return fmax(1 - xs_or_zero(room) / (waits ? resident * bytes : bytes),
		    0);
}

/*
 * Returns the share of the stores that are not joined. A warp whose reads
 * return stores alone, or with its block if that has a barrier, as shared
 * memory needs. If writes take longer than reads, and wait, all warps of an SM
 * store together.
 */
static double not_joined(const struct xs_machine *m,
			 const struct xs_round_work *w)
{
	const double blocks = w->blocks / fmax(w->kernels, 1) / m->sm_count;
	const double fit = fmin(blocks, xs_round_work_blocks_per_sm(w, m));
	const double block_warps = ceil(w->block_threads / XS_MAPPED_LANES);
	const double in_turn = fmin(w->read_sectors / joined_sectors(w), 1);
	const double share =
	    in_turn * apart_share(w, w->shared_bytes ? block_warps : 1) +
	    (1 - in_turn) * queued_share(m, w, fit / blocks) *
		apart_share(w, fmax(fit, 1) * block_warps);

	return fmin(fmax(share, separated_share(m, w)), 1);
}

/* Sectors that stores touch, for each that leaves the SM joined: from here on
 * the L1 has joined some. */
#define JOINED 1.05

double xs_mapped_writes_ns(const struct xs_machine *m,
			   const struct xs_round_work *w,
			   enum xs_mapped_case which)
{
	const double sectors = joined_sectors(w);
	const double joined = joined_ns(m, w, which);
	const double apart = apart_ns(m, w);
	double whole_ns;

	if (which == XS_MAPPED_WORST)
		return xs_mapped_most_sectors(m, w) *
		       m->mapped_write_partial_ns.value;
	if (!(w->store_sectors > JOINED * sectors) || isnan(apart) ||
	    which == XS_MAPPED_LEAST)
		return joined;
	if (which == XS_MAPPED_MOST)
		return fmax(joined, apart);
	if (xs_mapped_writes_elsewhere(w, sectors))
		return joined;
	whole_ns = fmin(joined, sectors * XS_MAPPED_SECTOR_BYTES *
				    m->mapped_write.value);
	return whole_ns + not_joined(m, w) * fmax(apart - whole_ns, 0);
}

double xs_mapped_access_piece_ns(const struct xs_machine *machine,
				 const struct xs_round_work *work, double n)
{
	const double sectors =
	    xs_mapped_sectors_or(work->write_sectors, work->out_bytes);
	double requests = work->write_requests;

	if (fmod(work->out_bytes / n, XS_MAPPED_LINE_BYTES) > 0)
		requests = fmax(xs_or_zero(requests), sectors / 2);
	return requests_of_ns(machine, work, requests, XS_MAPPED_USUAL) / n;
}

double xs_mapped_access_parts_ns(const struct xs_machine *machine,
				 const struct xs_round_work *work)
{
	return work->out_bytes / XS_MAPPED_WORD_BYTES *
	       machine->mapped_write_partial_ns.value;
}

double xs_mapped_access_writes_per_byte(const struct xs_round_work *work)
{
	return work->write_sectors * XS_MAPPED_SECTOR_BYTES / work->out_bytes;
}
