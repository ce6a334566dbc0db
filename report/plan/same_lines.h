/* SPDX-License-Identifier: MIT */
/* Changes that are made once in the source and reach several phases. */
#pragma once

#include "report/result/result.h"

/* Returns whether the lines that the row's strategy changes for the phase are
 * known, and among those that it changes for the outer phase. */
bool xs_lines_are_within(const struct xs_result_phase *outer,
			 const struct xs_result_phase *phase,
			 const struct xs_result_estimate *row);

/* Returns whether they are known and the same for both phases, of which both or
 * none is of the steady part. */
bool xs_lines_are_same(const struct xs_result_phase *other,
		       const struct xs_result_phase *phase,
		       const struct xs_result_estimate *row);

/* Returns whether the lines that the row's strategy changes for both phases are
 * in one function, or, where no function is known, in one program. */
bool xs_lines_are_near(const struct xs_result_phase *first,
		       const struct xs_result_phase *second,
		       const struct xs_result_estimate *row);

/* Returns whether a line, or a call site without one, that the first row's
 * strategy changes for the first phase is one that the second row's changes for
 * the second phase. */
bool xs_lines_meet(const struct xs_result_phase *first,
		   const struct xs_result_estimate *first_row,
		   const struct xs_result_phase *second,
		   const struct xs_result_estimate *second_row);
