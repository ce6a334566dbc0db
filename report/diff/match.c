/* SPDX-License-Identifier: MIT */
#include "report/diff/match.h"

#include "report/result/site.h"

#include <stdlib.h>
#include <string.h>

/* One side of the match: its phases, and which are already matched. */
struct side {
	const struct xs_result_phase *phases;
	size_t count;
	bool taken[XS_DIFF_PHASES_MAX];
};

static struct side side_of(const struct xs_result *result)
{
	return (struct side){
	    .phases = result->phases,
	    .count = result->phase_count < XS_DIFF_PHASES_MAX
			 ? result->phase_count
			 : XS_DIFF_PHASES_MAX,
	};
}

static bool same_signature(const struct xs_result_phase *a,
			   const struct xs_result_phase *b)
{
	return a->signature_hash == b->signature_hash;
}

static bool same_memory(const struct xs_result_phase *a,
			const struct xs_result_phase *b)
{
	return same_signature(a, b) && a->device == b->device &&
	       xs_result_same_text(a->src_memory, b->src_memory) &&
	       xs_result_same_text(a->dst_memory, b->dst_memory);
}

/* Same kernels; without kernels, copies in the same directions. Sizes, memory
 * kinds and chunks may differ. */
static bool same_kernels(const struct xs_result_phase *a,
			 const struct xs_result_phase *b)
{
	if (a->kernel_name_count != b->kernel_name_count)
		return false;
	if (!a->kernel_name_count)
		return !a->h2d_bytes == !b->h2d_bytes &&
		       !a->d2h_bytes == !b->d2h_bytes;
	for (size_t i = 0; i < a->kernel_name_count; i++)
		if (strcmp(a->kernel_names[i], b->kernel_names[i]) != 0)
			return false;
	return true;
}

static int64_t size_apart(const struct xs_result_phase *a,
			  const struct xs_result_phase *b)
{
	return llabs(a->h2d_bytes + a->d2h_bytes - b->h2d_bytes - b->d2h_bytes);
}

static void add(struct xs_diff *diff, const struct xs_result_phase *before,
		const struct xs_result_phase *after, const char *match)
{
	struct xs_diff_phase *out = &diff->phases[diff->phase_count++];

	out->before = before;
	out->after = after;
	out->match = match;
}

/* Matches each free phase with the similar free phase that is nearest in size.
 */
static void match_alike(struct xs_diff *diff, struct side *before,
			struct side *after, const char *match,
			bool (*alike)(const struct xs_result_phase *,
				      const struct xs_result_phase *))
{
	for (size_t i = 0; i < before->count; i++) {
		const struct xs_result_phase *phase = &before->phases[i];
		size_t best = after->count;

		for (size_t k = 0; k < after->count && !before->taken[i]; k++)
			if (!after->taken[k] &&
			    alike(phase, &after->phases[k]) &&
			    (best == after->count ||
			     size_apart(phase, &after->phases[k]) <
				 size_apart(phase, &after->phases[best])))
				best = k;
		if (best == after->count)
			continue;
		before->taken[i] = after->taken[best] = true;
		add(diff, phase, &after->phases[best], match);
	}
}

/* Returns the free phase that started first, or count. */
static size_t first_free(const struct side *side)
{
	size_t first = side->count;

	for (size_t i = 0; i < side->count; i++)
		if (!side->taken[i] && (first == side->count ||
					side->phases[i].first_start_ns <
					    side->phases[first].first_start_ns))
			first = i;
	return first;
}

/* Matches the rest by order in the run; what is left has no match. */
static void match_order(struct xs_diff *diff, struct side *before,
			struct side *after)
{
	for (;;) {
		size_t i = first_free(before), k = first_free(after);
		bool left = i < before->count, right = k < after->count;

		if (!left && !right)
			return;
		if (left)
			before->taken[i] = true;
		if (right)
			after->taken[k] = true;
		add(diff, left ? &before->phases[i] : NULL,
		    right ? &after->phases[k] : NULL,
		    left && right ? "order" : NULL);
	}
}

void xs_diff_match(struct xs_diff *diff)
{
	struct side before = side_of(diff->before);
	struct side after = side_of(diff->after);

	XS_ARENA_NEW(&diff->arena, diff->phases, before.count + after.count);
	match_alike(diff, &before, &after, "signature", same_memory);
	match_alike(diff, &before, &after, "signature", same_signature);
	match_alike(diff, &before, &after, "kernels", same_kernels);
	match_order(diff, &before, &after);
}

const struct xs_result_phase *xs_match_of(const struct xs_diff *diff,
					  const struct xs_result_phase *phase)
{
	for (size_t i = 0; i < diff->phase_count; i++)
		if (diff->phases[i].before == phase && diff->phases[i].match &&
		    strcmp(diff->phases[i].match, "order") != 0)
			return diff->phases[i].after;
	return NULL;
}

/* Returns whether two phases have a kernel in common. */
static bool share_kernel(const struct xs_result_phase *a,
			 const struct xs_result_phase *b)
{
	for (size_t i = 0; i < a->kernel_name_count; i++)
		for (size_t k = 0; k < b->kernel_name_count; k++)
			if (strcmp(a->kernel_names[i], b->kernel_names[k]) == 0)
				return true;
	return false;
}

bool xs_match_any(const struct xs_result *one, const struct xs_result *other)
{
	const bool kernels =
	    one->totals.kernels > 0 || other->totals.kernels > 0;

	for (size_t i = 0; i < one->phase_count; i++)
		for (size_t k = 0; k < other->phase_count; k++)
			if ((kernels ? share_kernel : same_kernels)(
				&one->phases[i], &other->phases[k]))
				return true;
	return !one->phase_count && !other->phase_count;
}
