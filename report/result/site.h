/* SPDX-License-Identifier: MIT */
/* Labels and callers of call sites. */
#ifndef XS_REPORT_RESULT_SITE_H
#define XS_REPORT_RESULT_SITE_H

#include "report/result/result.h"

/*
 * Where a site is, as short as it is clear: "main.cu:88", else "cudaMemcpy in
 * upload (app+0x1f3c)", without the function where it is not known. Of the
 * arena; NULL without memory.
 */
const char *xs_result_site_label(struct xs_arena *arena,
				 const struct xs_result_site *site);

/* A function's name, "ns::upload" of "ns::upload<float>(float*)", for a line of
 * text. As above. */
const char *xs_result_function_name(struct xs_arena *arena,
				    const char *function);

/* Returns whether both are the same line, or the same address where no line is
 * known. */
bool xs_result_same_place(const struct xs_result_site *a,
			  const struct xs_result_site *b);

/* Adds a caller to those of a place, or its calls to the same one's. */
void xs_result_add_caller(struct xs_arena *arena, struct xs_result_site *site,
			  const struct xs_result_caller *caller);

/* When all are added: the most calls first, and only so many. */
void xs_result_order_callers(struct xs_result_site *site);

#endif
