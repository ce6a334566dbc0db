/* SPDX-License-Identifier: MIT */
/*
 * The time of a kernel's accesses to mapped memory, from bytes or from hardware
 * counters. A request is one access of an SM to a line of 128 bytes, with 1 to
 * 4 sectors of 32 bytes. Each request that misses the SM's L1 cache crosses the
 * bus.
 */
#ifndef XS_MODEL_REPLAY_MAPPED_ACCESS_H
#define XS_MODEL_REPLAY_MAPPED_ACCESS_H

#include "model/machine/machine.h"
#include "model/replay/round_work.h"

/* A kernel that writes this many times the bytes copied out also writes to
 * other memory, which stays on the device. */
#define XS_MAPPED_ELSEWHERE 2.0

/* ns for the accesses of one round. NAN if the machine's rate is unknown. */
struct xs_mapped_times {
	double read_ns, write_ns; /* each alone */
	double both_ns;		  /* together, as the kernel makes them */
};

/* Counters of the kernel on device memory leave open what crosses the bus. The
 * usual case, and the ends of the range. */
enum xs_mapped_case { XS_MAPPED_USUAL, XS_MAPPED_LEAST, XS_MAPPED_MOST };

/* Uses the counters if there are any; else each byte crosses once. */
struct xs_mapped_times xs_mapped_access_times(const struct xs_machine *machine,
					      const struct xs_round_work *work,
					      enum xs_mapped_case which);

/*
 * Returns ns for the writes of one of n equal pieces of the results. If a piece
 * does not begin at a multiple of a line, every store of the kernel touches two
 * lines. Blocks of one piece run together, so the L2 merges neighbouring writes
 * to one sector.
 */
double xs_mapped_access_piece_ns(const struct xs_machine *machine,
				 const struct xs_round_work *work, double n);

/*
 * Returns ns for writing the results by 4 bytes, if no two of them leave the
 * kernel as one access. No counter shows whether they do: with the data on the
 * device, an SM joins what it stores to one sector. NAN: unknown.
 */
double xs_mapped_access_parts_ns(const struct xs_machine *machine,
				 const struct xs_round_work *work);

/* How often each byte copied in is read; NAN if not counted. */
double xs_mapped_access_reads_per_byte(const struct xs_round_work *work);
/* How often each byte copied out is written; NAN if not counted. */
double xs_mapped_access_writes_per_byte(const struct xs_round_work *work);

#endif
