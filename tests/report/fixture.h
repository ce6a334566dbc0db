/* SPDX-License-Identifier: MIT */
/*
 * A result by hand: a run of 10 s with three phases, whose figures a test can
 * work out on paper. Renderers and ranking are tested on it, apart from the
 * stages that make results of traces.
 */
#ifndef XS_TESTS_REPORT_FIXTURE_H
#define XS_TESTS_REPORT_FIXTURE_H

#include "report/result/result.h"

/* Advice is worked out too. Give it back with fixture_free. */
struct xs_result *fixture_result(void);

/* The same program after phase 1 took 8 streams of pinned memory: 8 s, with
 * rounds of 11.9 ms. */
struct xs_result *fixture_after(void);

void fixture_free(struct xs_result *result);

/* What a renderer wrote, as a string to free. */
char *fixture_text(struct xs_result *result, bool color);
char *fixture_json(struct xs_result *result);

#endif
