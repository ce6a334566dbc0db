/* SPDX-License-Identifier: MIT */
#include "report/diff/totals.h"

#include "report/diff/spread.h"

#include <stdlib.h>

const struct xs_total_row xs_total_rows[] = {
#define ROW(name, unit, member)                                                \
	{                                                                      \
		name, unit, offsetof(struct xs_result, member)                 \
	}
    ROW("run", XS_DIFF_NS, run.wall_ns),
    ROW("start-up", XS_DIFF_NS, verdict.startup_ns),
    ROW("steady part", XS_DIFF_NS, verdict.steady_ns),
    ROW("afterwards", XS_DIFF_NS, verdict.after_ns),
    ROW("tracing", XS_DIFF_NS, run.tracer_ns),
    ROW("copies in", XS_DIFF_NS, totals.h2d_ns),
    ROW("copies out", XS_DIFF_NS, totals.d2h_ns),
    ROW("kernels", XS_DIFF_NS, totals.kernel_ns),
    ROW("overlap", XS_DIFF_NS, totals.overlap_ns),
    ROW("GPU busy", XS_DIFF_NS, totals.gpu_busy_ns),
    ROW("host blocked", XS_DIFF_NS, totals.host_blocked_ns),
    ROW("pinning", XS_DIFF_NS, totals.pinned_alloc_ns),
    ROW("unpinning", XS_DIFF_NS, totals.pinned_free_ns),
    ROW("bytes in", XS_DIFF_BYTES, totals.h2d_bytes),
    ROW("bytes out", XS_DIFF_BYTES, totals.d2h_bytes),
    ROW("copies in", XS_DIFF_COUNT, totals.h2d_ops),
    ROW("copies out", XS_DIFF_COUNT, totals.d2h_ops),
    ROW("kernels", XS_DIFF_COUNT, totals.kernels),
#undef ROW
};
const size_t xs_total_row_count =
    sizeof(xs_total_rows) / sizeof(xs_total_rows[0]);

const char *xs_total_unit(enum xs_diff_unit unit)
{
	static const char *const units[] = {"ns", "bytes", "count"};

	return units[unit];
}

struct xs_run_spread xs_total_spread(const struct xs_total_row *row,
				     struct xs_result *const *runs,
				     size_t count, int64_t *values)
{
	for (size_t i = 0; i < count; i++) {
		const char *result = (const char *)runs[i];

		values[i] = *(const int64_t *)(result + row->offset);
	}
	return xs_spread_of(values, count);
}

/* Unknown changes sort last. */
static int64_t size_of(int64_t change)
{
	return change == XS_UNKNOWN ? -1 : llabs(change);
}

static int compare(const void *left, const void *right)
{
	const struct xs_diff_total *a = left, *b = right;
	int64_t x = size_of(a->change), y = size_of(b->change);

	if (a->unit != b->unit)
		return a->unit < b->unit ? -1 : 1;
	return x > y ? -1 : x < y;
}

/* Stores the values of a side's runs, too. */
static struct xs_run_spread spread(struct xs_diff *diff,
				   const struct xs_total_row *row,
				   const struct xs_diff_side *side,
				   const int64_t **values)
{
	int64_t *all = xs_arena_alloc(&diff->arena, side->count, sizeof(*all));

	*values = all;
	return xs_total_spread(row, side->runs, side->count, all);
}

/* Whether nearly all pairs of runs differ in one direction. */
static bool is_apart(const struct xs_diff_total *total, size_t before,
		     size_t after)
{
	const int64_t *from = total->before_runs, *to = total->after_runs;
	const size_t longer = xs_spread_above(from, before, to, after, 1);
	const size_t shorter = xs_spread_above(to, after, from, before, 1);

	return xs_spread_nearly_all(longer, before, after) ||
	       xs_spread_nearly_all(shorter, before, after);
}

static void fill(struct xs_diff *diff, const struct xs_total_row *row,
		 struct xs_diff_total *out)
{
	out->name = row->name;
	out->unit = row->unit;
	out->before = spread(diff, row, &diff->before_side, &out->before_runs);
	out->after = spread(diff, row, &diff->after_side, &out->after_runs);
	out->change = XS_UNKNOWN;
	if (out->before.median == XS_UNKNOWN || out->after.median == XS_UNKNOWN)
		return;
	out->change = out->after.median - out->before.median;
	out->apart =
	    is_apart(out, diff->before_side.count, diff->after_side.count);
}

void xs_diff_build_totals(struct xs_diff *diff)
{
	fill(diff, &xs_total_rows[0], &diff->wall);
	XS_ARENA_NEW(&diff->arena, diff->totals, xs_total_row_count);
	for (size_t i = 1; i < xs_total_row_count; i++)
		fill(diff, &xs_total_rows[i],
		     &diff->totals[diff->total_count++]);
	qsort(diff->totals, XS_DIFF_PARTS, sizeof(*diff->totals), compare);
	qsort(diff->totals + XS_DIFF_PARTS, diff->total_count - XS_DIFF_PARTS,
	      sizeof(*diff->totals), compare);
}
