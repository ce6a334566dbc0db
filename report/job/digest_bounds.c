/* SPDX-License-Identifier: MIT */
/* What the figures of a digest are at most. */
#include "report/job/digest.h"
#include "report/result/number.h"

/* Whether a row is of no more traces than the program, and no time of it is
 * more than that of which it is a part. */
static bool is_row_of(const json_t *row, const json_t *program)
{
	static const struct {
		const char *rule, *part, *rule_of_all, *all;
	} bounds[] = {{"add", "traces", "add", "traces"},
		      {"add", "ns", "add", "recorded_ns"},
		      {"most", "saves_ns", "most", "wall_ns"},
		      {"most", "wall_ns", "most", "wall_ns"}};

	for (size_t i = 0; i < sizeof(bounds) / sizeof(*bounds); i++)
		if (xs_digest_get_number(row, bounds[i].rule, bounds[i].part) >
		    xs_digest_get_number(program, bounds[i].rule_of_all,
					 bounds[i].all))
			return false;
	return true;
}

/* Whether a count of a program has no more of a key than traces. */
static bool counts_fit(const json_t *program)
{
	const int64_t traces = xs_digest_get_number(program, "add", "traces");
	const char *name, *key;
	json_t *count, *number;

	json_object_foreach(json_object_get(program, "count"), name, count)
	{
		json_object_foreach(count, key, number)
		{
			if (xs_number_bounded(
				(uint64_t)json_integer_value(number)) > traces)
				return false;
		}
	}
	return true;
}

static bool rows_fit(const json_t *program)
{
	const char *name, *key;
	json_t *table, *row;

	json_object_foreach(json_object_get(program, "table"), name, table)
	{
		json_object_foreach(table, key, row)
		{
			if (!is_row_of(row, program))
				return false;
		}
	}
	return true;
}

bool xs_digest_is_possible(const json_t *group)
{
	const char *key;
	json_t *program;

	json_object_foreach((json_t *)xs_digest_get(group, "table", "programs"),
			    key, program)
	{
		if (xs_digest_get_number(program, "add", "traces") >
			xs_digest_get_number(group, "add", "traces") ||
		    !xs_digest_get(program, "most", "wall_ns") ||
		    !is_row_of(program, program) || !counts_fit(program) ||
		    !rows_fit(program))
			return false;
	}
	return true;
}
