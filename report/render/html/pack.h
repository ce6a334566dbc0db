/* SPDX-License-Identifier: MIT */
/* Packs the slices of a timeline. */
#pragma once

#include "report/result/timeline.h"

/*
 * Writes all lanes of all views, in order, with `put`: of each lane first all
 * starts, as the difference from the end of the slice before, then all times,
 * names, sites and sizes. Each number is a varint of 7 bits a byte, the lowest
 * first; the starts are zigzag-coded, since slices may overlap. Returns 0, or
 * what put() returned if that is not 0.
 */
int xs_html_pack(const struct xs_result_timeline *timeline,
		 int (*put)(void *sink, const void *bytes, size_t count),
		 void *sink);
