/* SPDX-License-Identifier: MIT */
/* Finds copies that transfer the same bytes again, if contents were hashed. */
#pragma once

#include "analyzer/read/trace.h"

/* A host-to-device copy is compared with the last copy to the same device
 * memory, and with the last copy out to the same host memory. */
enum xs_repeat_flag {
	XS_REPEAT_COMPARED = 1,	  /* there was a copy to compare with */
	XS_REPEAT_COPIED_IN = 2,  /* same bytes as the last copy in */
	XS_REPEAT_COPIED_OUT = 4, /* same bytes as the last copy out */
	XS_REPEAT_SAMPLED = 8,	  /* only samples of the bytes were hashed */
};

/*
 * Stores in *same, by call, or-ed values of enum xs_repeat_flag; NULL if
 * nothing was hashed. Caller frees *same.
 */
void xs_repeated_copies_find(const struct xs_trace *trace, uint8_t **same);
