/* SPDX-License-Identifier: MIT */
/*
 * What a kernel's accesses take when they go to mapped memory: by bytes, or by
 * what was counted of them. A request is one access of an SM to one line of
 * 128 bytes, of 1 to 4 sectors of 32 bytes; beyond the SM's own cache each
 * crosses the bus.
 */
#ifndef XS_MODEL_REPLAY_MAPPED_ACCESS_H
#define XS_MODEL_REPLAY_MAPPED_ACCESS_H

#include "model/machine/machine.h"
#include "model/replay/round_work.h"

/* A kernel that writes so many times the bytes that are copied out writes to
 * other memory too, which stays on the device. */
#define XS_MAPPED_ELSEWHERE 2.0

/* ns of one round's accesses. NAN where the machine's rate is not known. */
struct xs_mapped_times {
	double read_ns, write_ns; /* each by itself */
	double both_ns;		  /* as one kernel makes them */
};

/* By the counts of the work where it has them, else each byte once. */
struct xs_mapped_times xs_mapped_access_times(const struct xs_machine *machine,
					      const struct xs_round_work *work);

/*
 * ns of the writes of one of n equal pieces of the results. A piece that does
 * not begin at a multiple of a line shifts every store of the kernel: each then
 * touches two lines. Blocks of one piece run together, so that the L2 joins
 * what neighbours write of one sector.
 */
double xs_mapped_access_piece_ns(const struct xs_machine *machine,
				 const struct xs_round_work *work, double n);

/* How often each byte copied in is read; NAN where that was not counted. */
double xs_mapped_access_reads_per_byte(const struct xs_round_work *work);
/* The same of bytes copied out and written. */
double xs_mapped_access_writes_per_byte(const struct xs_round_work *work);

#endif
