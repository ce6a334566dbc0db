/* SPDX-License-Identifier: MIT */
/* What the figures of a digest are at most. */
#include "report/job/digest.h"
#include "report/result/number.h"

#include <stdlib.h>
#include <string.h>

/* Whether the values that a histogram keeps are from its least to its most, and
 * among them, if all had room. */
static bool values_fit(const json_t *group, const char *name,
		       const json_t *values)
{
	const bool all = !xs_digest_get(group, "beyond", name);
	const char *figure = name + strlen("exact_"), *key;
	const int64_t least = xs_digest_get_number(group, "least", figure);
	const int64_t most = xs_digest_get_number(group, "most", figure);
	int64_t low = INT64_MAX, high = -1;
	json_t *count;

	json_object_foreach((json_t *)values, key, count)
	{
		const int64_t value = strtoll(key, NULL, 10);

		low = value < low ? value : low;
		high = value > high ? value : high;
	}
	return all ? low == least && high == most
		   : low >= least && high <= most;
}

bool xs_digest_is_ordered(const json_t *group)
{
	const char *name;
	json_t *least, *count;

	json_object_foreach(json_object_get(group, "least"), name, least)
	{
		const json_t *most = xs_digest_get(group, "most", name);

		if (most &&
		    json_integer_value(most) < json_integer_value(least))
			return false;
	}
	json_object_foreach(json_object_get(group, "count"), name, count)
	{
		if (strncmp(name, "exact_", 6) == 0 &&
		    !values_fit(group, name, count))
			return false;
	}
	return true;
}

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

/* Whether no count has more than one for each trace; "traces" and "wall_ns"
 * must have just one. */
static bool counts_fit(const json_t *program)
{
	const int64_t traces = xs_digest_get_number(program, "add", "traces");
	const json_t *counts = json_object_get(program, "count");
	const char *name, *key;
	json_t *count, *number;

	json_object_foreach((json_t *)counts, name, count)
	{
		const bool all =
		    strcmp(name, "traces") == 0 || strcmp(name, "wall_ns") == 0;
		const int64_t beyond =
		    xs_digest_get_number(program, "beyond", name);
		int64_t sum = beyond > 0 ? beyond : 0;

		json_object_foreach(count, key, number)
		{
			xs_number_add(&sum, json_integer_value(number));
		}
		if (sum > traces || (all && sum < traces))
			return false;
	}
	return json_object_get(counts, "traces") &&
	       json_object_get(counts, "wall_ns");
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

/* Whether there are no more rows than traces, none below 0, and the largest is
 * from least to most. */
static bool largest_fits(const json_t *program, const char *name, int64_t least,
			 int64_t most)
{
	const json_t *rows = xs_digest_get(program, "rows", name), *row;
	int64_t largest = -1;
	size_t i;

	json_array_foreach((json_t *)rows, i, row)
	{
		const int64_t by =
		    json_integer_value(json_object_get(row, "by"));

		if (by < 0)
			return false;
		largest = by > largest ? by : largest;
	}
	return !i ||
	       ((int64_t)i <= xs_digest_get_number(program, "add", "traces") &&
		largest >= least && largest <= most);
}

/* Whether so many traces of all can have these ranks, times and rows. */
static bool times_fit(const json_t *program, int64_t all_traces)
{
	const int64_t traces = xs_digest_get_number(program, "add", "traces");
	const int64_t most_ns =
	    xs_digest_get_number(program, "most", "wall_ns");
	int64_t most_sum_ns;

	if (traces > all_traces || most_ns == XS_UNKNOWN ||
	    xs_digest_get_number(program, "most", "ranks") > INT32_MAX)
		return false;
	if (__builtin_mul_overflow(traces, most_ns, &most_sum_ns))
		most_sum_ns = INT64_MAX;
	return xs_digest_get_number(program, "add", "wall_ns") <= most_sum_ns &&
	       largest_fits(program, "slowest", most_ns, most_ns) &&
	       largest_fits(program, "busiest", 0,
			    xs_digest_get_number(program, "add", "busy_ns"));
}

bool xs_digest_is_possible(const json_t *group)
{
	const char *key;
	json_t *program;

	json_object_foreach((json_t *)xs_digest_get(group, "table", "programs"),
			    key, program)
	{
		if (!times_fit(program,
			       xs_digest_get_number(group, "add", "traces")) ||
		    !is_row_of(program, program) || !counts_fit(program) ||
		    !rows_fit(program))
			return false;
	}
	return true;
}
