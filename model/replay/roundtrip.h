/* SPDX-License-Identifier: MIT */
/* Finds data that is copied out and then in again. Strategies can keep such
 * data on the device, but must not reorder its copies. */
#pragma once

#include "analyzer/rounds/phase.h"

/* Numbers of copies in a round. */
struct xs_roundtrips {
	size_t in;  /* whose data was just copied out */
	size_t out; /* whose data comes back in the same round */
};

/*
 * Marks each copy in whose host range (address and bytes) was last copied out,
 * in this round or in the previous one; and the copy out, if it is in the same
 * round: the result of a round is for the host, too. A trace does not show
 * whether the host wrote to the range in between. marks: phase->step_count
 * entries, all of which are written.
 */
void xs_roundtrip_mark(const struct xs_phase *phase, bool *marks,
		       struct xs_roundtrips *found);

/* Counts only. */
void xs_roundtrip_count(const struct xs_phase *phase,
			struct xs_roundtrips *found);

/* Returns whether contents were hashed and compared. Sums the repeat counts
 * over all sites. */
bool xs_repeats_measured(const struct xs_phase *phase,
			 struct xs_repeat_counts *sum);

/* Returns whether all compared copies of the step's site brought the same
 * bytes. */
bool xs_step_repeats(const struct xs_step *step);

/* Marks the copies that a round can do without if data stays on the device: the
 * copies in that were measured to bring the same bytes; or, if nothing was
 * hashed, those of xs_roundtrip_mark() and, if same_host, the copies in from
 * host memory that every round copies in. *copies: number of marked copies in.
 */
void xs_resident_mark(const struct xs_phase *phase, bool same_host, bool *marks,
		      size_t *copies);

/* Counts the copies in only. */
void xs_resident_count(const struct xs_phase *phase, bool same_host,
		       size_t *copies);
