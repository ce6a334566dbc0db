/* SPDX-License-Identifier: MIT */
#include "model/replay/mapped_access.h"

#include "model/replay/mapped_writes.h"
#include "model/replay/plan.h"

#include <math.h>

/* Returns the sectors that all reads bring into the L1. */
static double all_reads(const struct xs_round_work *w)
{
	return w->l1_fills > 0 ? w->l1_fills : w->read_sectors;
}

/*
 * Returns the sectors that the kernel's reads would bring over the bus. Host
 * memory is not cached in the L2, nor are reads of it merged on their way
 * there, so these are the fills of the L1; without them, what the L2 saw. A
 * kernel that writes to memory of its own reads this, too: of the data, each
 * byte once. Of other memory that stays on the device it reads as much as its
 * part of all is; no counter tells them apart: at most, all is data, at least,
 * each byte is read once. Otherwise what the L2 saw crosses at least, as
 * kernels that wait longer hit more often in the L1, but rarely more. Without
 * counters, a kernel that takes longer than its bytes need may read them again
 * and again: at most what its time allows at the bandwidth of the device's
 * memory. NAN: not counted.
 */
static double crossing_sectors(const struct xs_machine *m,
			       const struct xs_round_work *w,
			       enum xs_mapped_case which)
{
	const double most_bytes =
	    w->kernel_ns * m->memory_bandwidth / 1e9 - w->out_bytes;
	const double filled = all_reads(w);
	const double once = fmin(filled, w->in_bytes / XS_MAPPED_SECTOR_BYTES);

	if (isnan(w->read_sectors) && which == XS_MAPPED_MOST)
		return fmax(fmin(most_bytes / XS_MAPPED_SECTOR_BYTES,
				 xs_mapped_most_sectors(m, w)),
			    w->in_bytes / XS_MAPPED_SECTOR_BYTES);
	if (which == XS_MAPPED_LEAST)
		return w->other_bytes > 0 ? once : w->read_sectors;
	if (which == XS_MAPPED_MOST)
		return filled;
	if (xs_mapped_writes_elsewhere(w, w->write_sectors))
		return once;
	return isnan(w->other_bytes)
		   ? filled
		   : fmax(once, filled * w->in_bytes /
				    (w->in_bytes + w->other_bytes));
}

/* What crosses the bus. Requests to the L2 that were merged had as many sectors
 * as the others. */
struct reads {
	double sectors, requests; /* requests: NAN: not counted */
	double lines;		  /* requests, at least one for each line */
};

/* Returns the time of the reads if enough of them are in flight. */
static double link_ns_of(const struct xs_machine *m, const struct reads *reads)
{
	const struct xs_mapped_rates rates = {m->mapped_read_32.value,
					      m->mapped_read_64.value,
					      m->mapped_read.value, false};

	return reads->sectors > 0 ? xs_mapped_requests_ns(
					&rates, reads->sectors, reads->requests)
				  : 0;
}

/* Whether the counts are, to 1 %, those of data read once in whole lines beside
 * requests of one sector each for other memory, and not the other way round. */
static bool once_in_lines(const struct xs_round_work *w)
{
	const double bytes = (w->read_sectors - w->read_requests) /
			     (XS_MAPPED_LINE_SECTORS - 1) *
			     XS_MAPPED_LINE_BYTES;

	return w->other_bytes > 0 && fabs(bytes / w->in_bytes - 1) < 0.01 &&
	       fabs(bytes / w->other_bytes - 1) >= 0.01;
}

/* A round that copies nothing in reads what stays on the device; at worst, a
 * kernel reads its results, too. */
static struct reads reads_of(const struct xs_machine *m,
			     const struct xs_round_work *w,
			     enum xs_mapped_case which)
{
	struct reads reads = {0};

	if (which == XS_MAPPED_WORST) {
		reads.sectors = xs_mapped_most_sectors(m, w);
		reads.requests = reads.lines = reads.sectors;
		return reads;
	}
	if (!(w->in_bytes > 0))
		return reads;
	if (which != XS_MAPPED_MOST && once_in_lines(w)) {
		reads.sectors = w->in_bytes / XS_MAPPED_SECTOR_BYTES;
		reads.requests = w->in_bytes / XS_MAPPED_LINE_BYTES;
		reads.lines = reads.requests;
		return reads;
	}
	reads.sectors =
	    xs_mapped_sectors_or(crossing_sectors(m, w, which), w->in_bytes);
	reads.requests = w->read_requests;
	if (w->read_sectors > 0)
		reads.requests *= reads.sectors / w->read_sectors;
	reads.lines = isnan(reads.requests)
			  ? reads.sectors / XS_MAPPED_LINE_SECTORS
			  : reads.requests;
	return reads;
}

/*
 * Reads that wait for each other. Each resident warp has at least one request
 * in flight. Its requests on the device took no longer than the kernel, or than
 * their share of it: if one after the other they would have, the warp has more
 * in flight, or they hit in the L2. At most, each waits for the one before, or
 * all warps of an SM wait for the same requests. A warp that was counted to
 * wait longer than once for each sector waits behind other accesses.
 */
struct waits {
	double mapped_ns, device_ns; /* of a warp, in all; 0: unknown */
	/* The SMs read the same data. Their requests for one line queue up and
	 * are served together, so that the SMs stay in step: while they
	 * compute, the link is idle. */
	bool in_step;
};

/* From this share of the data on that each SM reads. */
#define READ_BY_ALL 0.25

/* Returns the waits on the device of a warp whose own requests take own_ns, and
 * those of its SM sm_ns, in turn. */
static double device_waits_ns(double own_ns, double sm_ns, double kernel_ns,
			      enum xs_mapped_case which)
{
	if (which == XS_MAPPED_MOST)
		return fmax(own_ns, fmin(sm_ns, kernel_ns));
	return kernel_ns > 0 ? fmin(own_ns, kernel_ns) : own_ns;
}

/* Returns the part of its time in which a warp waits for reads; NAN: not
 * counted. */
static double waiting_share(const struct xs_round_work *w)
{
	return w->warp_cycles > 0 ? w->waiting_cycles / w->warp_cycles : NAN;
}

/* Of the memory's latency, that of an idle L2 at least. */
#define L2_LATENCY_LEAST 0.33

/*
 * Returns the latency of reads on the device. What a round copies in is in the
 * L2 if it fits. Requests of about one sector queue up in the SM, so that warps
 * wait longer, as for the memory at most; the value is the mean of both, as a
 * factor, if their waits were counted. Otherwise a kernel that waits for all of
 * its time is taken to wait for the memory.
 */
static double device_latency_ns(const struct xs_machine *m,
				const struct xs_round_work *w,
				enum xs_mapped_case which)
{
	const double memory_ns = m->device_read_latency_ns.value;
	const double l2_ns = m->l2_read_latency_ns.value;

	if (which == XS_MAPPED_LEAST ||
	    (m->l2_bytes > 0 && w->in_bytes + w->out_bytes > m->l2_bytes))
		return memory_ns;
	if (which == XS_MAPPED_MOST || which == XS_MAPPED_WORST)
		return isnan(l2_ns) ? L2_LATENCY_LEAST * memory_ns : l2_ns;
	return isnan(l2_ns) || isnan(waiting_share(w)) || m->l2_bytes <= 0
		   ? memory_ns
	       : xs_reads_are_scattered(
		     w->read_sectors * XS_MAPPED_SECTOR_BYTES, w->read_requests)
		   ? sqrt(l2_ns * memory_ns)
		   : l2_ns;
}

static struct waits waits_of(const struct xs_machine *m,
			     const struct xs_round_work *w,
			     const struct reads *reads,
			     enum xs_mapped_case which)
{
	const double memory_ns = m->device_read_latency_ns.value;
	const double latency_ns = device_latency_ns(m, w, which);
	const double at_once = xs_round_work_blocks_per_sm(w, m) * m->sm_count;
	const double blocks = fmin(w->blocks / fmax(w->kernels, 1), at_once);
	const double sms = fmin(blocks, m->sm_count);
	const double warps = blocks * ceil(w->block_threads / XS_MAPPED_LANES);
	const double in_turn_ns = reads->lines * latency_ns;
	const double most_ns = reads->sectors * latency_ns /
			       (which == XS_MAPPED_MOST ? sms : warps);
	const double share =
	    isnan(all_reads(w)) ? 1 : fmin(reads->sectors / all_reads(w), 1);
	double first_ns;
	struct waits waits = {0};

	if ((!(warps > 0) && which != XS_MAPPED_WORST) || !(in_turn_ns > 0) ||
	    isnan(m->mapped_read_latency_ns.value / memory_ns))
		return waits;
	waits.in_step = sms > 1 && reads->sectors * XS_MAPPED_SECTOR_BYTES >=
				       READ_BY_ALL * sms * w->in_bytes;
	waits.device_ns = fmax(w->kernel_ns - xs_kernel_edges_ns(m), 0);
	if (which == XS_MAPPED_WORST) /* it does nothing but read */
		waits.device_ns = fmax(waits.device_ns, memory_ns);
	else if ((waits.device_ns *= share * waiting_share(w)) > most_ns)
		waits.device_ns = most_ns;
	if (isnan(waits.device_ns))
		waits.device_ns =
		    device_waits_ns(in_turn_ns / warps, in_turn_ns / sms,
				    w->kernel_ns * share, which);
	/* the first read takes as long as the memory's: nothing is near */
	first_ns = fmin(waits.device_ns, memory_ns);
	waits.mapped_ns =
	    m->mapped_read_latency_ns.value *
	    (first_ns / memory_ns + (waits.device_ns - first_ns) / latency_ns);
	return waits;
}

/* Of the shorter direction, what is read before anything is written adds this
 * part; measured on an H200 (0.65) and an H100 (0.5 to 0.7). */
#define ADDS_ALONE 0.65

/* Of a thread's registers, so many hold no data. A thread that reads more than
 * the others hold loops, and reads so many numbers at once. */
#define OTHER_REGISTERS 8
#define READ_AT_ONCE	4

/*
 * Returns the share of the reads before which nothing is written: those of the
 * blocks that run first, of which each thread has at most as many numbers of 4
 * bytes as it has registers. Blocks that all run at once may loop over their
 * data and read and write all along: the value is the mean. In place they do if
 * a thread cannot hold what it reads, as a store may change what is read next.
 * Kernels side by side read while others write.
 */
static double first_reads(const struct xs_machine *m,
			  const struct xs_round_work *w, double requests,
			  enum xs_mapped_case which)
{
	const double blocks = w->blocks / fmax(w->kernels, 1);
	const double at_once = xs_round_work_blocks_per_sm(w, m) * m->sm_count;
	const double each =
	    requests * XS_MAPPED_LANES / (w->blocks * (double)w->block_threads);
	const double held =
	    w->registers && each > 0 ? fmin(w->registers / each, 1) : 1;

	if (!(at_once > 0))
		return 0;
	if (blocks > at_once)
		return at_once / blocks * held;
	if (which == XS_MAPPED_LEAST || w->kernels > 1)
		return 0;
	if (which == XS_MAPPED_MOST || which == XS_MAPPED_WORST)
		return held;
	return w->in_place && w->registers &&
		       each + OTHER_REGISTERS > w->registers
		   ? fmin(READ_AT_ONCE / each, held / 2)
		   : held / 2;
}

/*
 * Returns the time of the requests of reads and writes, which share a unit that
 * takes mapped_write_apart_ns for each, whatever its size. Warps whose reads
 * return one by one store one by one, so that their stores are not joined to
 * lines. 0: does not apply, and least, as requests for one line may be merged.
 */
static double in_turn_ns(const struct xs_machine *m,
			 const struct xs_round_work *w, double requests,
			 enum xs_mapped_case which)
{
	return which == XS_MAPPED_LEAST ||
		       requests < XS_MAPPED_LEAST_READS * w->write_requests ||
		       xs_mapped_writes_elsewhere(w, w->write_sectors)
		   ? 0
		   : m->mapped_write_apart_ns.value *
			 (requests + w->write_requests);
}

/*
 * Returns the time of reads and writes together. Each read request occupies the
 * outbound link of the writes; the writes do not slow reads that have enough in
 * flight.
 */
static double together_ns(const struct xs_machine *m,
			  const struct xs_round_work *w,
			  const struct xs_mapped_times *mapped, double requests,
			  enum xs_mapped_case which)
{
	const double each_ns =
	    (m->mapped_both_write.value - m->mapped_write.value) *
	    XS_MAPPED_LINE_BYTES;
	double ns = fmax(mapped->read_ns, mapped->write_ns);

	if (!(mapped->write_ns > 0))
		return ns;
	if (each_ns > 0)
		ns = fmax(ns, mapped->write_ns + each_ns * requests);
	return fmax(ns, in_turn_ns(m, w, requests, which));
}

struct xs_mapped_times xs_mapped_access_times(const struct xs_machine *machine,
					      const struct xs_round_work *work,
					      enum xs_mapped_case which)
{
	const struct xs_machine *m = machine;
	const struct reads reads = reads_of(m, work, which);
	const struct waits waits = waits_of(m, work, &reads, which);
	const double link_ns = link_ns_of(m, &reads);
	struct xs_mapped_times mapped = {fmax(link_ns, waits.mapped_ns),
					 xs_mapped_writes_ns(m, work, which),
					 0};

	mapped.both_ns = xs_kernel_edges_ns(m) +
			 together_ns(m, work, &mapped, reads.lines, which) +
			 ADDS_ALONE * first_reads(m, work, reads.lines, which) *
			     fmin(mapped.read_ns, mapped.write_ns);
	/* Nothing hides the waits: what else the kernel does comes on top. */
	if (waits.mapped_ns > link_ns ||
	    (waits.in_step && which != XS_MAPPED_LEAST))
		mapped.both_ns =
		    fmax(mapped.both_ns,
			 work->kernel_ns - waits.device_ns + mapped.read_ns);
	return mapped;
}

double xs_mapped_access_reads_per_byte(const struct xs_round_work *work)
{
	return all_reads(work) * XS_MAPPED_SECTOR_BYTES / work->in_bytes;
}
