/* SPDX-License-Identifier: MIT */
/* Copies of the same bytes again, where their contents were hashed. */
#ifndef XS_ANALYZER_ROUNDS_REPEATED_COPIES_H
#define XS_ANALYZER_ROUNDS_REPEATED_COPIES_H

#include "analyzer/read/trace.h"

/* What a copy in is compared with: the last copy in to the same device memory,
 * and the last copy out to the same host memory. */
enum xs_repeat_flag {
	XS_REPEAT_COMPARED = 1,	  /* there was one to compare with */
	XS_REPEAT_COPIED_IN = 2,  /* the bytes that it brought last time */
	XS_REPEAT_COPIED_OUT = 4, /* the bytes that had been copied out */
	XS_REPEAT_SAMPLED = 8,	  /* known of samples of the bytes alone */
};

/*
 * By call: a sum of enum xs_repeat_flag. *same is NULL where nothing was
 * hashed, and else to be freed. 0 or -ENOMEM.
 */
int xs_repeated_copies_find(const struct xs_trace *trace, uint8_t **same);

#endif
