/* SPDX-License-Identifier: MIT */
/*
 * The columns of the table of estimates, for text, JSON and CSV.
 */
#pragma once

#include "report/result/result.h"

enum xs_column_kind {
	XS_COLUMN_TEXT,	 /* const char *, NULL: unknown */
	XS_COLUMN_COUNT, /* int64_t, XS_UNKNOWN: unknown */
	XS_COLUMN_NS,	 /* int64_t ns, XS_UNKNOWN: unknown */
	XS_COLUMN_LOW,	 /* ns; text prints it with the next column */
	XS_COLUMN_RATIO, /* double, NAN: unknown */
	XS_COLUMN_BOOL,
};

struct xs_column {
	const char *key;   /* JSON key and CSV heading */
	const char *title; /* heading in text; NULL: not printed there */
	enum xs_column_kind kind;
	size_t offset; /* in struct xs_result_estimate */
};

extern const struct xs_column xs_estimate_columns[];
extern const size_t xs_estimate_column_count;

/* Read a column of that kind. */
const char *xs_column_text(const struct xs_column *column,
			   const struct xs_result_estimate *estimate);
int64_t xs_column_number(const struct xs_column *column,
			 const struct xs_result_estimate *estimate);
double xs_column_ratio(const struct xs_column *column,
		       const struct xs_result_estimate *estimate);
bool xs_column_bool(const struct xs_column *column,
		    const struct xs_result_estimate *estimate);
