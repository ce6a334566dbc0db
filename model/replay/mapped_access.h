/* SPDX-License-Identifier: MIT */
/*
 * The time of a kernel's accesses to mapped memory, from bytes or from hardware
 * counters. A request is one access of an SM to a line of 128 bytes, with 1 to
 * 4 sectors of 32 bytes. Each request that misses the SM's L1 cache crosses the
 * bus.
 */
#pragma once

#include "model/replay/mapped_requests.h"

/* ns for the accesses of one round. NAN if the machine's rate is unknown. */
struct xs_mapped_times {
	double read_ns, write_ns; /* each alone */
	double both_ns;		  /* together, as the kernel makes them */
};

/* Uses the counters if there are any; else each byte crosses once. */
struct xs_mapped_times xs_mapped_access_times(const struct xs_machine *machine,
					      const struct xs_round_work *work,
					      enum xs_mapped_case which);

/* How often each byte copied in is read; NAN if not counted. */
double xs_mapped_access_reads_per_byte(const struct xs_round_work *work);
