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
				? xs_arena_print(arena, "%" PRId64 "-%" PRId64,
						 next, rank - 1)
				: xs_arena_print(arena, "%" PRId64, next));
		next = rank + 1;
	}
	return list;
}

/* The ranks of the traces, each once, in order; NULL without memory. Adds the
 * traces of a rank that has another one. */
static int64_t *list_ranks(struct xs_job *job, const json_t *program,
			   size_t *count, int64_t *again)
{
	const json_t *ids = xs_digest_get(program, "count", "traces");
	const size_t room = json_object_size(ids) + 1;
	int64_t *ranks = xs_arena_alloc(&job->arena, 2 * room, sizeof(*ranks));
	const char *id;
	json_t *traces;
	size_t all = 0;

	json_object_foreach((json_t *)ids, id, traces)
	{
		if (ranks && *id >= '0' && *id <= '9')
			ranks[all++] =
			    xs_number_bounded(strtoull(id, NULL, 10));
	}
	if (all)
		xs_values_sort((uint64_t *)ranks, (uint64_t *)ranks + room,
			       all);
	*count = 0;
	for (size_t i = 0; i < all; i++)
		if (!*count || ranks[i] != ranks[*count - 1])
			ranks[(*count)++] = ranks[i];
	*again = (int64_t)(all - *count);
	return ranks;
}

/* Fills how many ranks most traces say that the job has; of equally many
 * traces, the larger number. Adds the traces that say something else. */
static void fill_size(struct xs_job *job, const json_t *program)
{
	const json_t *counts = xs_digest_get(program, "count", "ranks");
	int64_t ranks = XS_UNKNOWN, most = 0;
	const char *key;
	json_t *count;

	json_object_foreach((json_t *)counts, key, count)
	{
		const int64_t number =
		    xs_number_bounded(strtoull(key, NULL, 10));
		const int64_t traces =
		    xs_number_bounded((uint64_t)json_integer_value(count));

		if (number < 1 || traces < most ||
		    (traces == most && number < ranks))
			continue;
		ranks = number;
		most = traces;
	}
	job->ranks = ranks;
	if (xs_job_sum(program, "ranks") > most)
		xs_job_add(
		    job, "other ranks", true,
		    xs_job_sum(program, "ranks") - most, "",
		    xs_arena_print(&job->arena,
				   "of a job of another size than %" PRId64
				   " ranks",
				   ranks));
	if (xs_digest_get(program, "beyond", "traces") && job->traces < ranks)
		xs_job_add(job, "too few", true, ranks - job->traces, "",
			   "fewer than the job has ranks");
}

/* Finds the ranks of the launcher that have no trace, and traces that do not
 * fit. */
static void fill_ranks(struct xs_job *job, const json_t *program)
{
	struct xs_arena *arena = &job->arena;
	size_t count, kept;
	int64_t again, *ranks;

	fill_size(job, program);
	ranks = list_ranks(job, program, &count, &again);
	if (!ranks || job->ranks == XS_UNKNOWN ||
	    xs_digest_get(program, "beyond", "traces")) {
		job->ranks = XS_UNKNOWN;
		return;
	}
	for (kept = count; kept && ranks[kept - 1] >= job->ranks;)
		kept--;
	if (kept < count)
		xs_job_add(
		    job, "rank too high", true, (int64_t)(count - kept), "",
		    xs_arena_print(arena,
				   "of rank %" PRId64 "%s, which a job of "
				   "%" PRId64 " ranks does not have",
				   ranks[kept], kept + 1 < count ? ", ..." : "",
				   job->ranks));
	if (again)
		xs_job_add(job, "same rank", true, again, "",
			   "of a rank that has another one: of several runs?");
	job->seen = (int64_t)kept;
	job->missing = list_missing(arena, ranks, kept, job->ranks);
	if (job->missing)
		job->missing_text = xs_arena_print(
		    arena, "no figures of rank%s %s",
		    strpbrk(job->missing, ",-") ? "s" : "", job->missing);
}

static void add_unranked(struct xs_job *job, const json_t *program)
{
	const int64_t traces = xs_job_sum(program, "unranked");

	if (traces && xs_digest_get(program, "count", "ranks"))
		xs_job_add(
		    job, "no rank", true, traces,
		    xs_job_keys(&job->arena,
				xs_digest_get(program, "count", "unranked"),
				xs_digest_get(program, "beyond", "unranked")),
		    "without a rank, in all figures: of another run?");
}

void xs_job_fill_ranks(struct xs_job *job, const json_t *program)
{
	fill_ranks(job, program);
	add_unranked(job, program);
}
