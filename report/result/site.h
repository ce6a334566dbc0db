/* SPDX-License-Identifier: MIT */
/* Labels and callers of call sites. */
#pragma once

#include "report/result/result.h"

/*
 * Returns a short label of the site: "main.cu:88", else "cudaMemcpy in upload
 * (app+0x1f3c)", without unknown parts. The arena owns it; NULL without
 * memory.
 */
const char *xs_result_site_label(struct xs_arena *arena,
				 const struct xs_result_site *site);

/* Returns the list with the label of a site, "cudaMemcpy in app+0x1f3c,
 * +0x1f90": of the same call in the same module as the last one only the
 * address, and of the same file only the line: "a.cu:12, :14". list NULL:
 * empty. Ownership as above. */
const char *xs_result_add_label(struct xs_arena *arena, const char *list,
				const char *label);

/* Returns a function's short name, "ns::upload" for
 * "ns::upload<float>(float*)". Ownership as above. */
const char *xs_result_function_name(struct xs_arena *arena,
				    const char *function);

/* Returns whether both are on one line that is known. */
bool xs_result_same_line(const struct xs_result_site *a,
			 const struct xs_result_site *b);

/* Returns whether both are NULL, or the same text. */
bool xs_result_same_text(const char *a, const char *b);

/* Returns whether both are the same call on one line, or at one address where
 * no line is known. */
bool xs_result_same_place(const struct xs_result_site *a,
			  const struct xs_result_site *b);

/* Adds a caller to the site, or its calls to an equal one. */
void xs_result_add_caller(struct xs_arena *arena, struct xs_result_site *site,
			  const struct xs_result_caller *caller);

/* Orders callers by number of calls and keeps XS_CALLERS_MAX. Call after the
 * last xs_result_add_caller(). */
void xs_result_order_callers(struct xs_result_site *site);
