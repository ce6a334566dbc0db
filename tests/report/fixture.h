/* SPDX-License-Identifier: MIT */
/*
 * A result written by hand: a run of 10 s with three phases, whose figures can
 * be checked by hand. It tests renderers and ranking without the stages before
 * them.
 */
#pragma once

#include "report/result/result.h"

/* Includes the plan. Free it with xs_result_free(). */
struct xs_result *fixture_result(void);

/* The same program after phase 1 uses 8 streams and pinned memory: 8 s, rounds
 * of 11.9 ms. */
struct xs_result *fixture_after(void);

/* Return the output of a renderer; the caller frees it. */
char *fixture_text(struct xs_result *result, bool color);
char *fixture_json(struct xs_result *result);
