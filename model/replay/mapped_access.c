/* SPDX-License-Identifier: MIT */
#include "model/replay/mapped_access.h"

#include "model/replay/plan.h"

#include <math.h>

#define WORD_BYTES   4.0
#define SECTOR_BYTES 32.0
#define LANES	     32.0
#define LINE_SECTORS 4.0
#define LINE_BYTES   (LINE_SECTORS * SECTOR_BYTES)

/* ns per byte of requests of 1, 2 and 4 sectors. */
struct rates {
	double one, two, four;
	bool merged; /* the L2 joins requests to neighbouring sectors */
};

/* Equal requests have a whole number of sectors, up to the kernel's edges. */
#define EQUAL_SECTORS 0.002

/*
 * Returns ns of one request of that many sectors in the mean: measured for 1, 2
 * and 4, linear in between. Means of reads that are no whole number are those
 * of whole lines and single sectors, as rows that do not begin at a line have
 * them: a request of one sector takes as long as one of two.
 */
static double request_ns(const struct rates *r, double sectors)
{
	const double one = r->one * SECTOR_BYTES;
	const double two = r->two * 2 * SECTOR_BYTES;
	const double four = r->four * 4 * SECTOR_BYTES;

	if (!r->merged && fabs(sectors - 2) > EQUAL_SECTORS)
		return one + (four - one) * (sectors - 1) / 3;
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

/*
 * Returns the least sectors that cross: kernels that wait longer hit more often
 * in the L1, but rarely more than the L2 saw. Requests of about one sector are
 * those of lanes that each read data of their own and come back to the sector
 * later: each may find it then.
 */
static bool is_scattered(const struct xs_round_work *w)
{
	return xs_reads_are_scattered(w->read_sectors * SECTOR_BYTES,
				      w->read_requests);
}

static double least_sectors(const struct xs_round_work *w)
{
	return is_scattered(w)
		   ? fmin(w->read_sectors, w->in_bytes / SECTOR_BYTES)
		   : w->read_sectors;
}

/* Whether the kernel writes more often than it could to the results alone: it
 * has memory of its own on the device. */
static bool writes_elsewhere(const struct xs_round_work *w, double sectors)
{
	return !w->copied_alone && sectors > 0 &&
	       sectors * SECTOR_BYTES >= XS_MAPPED_ELSEWHERE * w->out_bytes;
}

/* Returns the sectors that all reads bring into the L1. */
static double all_reads(const struct xs_round_work *w)
{
	return w->l1_fills > 0 ? w->l1_fills : w->read_sectors;
}

/*
 * Returns the sectors that the kernel's reads would bring over the bus. Host
 * memory is not cached in the L2, nor are reads of it merged on their way
 * there, so these are the fills of the L1; without them, what the L2 saw. A
 * kernel that has memory of its own reads this, too: of the data, each byte
 * once, at most all. Without counters, a kernel that takes longer than its
 * bytes need may read them again and again: at most what its time allows at the
 * bandwidth of the device's memory. NAN: not counted.
 */
static double crossing_sectors(const struct xs_machine *m,
			       const struct xs_round_work *w,
			       enum xs_mapped_case which)
{
	const double most_bytes =
	    w->kernel_ns * m->memory_bandwidth / 1e9 - w->out_bytes;
	const double filled = all_reads(w);

	if (isnan(w->read_sectors) && which == XS_MAPPED_MOST)
		return fmax(most_bytes, w->in_bytes) / SECTOR_BYTES;
	if (which == XS_MAPPED_LEAST)
		return least_sectors(w);
	return which == XS_MAPPED_USUAL && writes_elsewhere(w, w->write_sectors)
		   ? fmin(filled, w->in_bytes / SECTOR_BYTES)
		   : filled;
}

/* What crosses the bus. Requests to the L2 that were merged had as many sectors
 * as the others. */
struct reads {
	double sectors, requests; /* requests: NAN: not counted */
	double lines;		  /* requests, at least one for each line */
};

/* Returns the counted sectors, or those of the bytes. */
static double sectors_or(double counted, double bytes)
{
	return isnan(counted) ? bytes / SECTOR_BYTES : counted;
}

/* A round that copies nothing in reads what stays on the device. */
static struct reads reads_of(const struct xs_machine *m,
			     const struct xs_round_work *w,
			     enum xs_mapped_case which)
{
	struct reads reads = {0};

	if (!(w->in_bytes > 0))
		return reads;
	reads.sectors = sectors_or(crossing_sectors(m, w, which), w->in_bytes);
	reads.requests = w->read_requests;
	if (w->read_sectors > 0)
		reads.requests *= reads.sectors / w->read_sectors;
	reads.lines = isnan(reads.requests) ? reads.sectors / LINE_SECTORS
					    : reads.requests;
	return reads;
}

/*
 * Reads that wait for each other. Each resident warp has at least one request
 * in flight. Its requests on the device took no longer than the kernel, or than
 * their share of it: if one after the other they would have, the warp has more
 * in flight, or they hit in the L2. At most, each waits for the one before, or
 * all warps of an SM wait for the same requests.
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

/*
 * Returns the waits on the device of a warp whose own requests take own_ns, and
 * those of its SM sm_ns, in turn. In step, requests of one sector are those of
 * warps that all read the same elements: they wait for all requests of the SM,
 * of which an unknown number are in flight. The mean of both ends, as a factor.
 */
static double device_waits_ns(const struct xs_round_work *w, double own_ns,
			      double sm_ns, double kernel_ns, bool in_step,
			      enum xs_mapped_case which)
{
	const double least_ns =
	    kernel_ns > 0 ? fmin(own_ns, kernel_ns) : own_ns;
	const double most_ns = fmax(own_ns, fmin(sm_ns, kernel_ns));

	if (which == XS_MAPPED_MOST)
		return most_ns;
	if (!is_scattered(w))
		return least_ns;
	if (which == XS_MAPPED_LEAST)
		return fmin(least_ns, own_ns / LANES);
	return in_step ? sqrt(least_ns * most_ns) : least_ns;
}

static struct waits waits_of(const struct xs_machine *m,
			     const struct xs_round_work *w,
			     const struct reads *reads,
			     enum xs_mapped_case which)
{
	const double at_once = xs_round_work_blocks_per_sm(w, m) * m->sm_count;
	const double blocks = fmin(w->blocks / fmax(w->kernels, 1), at_once);
	const double sms = fmin(blocks, m->sm_count);
	const double warps = blocks * ceil(w->block_threads / LANES);
	const double slower =
	    m->mapped_read_latency_ns.value / m->device_read_latency_ns.value;
	const double in_turn_ns =
	    reads->lines * m->device_read_latency_ns.value;
	const double share =
	    isnan(all_reads(w)) ? 1 : fmin(reads->sectors / all_reads(w), 1);
	struct waits waits = {0};

	if (!(warps > 0) || !(in_turn_ns > 0) || isnan(slower))
		return waits;
	waits.in_step = sms > 1 && reads->sectors * SECTOR_BYTES >=
				       READ_BY_ALL * sms * w->in_bytes;
	waits.device_ns =
	    device_waits_ns(w, in_turn_ns / warps, in_turn_ns / sms,
			    w->kernel_ns * share, waits.in_step, which);
	waits.mapped_ns = waits.device_ns * slower;
	return waits;
}

/*
 * Returns the time of reads that take link_ns if enough of them are in flight.
 * Far from that, they take as long as the waits. Around it the requests queue
 * up: the norm of both times, of the power that gives the time which calibrate
 * measured where both are equal (the knee).
 */
static double limited_ns(const struct xs_machine *m, double link_ns,
			 double waits_ns)
{
	const double knee = m->mapped_read_knee.value / m->mapped_read.value;
	const double power = M_LN2 / log(knee);

	if (!(waits_ns > 0) || !(knee > 1))
		return fmax(link_ns, waits_ns);
	return link_ns * pow(1 + pow(waits_ns / link_ns, power), 1 / power);
}

/* Returns the time of the writes of the results in that many requests. */
static double writes_ns(const struct xs_machine *m,
			const struct xs_round_work *w, double requests,
			enum xs_mapped_case which)
{
	const struct rates rates = {m->mapped_write_32.value,
				    m->mapped_write_64.value,
				    m->mapped_write.value, true};
	const double full = w->out_bytes / SECTOR_BYTES;
	const double sectors = sectors_or(w->write_sectors, w->out_bytes);

	if (writes_elsewhere(w, sectors) && which != XS_MAPPED_MOST)
		return accesses_ns(&rates, full, NAN);
	return accesses_ns(&rates, sectors, requests);
}

/*
 * Returns the number of partial writes. More sectors than the bytes fill mean
 * rows that do not begin at a sector: two warps write parts of the sector that
 * they share. If the L2 joins the two, none crosses the bus, otherwise both do.
 * This depends on when they write; one is the value.
 */
static double partial_writes(double excess, enum xs_mapped_case which)
{
	return which == XS_MAPPED_LEAST	 ? 0
	       : which == XS_MAPPED_MOST ? 2 * excess
					 : excess;
}

/* Returns the time of the writes of a whole kernel, whose blocks drift apart.
 * What it writes again, it writes in parts or in whole requests. */
static double whole_ns(const struct xs_machine *m,
		       const struct xs_round_work *w, enum xs_mapped_case which)
{
	const double full = w->out_bytes / SECTOR_BYTES;
	const double excess = w->write_sectors - full;
	const double each_ns = m->mapped_write_partial_ns.value;
	const double requests_ns = writes_ns(m, w, w->write_requests, which);
	double parts_ns;

	if (!(excess > 0) || writes_elsewhere(w, w->write_sectors) ||
	    isnan(each_ns))
		return requests_ns;
	parts_ns = full * SECTOR_BYTES * m->mapped_write.value +
		   partial_writes(excess, which) * each_ns;
	return excess < (XS_MAPPED_ELSEWHERE - 1) * full
		   ? parts_ns
		   : fmin(parts_ns, requests_ns);
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

/* Returns how much longer an access takes while the other direction is busy. */
static double slower(struct xs_param both, struct xs_param alone)
{
	return both.value > alone.value ? both.value / alone.value : 1;
}

/* Both directions slow each other until the shorter one ends; the rest of the
 * other runs at its own rate. */
static double slowed_ns(const struct xs_machine *m, double read_ns,
			double write_ns)
{
	const double read = slower(m->mapped_both_read, m->mapped_read);
	const double write = slower(m->mapped_both_write, m->mapped_write);
	const double reads_end_ns = read_ns * read;
	const double writes_end_ns = write_ns * write;

	return reads_end_ns > writes_end_ns
		   ? writes_end_ns + read_ns - writes_end_ns / read
		   : reads_end_ns + write_ns - reads_end_ns / write;
}

/*
 * Returns the time of reads and writes together. Each read request occupies the
 * outbound link of the writes; the writes do not slow reads that have enough in
 * flight. At most, they slow each other.
 */
static double together_ns(const struct xs_machine *m,
			  const struct xs_mapped_times *mapped, double requests,
			  enum xs_mapped_case which)
{
	const double each_ns =
	    (m->mapped_both_write.value - m->mapped_write.value) * LINE_BYTES;
	double ns = fmax(mapped->read_ns, mapped->write_ns);

	if (each_ns > 0 && mapped->write_ns > 0)
		ns = fmax(ns, mapped->write_ns + each_ns * requests);
	if (which == XS_MAPPED_MOST)
		ns = fmax(ns, slowed_ns(m, mapped->read_ns, mapped->write_ns));
	return ns;
}

struct xs_mapped_times xs_mapped_access_times(const struct xs_machine *machine,
					      const struct xs_round_work *work,
					      enum xs_mapped_case which)
{
	const struct xs_machine *m = machine;
	const struct rates rates = {m->mapped_read_32.value,
				    m->mapped_read_64.value,
				    m->mapped_read.value, false};
	const struct reads reads = reads_of(m, work, which);
	const struct waits waits = waits_of(m, work, &reads, which);
	const double link_ns =
	    accesses_ns(&rates, reads.sectors, reads.requests);
	struct xs_mapped_times mapped = {
	    limited_ns(m, link_ns, waits.mapped_ns), whole_ns(m, work, which),
	    0};

	mapped.both_ns =
	    together_ns(m, &mapped, reads.lines, which) +
	    first_wave(m, work) * fmin(mapped.read_ns, mapped.write_ns);
	/* Nothing hides the waits: what else the kernel does comes on top. */
	if (waits.mapped_ns > link_ns ||
	    (waits.in_step && which != XS_MAPPED_LEAST))
		mapped.both_ns =
		    fmax(mapped.both_ns,
			 work->kernel_ns - waits.device_ns + mapped.read_ns);
	return mapped;
}

double xs_mapped_access_piece_ns(const struct xs_machine *machine,
				 const struct xs_round_work *work, double n)
{
	const double sectors = sectors_or(work->write_sectors, work->out_bytes);
	double requests = work->write_requests;

	if (fmod(work->out_bytes / n, LINE_BYTES) > 0)
		requests = fmax(xs_or_zero(requests), sectors / 2);
	return writes_ns(machine, work, requests, XS_MAPPED_USUAL) / n;
}

double xs_mapped_access_parts_ns(const struct xs_machine *machine,
				 const struct xs_round_work *work)
{
	return work->out_bytes / WORD_BYTES *
	       machine->mapped_write_partial_ns.value;
}

double xs_mapped_access_reads_per_byte(const struct xs_round_work *work)
{
	return all_reads(work) * SECTOR_BYTES / work->in_bytes;
}

double xs_mapped_access_writes_per_byte(const struct xs_round_work *work)
{
	return work->write_sectors * SECTOR_BYTES / work->out_bytes;
}
