/* SPDX-License-Identifier: MIT */
/* Requests for sectors of mapped memory: what reads and writes share. */
#pragma once

#include "model/machine/machine.h"
#include "model/replay/round_work.h"

/* Counters of the kernel on device memory leave open what crosses the bus. The
 * usual case, and the ends of the range. The worst case of a kernel that was
 * not counted: it does nothing but read sectors one by one, and nothing but
 * write parts of them. */
enum xs_mapped_case {
	XS_MAPPED_USUAL,
	XS_MAPPED_LEAST,
	XS_MAPPED_MOST,
	XS_MAPPED_WORST
};

#define XS_MAPPED_WORD_BYTES   4.0
#define XS_MAPPED_SECTOR_BYTES 32.0
#define XS_MAPPED_LANES	       32.0
#define XS_MAPPED_LINE_SECTORS 4.0
#define XS_MAPPED_LINE_BYTES   (XS_MAPPED_LINE_SECTORS * XS_MAPPED_SECTOR_BYTES)

/* Warps wait for their reads before they write if the kernel reads this part of
 * what it writes. */
#define XS_MAPPED_LEAST_READS 0.1

/* Equal requests have a whole number of sectors, up to the kernel's edges. */
#define XS_MAPPED_EQUAL_SECTORS 0.002

/* ns per byte of requests of 1, 2 and 4 sectors. */
struct xs_mapped_rates {
	double one, two, four;
	bool merged; /* the L2 joins requests to neighbouring sectors */
};

/* Returns ns of accesses to so many sectors in so many requests; NAN: not
 * counted, whole lines. */
double xs_mapped_requests_ns(const struct xs_mapped_rates *rates,
			     double sectors, double requests);

/* Returns the sectors that the SMs of the kernel's blocks can load or store in
 * its time, of all SMs if the blocks are unknown; NAN: unknown. */
double xs_mapped_most_sectors(const struct xs_machine *machine,
			      const struct xs_round_work *work);

/* Returns the counted sectors, or those of the bytes if that is NAN. */
double xs_mapped_sectors_or(double counted, double bytes);
