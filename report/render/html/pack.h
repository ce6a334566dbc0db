/* SPDX-License-Identifier: MIT */
/* Packs the slices of a timeline. */
#pragma once

#include "report/result/timeline.h"

#include <stdio.h>

/*
 * Writes all lanes of all views, in order: of each lane first all
 * starts, as the difference from the end of the slice before, then all times,
 * names, sites and sizes. Each number is a varint of 7 bits a byte, the lowest
 * first; the starts are zigzag-coded, since slices may overlap. An error of
 * writing is that of out.
 */
void xs_html_pack(const struct xs_result_timeline *timeline, FILE *out);
