/* SPDX-License-Identifier: MIT */
/* The ranks of a job: which have no figures, and traces that do not fit. */
#include "analyzer/util/sort.h"
#include "report/job/digest.h"
#include "report/job/job_parts.h"
#include "report/result/number.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Ranges of missing ranks that are told. */
#define RANGES_MAX 8

/* "3, 64-71": the numbers below `most` that are not among these, in order */
static const char *list_missing(struct xs_arena *arena, const int64_t *ranks,
				size_t count, int64_t most)
{
	const char *list = NULL;
	int64_t next = 0;
	int ranges = 0;

	for (size_t i = 0; i <= count; i++) {
		const int64_t rank = i < count ? ranks[i] : most;

		if (rank > next && ++ranges > RANGES_MAX)
			return xs_arena_join(arena, list, "...");
		if (rank > next)
			list = xs_arena_join(
			    arena, list,
			    rank - 1 > next
				? xs_print(arena, "%" PRId64 "-%" PRId64, next,
					   rank - 1)
				: xs_print(arena, "%" PRId64, next));
		next = rank + 1;
	}
	return list;
}

/* The ranks of the traces, each once, in order. Adds a problem if several
 * traces have one rank. */
static int64_t *list_ranks(struct xs_job *job, const json_t *program,
			   size_t *count)
{
	const json_t *ids = xs_digest_get(program, "count", "traces");
	const size_t room = json_object_size(ids) + 1;
	int64_t *ranks = xs_arena_alloc(&job->arena, 2 * room, sizeof(*ranks));
	const char *id, *again = NULL;
	json_t *traces;
	size_t all = 0;

	json_object_foreach((json_t *)ids, id, traces) {
		if (*id >= '0' && *id <= '9')
			ranks[all++] =
			    xs_number_bounded(strtoull(id, NULL, 10));
	}
	if (all)
		xs_values_sort((uint64_t *)ranks, all);
	*count = 0;
	for (size_t i = 0; i < all; i++)
		if (!*count || ranks[i] != ranks[*count - 1])
			ranks[(*count)++] = ranks[i];
		else if (i - *count < RANGES_MAX)
			again = xs_arena_join(
			    &job->arena, again,
			    xs_print(&job->arena, "%" PRId64, ranks[i]));
		else if (i - *count == RANGES_MAX)
			again = xs_arena_join(&job->arena, again, "...");
	if (again)
		xs_job_add(job, "same rank", true, (int64_t)(all - *count),
			   again,
			   "of a rank that has another trace (several runs?)");
	return ranks;
}

bool xs_job_fill_ranks(struct xs_job *job, const json_t *program)
{
	size_t count = 0;
	const int64_t ranks = xs_digest_get_number(program, "most", "ranks");
	const int64_t *seen = list_ranks(job, program, &count);

	if (ranks == XS_UNKNOWN)
		return false;
	if (xs_digest_get(program, "beyond", "traces")) {
		if (job->traces < ranks)
			xs_job_add(job, "too few", true, ranks - job->traces,
				   "", "fewer than the job has ranks");
		return false;
	}
	while (count && seen[count - 1] >= ranks)
		count--;
	job->ranks = ranks;
	job->seen = (int64_t)count;
	job->missing = list_missing(&job->arena, seen, count, ranks);
	if (job->missing)
		job->missing_text = xs_print(
		    &job->arena, "no figures of rank%s %s",
		    strpbrk(job->missing, ",-") ? "s" : "", job->missing);
	return job->seen == ranks && ranks == job->traces;
}
