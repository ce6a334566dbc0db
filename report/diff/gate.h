/* SPDX-License-Identifier: MIT */
/* The limit of `diff --fail-above`. */
#pragma once

#include "report/diff/diff.h"

enum xs_gate {
	XS_GATE_KEPT,
	XS_GATE_EXCEEDED,
	XS_GATE_NOISY,	   /* the runs spread too much to tell */
	XS_GATE_DIFFERENT, /* other programs or GPUs, without leave */
	XS_GATE_UNKNOWN,   /* the change of the run is unknown */
};

/*
 * Whether runs after take more than limit_percent longer than before. Exceeded
 * and kept are said if nearly all pairs of a run before and one after agree
 * (spread.h), otherwise that it is too noisy to tell: of three runs of each and
 * more, about 5 % of changes right at the limit get each of the two, of one run
 * of each all.
 */
enum xs_gate xs_diff_gate(const struct xs_diff *diff, double limit_percent);

/* Returns "kept", "exceeded", "too noisy" or "different"; NULL: unknown. */
const char *xs_gate_name(enum xs_gate answer);

struct xs_gate_text {
	char s[160];
};

/* Whether a side has too few runs to tell noise apart: one or two. */
bool xs_gate_is_single(const struct xs_diff *diff);

/* Returns the answer as a sentence; is_single: of few runs. */
struct xs_gate_text xs_gate_text(enum xs_gate answer, double limit_percent,
				 bool is_single);
