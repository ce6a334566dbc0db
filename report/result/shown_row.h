/* SPDX-License-Identifier: MIT */
/* A row of the table of strategies as a report shows it. */
#pragma once

#include "report/result/result.h"

/*
 * Returns a copy of the row with a round as the run counts it, and the host's
 * time behind it, if a row of the phase uses that; with the range of its step,
 * and with what new memory takes once. It saves no more than the verdict says.
 */
struct xs_result_estimate
xs_result_shown_row(const struct xs_result *result,
		    const struct xs_result_phase *phase,
		    const struct xs_result_estimate *row);
