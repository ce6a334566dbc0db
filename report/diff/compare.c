/* SPDX-License-Identifier: MIT */
#include "report/diff/compare.h"

#include "report/diff/comparable.h"
#include "report/diff/match.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Byte counts within 5 % are the same work in other chunks. */
#define SAME_BYTES 0.05

static int64_t difference(int64_t before, int64_t after)
{
	return before == XS_UNKNOWN || after == XS_UNKNOWN ? XS_UNKNOWN
							   : after - before;
}

/* Unknown changes sort last. */
static int64_t size_of(int64_t change)
{
	return change == XS_UNKNOWN ? -1 : llabs(change);
}

static int compare_totals(const void *left, const void *right)
{
	const struct xs_diff_total *a = left, *b = right;
	int64_t x = size_of(a->change), y = size_of(b->change);

	if (a->unit != b->unit)
		return a->unit < b->unit ? -1 : 1;
	return x > y ? -1 : x < y;
}

static void build_totals(struct xs_diff *diff)
{
	static const struct {
		const char *name;
		enum xs_diff_unit unit;
		size_t offset;
	} rows[] = {
#define ROW(name, unit, member)                                                \
	{name, unit, offsetof(struct xs_result_totals, member)}
	    ROW("copies in", XS_DIFF_NS, h2d_ns),
	    ROW("copies out", XS_DIFF_NS, d2h_ns),
	    ROW("kernels", XS_DIFF_NS, kernel_ns),
	    ROW("overlap", XS_DIFF_NS, overlap_ns),
	    ROW("GPU busy", XS_DIFF_NS, gpu_busy_ns),
	    ROW("host blocked", XS_DIFF_NS, host_blocked_ns),
	    ROW("pinning", XS_DIFF_NS, pinned_alloc_ns),
	    ROW("bytes in", XS_DIFF_BYTES, h2d_bytes),
	    ROW("bytes out", XS_DIFF_BYTES, d2h_bytes),
	    ROW("copies in", XS_DIFF_COUNT, h2d_ops),
	    ROW("copies out", XS_DIFF_COUNT, d2h_ops),
	    ROW("kernels", XS_DIFF_COUNT, kernels),
#undef ROW
	};
	const size_t count = sizeof(rows) / sizeof(rows[0]);
	const char *before = (const char *)&diff->before->totals;
	const char *after = (const char *)&diff->after->totals;

	diff->totals =
	    xs_arena_alloc(&diff->arena, count, sizeof(*diff->totals));
	for (size_t i = 0; diff->totals && i < count; i++) {
		struct xs_diff_total *out = &diff->totals[diff->total_count++];

		out->name = rows[i].name;
		out->unit = rows[i].unit;
		out->before = *(const int64_t *)(before + rows[i].offset);
		out->after = *(const int64_t *)(after + rows[i].offset);
		out->change = difference(out->before, out->after);
	}
	if (diff->totals)
		qsort(diff->totals, diff->total_count, sizeof(*diff->totals),
		      compare_totals);
}

static bool is(const char *text, const char *value)
{
	return text && strcmp(text, value) == 0;
}

static bool close_to(int64_t before, int64_t after)
{
	return fabs((double)after - (double)before) <=
	       SAME_BYTES * (double)before;
}

static bool uses(const struct xs_result_phase *phase, const char *memory)
{
	return is(phase->src_memory, memory) || is(phase->dst_memory, memory);
}

/* Streams of prefetch: of copies in, kernels, copies out. */
#define PREFETCH_STREAMS 3

/* Whether only the streams differ, and stages follow each other in a round. */
static bool is_prefetched(const struct xs_result_phase *before,
			  const struct xs_result_phase *after)
{
	return after->streams <= PREFETCH_STREAMS && before->kernels > 1 &&
	       after->kernels == before->kernels && before->h2d_ops > 1 &&
	       after->h2d_ops == before->h2d_ops;
}

/*
 * Returns the strategy that turns before into after, or NULL if there is none
 * or the work differs. The number of streams is that of after.
 */
static const char *strategy_of(const struct xs_result_phase *before,
			       const struct xs_result_phase *after)
{
	bool same_in = close_to(before->h2d_bytes, after->h2d_bytes);
	bool same_out = close_to(before->d2h_bytes, after->d2h_bytes);

	if (uses(after, "pageable"))
		return NULL;
	if (before->h2d_bytes + before->d2h_bytes > 0 &&
	    after->h2d_bytes + after->d2h_bytes == 0 && after->kernels)
		return "mapped";
	if (same_in && before->d2h_bytes > 0 && after->d2h_bytes == 0)
		return "hybrid";
	if (!same_in || !same_out)
		return NULL;
	if (after->streams > 1 && before->streams <= 1)
		return is_prefetched(before, after) ? "prefetch" : "streams";
	if (uses(before, "pageable") && uses(after, "pinned"))
		return "pinned";
	return NULL;
}

static void check_prediction(struct xs_diff *diff, struct xs_diff_phase *out)
{
	const char *strategy = strategy_of(out->before, out->after);
	bool streams =
	    strategy && (is(strategy, "streams") || is(strategy, "hybrid"));
	const char *why = NULL;

	for (size_t i = 0; strategy && i < out->before->estimate_count; i++) {
		const struct xs_result_estimate *row =
		    &out->before->estimates[i];

		if (!is(row->model, "replay") || !is(row->strategy, strategy))
			continue;
		if (!row->applies) {
			why = row->why;
			continue;
		}
		if (streams && row->n_streams != out->after->streams)
			continue;
		if (row->order && out->after->order &&
		    !is(row->order, out->after->order))
			continue;
		out->predicted = row;
		break;
	}
	if (!out->predicted && why)
		out->unpredicted = xs_arena_print(
		    &diff->arena, "no prediction for %s: %s", strategy, why);
	if (!out->predicted || !out->after->round_ns)
		return;
	out->error_percent = 100.0 * ((double)out->predicted->round_ns /
					  (double)out->after->round_ns -
				      1);
	out->within = out->predicted->low_ns <= out->after->round_ns &&
		      out->after->round_ns <= out->predicted->high_ns;
}

static void add_change(struct xs_diff *diff, struct xs_diff_phase *out,
		       const char *name, const char *before, const char *after)
{
	if (!before)
		before = "unknown";
	if (!after)
		after = "unknown";
	if (strcmp(before, after) != 0 && out->changed)
		out->changed[out->changed_count++] = xs_arena_print(
		    &diff->arena, "%s %s -> %s", name, before, after);
}

static void describe(struct xs_diff *diff, struct xs_diff_phase *out)
{
	const struct xs_result_phase *a = out->before, *b = out->after;

	out->changed = xs_arena_alloc(&diff->arena, 10, sizeof(*out->changed));
	add_change(diff, out, "source memory", a->src_memory, b->src_memory);
	add_change(diff, out, "destination memory", a->dst_memory,
		   b->dst_memory);
	add_change(diff, out, "streams", xs_units_count(a->streams).s,
		   xs_units_count(b->streams).s);
	add_change(diff, out, "bytes in", xs_units_bytes(a->h2d_bytes).s,
		   xs_units_bytes(b->h2d_bytes).s);
	add_change(diff, out, "bytes out", xs_units_bytes(a->d2h_bytes).s,
		   xs_units_bytes(b->d2h_bytes).s);
	add_change(diff, out, "copies in", xs_units_count(a->h2d_ops).s,
		   xs_units_count(b->h2d_ops).s);
	add_change(diff, out, "copies out", xs_units_count(a->d2h_ops).s,
		   xs_units_count(b->d2h_ops).s);
	add_change(diff, out, "kernels", xs_units_count(a->kernels).s,
		   xs_units_count(b->kernels).s);
	add_change(diff, out, "rounds", xs_units_count(a->rounds).s,
		   xs_units_count(b->rounds).s);
}

static int compare_phases(const void *left, const void *right)
{
	const struct xs_diff_phase *a = left, *b = right;
	int64_t x = llabs(a->change_ns), y = llabs(b->change_ns);

	return x > y ? -1 : x < y;
}

static int build_phases(struct xs_diff *diff)
{
	int err = xs_diff_match(diff);

	if (err < 0)
		return err;
	for (size_t i = 0; i < diff->phase_count; i++) {
		struct xs_diff_phase *out = &diff->phases[i];

		out->change_ns = (out->after ? out->after->total_ns : 0) -
				 (out->before ? out->before->total_ns : 0);
		out->error_percent = NAN;
		if (!out->before || !out->after)
			continue;
		describe(diff, out);
		check_prediction(diff, out);
	}
	qsort(diff->phases, diff->phase_count, sizeof(*diff->phases),
	      compare_phases);
	return 0;
}

int xs_diff_build(struct xs_result *before, struct xs_result *after,
		  struct xs_diff *diff)
{
	int err;

	*diff = (struct xs_diff){
	    .before = before,
	    .after = after,
	    .change_ns = difference(before->run.wall_ns, after->run.wall_ns),
	    .change_percent = NAN,
	};
	if (diff->change_ns != XS_UNKNOWN && before->run.wall_ns > 0)
		diff->change_percent = 100.0 * (double)diff->change_ns /
				       (double)before->run.wall_ns;
	xs_diff_check(diff);
	build_totals(diff);
	err = build_phases(diff);
	return !err && diff->arena.failed ? -ENOMEM : err;
}

void xs_diff_free(struct xs_diff *diff)
{
	xs_arena_free(&diff->arena);
}
