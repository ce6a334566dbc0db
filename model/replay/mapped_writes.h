/* SPDX-License-Identifier: MIT */
/* The time of a kernel's writes to mapped memory. */
#pragma once

#include "model/replay/mapped_requests.h"

/* A kernel that writes this many times the bytes copied out also writes to
 * other memory, which stays on the device. */
#define XS_MAPPED_ELSEWHERE 2.0

/* Whether the kernel writes more often than it could to the results alone: it
 * has memory of its own on the device. */
bool xs_mapped_writes_elsewhere(const struct xs_round_work *work,
				double sectors);

/*
 * Returns ns for the writes of a kernel, in the least, usual or most case
 * (which). On the device the L1 joins the stores of a warp's instructions to
 * one sector. To the host it joins those between which few other sectors are
 * stored, by the same warp and by others. Each lane that stores a part of a
 * sector needs a write, up to one for each quarter.
 */
double xs_mapped_writes_ns(const struct xs_machine *machine,
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

/* How often each byte copied out is written; NAN if not counted. */
double xs_mapped_access_writes_per_byte(const struct xs_round_work *work);
