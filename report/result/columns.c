/* SPDX-License-Identifier: MIT */
#include "report/result/columns.h"

#define AT(member) offsetof(struct xs_result_estimate, member)

const struct xs_column xs_estimate_columns[] = {
    {"strategy", "strategy", XS_COLUMN_TEXT, AT(strategy)},
    {"n_streams", NULL, XS_COLUMN_COUNT, AT(n_streams)},
    {"order", NULL, XS_COLUMN_TEXT, AT(order)},
    {"model", NULL, XS_COLUMN_TEXT, AT(model)},
    {"round_ns", "round", XS_COLUMN_NS, AT(round_ns)},
    {"low_ns", "90 % range", XS_COLUMN_LOW, AT(low_ns)},
    {"high_ns", NULL, XS_COLUMN_NS, AT(high_ns)},
    {"speedup", "speedup", XS_COLUMN_RATIO, AT(speedup)},
    {"app_wall_ns", NULL, XS_COLUMN_NS, AT(app_wall_ns)},
    {"saves_ns", "saves", XS_COLUMN_NS, AT(saves_ns)},
    {"setup_ns", "once", XS_COLUMN_NS, AT(setup_ns)},
    {"loop_ns", NULL, XS_COLUMN_NS, AT(loop_ns)},
    {"breakeven_rounds", NULL, XS_COLUMN_COUNT, AT(breakeven_rounds)},
    {"effort", NULL, XS_COLUMN_TEXT, AT(effort)},
    {"applies", NULL, XS_COLUMN_BOOL, AT(applies)},
    {"assumes_once", NULL, XS_COLUMN_BOOL, AT(assumes_once)},
    {"bound", NULL, XS_COLUMN_TEXT, AT(bound)},
    {"otherwise_ns", NULL, XS_COLUMN_NS, AT(otherwise_ns)},
    {"why", NULL, XS_COLUMN_TEXT, AT(why)},
    {"chosen", NULL, XS_COLUMN_BOOL, AT(chosen)},
    {"app_wall_low_ns", NULL, XS_COLUMN_NS, AT(app_wall_low_ns)},
    {"app_wall_high_ns", NULL, XS_COLUMN_NS, AT(app_wall_high_ns)},
    {"known_low_ns", NULL, XS_COLUMN_NS, AT(known_low_ns)},
    {"known_high_ns", NULL, XS_COLUMN_NS, AT(known_high_ns)},
    {"shared_low_ns", NULL, XS_COLUMN_NS, AT(shared_low_ns)},
    {"shared_high_ns", NULL, XS_COLUMN_NS, AT(shared_high_ns)},
    {"more_bytes", NULL, XS_COLUMN_COUNT, AT(more_bytes)},
    {"between_ns", NULL, XS_COLUMN_NS, AT(between_ns)},
    {"new_memory_ns", NULL, XS_COLUMN_NS, AT(new_memory_ns)},
    {"needs", NULL, XS_COLUMN_TEXT, AT(needs)},
    {"setup_less_ns", NULL, XS_COLUMN_NS, AT(setup_less_ns)},
    {"setup_more_ns", NULL, XS_COLUMN_NS, AT(setup_more_ns)},
};
const size_t xs_estimate_column_count =
    sizeof(xs_estimate_columns) / sizeof(xs_estimate_columns[0]);

static const void *field(const struct xs_column *column,
			 const struct xs_result_estimate *estimate)
{
	return (const char *)estimate + column->offset;
}

const char *xs_column_text(const struct xs_column *column,
			   const struct xs_result_estimate *estimate)
{
	return *(const char *const *)field(column, estimate);
}

int64_t xs_column_number(const struct xs_column *column,
			 const struct xs_result_estimate *estimate)
{
	return *(const int64_t *)field(column, estimate);
}

double xs_column_ratio(const struct xs_column *column,
		       const struct xs_result_estimate *estimate)
{
	return *(const double *)field(column, estimate);
}

bool xs_column_bool(const struct xs_column *column,
		    const struct xs_result_estimate *estimate)
{
	return *(const bool *)field(column, estimate);
}
