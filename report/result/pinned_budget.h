/* SPDX-License-Identifier: MIT */
/* Which buffers to pin within a budget: the part of a result that
 * --pinned-budget asks for. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct xs_result_site;

/* Pageable buffers of the copies at one place; saves_ns: of the run, with what
 * pinning costs once. */
struct xs_result_pinned_place {
	const struct xs_result_site *site;
	const char *step;	       /* "h2d" or "d2h" */
	int64_t phase;		       /* its id */
	int64_t buffers, bytes;	       /* all that are worth it */
	int64_t taken;		       /* buffers within the budget */
	int64_t taken_bytes, saves_ns; /* of these */
};

struct xs_result_pinned_budget {
	int64_t budget_bytes, used_bytes, saves_ns;
	struct xs_result_pinned_place *places; /* most gain per byte first */
	size_t count;
};
