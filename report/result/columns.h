/* SPDX-License-Identifier: MIT */
/*
 * The columns of the table of estimates, once: text, JSON and CSV are all
 * written from this table.
 */
#ifndef XS_REPORT_RESULT_COLUMNS_H
#define XS_REPORT_RESULT_COLUMNS_H

#include "report/result/result.h"

enum xs_column_kind {
	XS_COLUMN_TEXT,	 /* const char *, NULL: not known */
	XS_COLUMN_COUNT, /* int64_t, XS_UNKNOWN: not known */
	XS_COLUMN_NS,	 /* the same, a time */
	XS_COLUMN_LOW,	 /* a time; the next column is the high end of the
			  * interval, which text shows as one */
	XS_COLUMN_RATIO, /* double, NAN: not known */
	XS_COLUMN_BOOL,
};

struct xs_column {
	const char *key;   /* JSON key and CSV heading */
	const char *title; /* heading in text; NULL: not shown there */
	enum xs_column_kind kind;
	size_t offset; /* into struct xs_result_estimate */
};

extern const struct xs_column xs_estimate_columns[];
extern const size_t xs_estimate_column_count;

/* Readers for each kind. */
const char *xs_column_text(const struct xs_column *column,
			   const struct xs_result_estimate *estimate);
int64_t xs_column_number(const struct xs_column *column,
			 const struct xs_result_estimate *estimate);
double xs_column_ratio(const struct xs_column *column,
		       const struct xs_result_estimate *estimate);
bool xs_column_bool(const struct xs_column *column,
		    const struct xs_result_estimate *estimate);

#endif
