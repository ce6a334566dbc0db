/* SPDX-License-Identifier: MIT */
/* Formats times and sizes with units, and parses them. */
#pragma once

#include <stdint.h>

/* Unknown number: null in JSON, "-" in text, empty in CSV. */
#define XS_UNKNOWN INT64_MIN

/* Short text returned by value, usable as printf argument. */
struct xs_units_text {
	char s[32];
};

/* 1234567 -> "1.23 ms": ns to days, three significant digits; "-" for
 * XS_UNKNOWN. */
struct xs_units_text xs_units_ns(int64_t ns);

/* The number alone, in the unit that suits like_ns; *unit is static. */
struct xs_units_text xs_units_ns_bare(int64_t ns, int64_t like_ns,
				      const char **unit);

/* Two times in one unit, with three digits: "3.90-3.95 ms"; one time if they
 * print the same. */
struct xs_units_text xs_units_range_ns(int64_t low_ns, int64_t high_ns);

/* A time and its range: "3.92 ms (3.90-3.95 ms)", "106 ms" if the ends of the
 * range print the same or are unknown. */
struct xs_units_text xs_units_in_range_ns(int64_t ns, int64_t low_ns,
					  int64_t high_ns);

/* 67108864 -> "64 MiB", 1500000 -> "1.43 MiB". */
struct xs_units_text xs_units_bytes(int64_t bytes);

/* Bytes over ns as "17.1 GB/s" or "8.00 MB/s" (10^9 and 10^6 bytes); "-" where
 * ns is 0. */
struct xs_units_text xs_units_rate(int64_t bytes, int64_t ns);

/* 38.2 of 100 -> "38.2 %"; "-" if either is unknown or whole is 0. */
struct xs_units_text xs_units_percent(int64_t part, int64_t whole);

/* The same, but "-" if part is more than whole, as a sum over threads may be:
 * it is then no share. */
struct xs_units_text xs_units_share(int64_t part, int64_t whole);

/* "1.33x"; "-" for NAN. */
struct xs_units_text xs_units_ratio(double ratio);

/* A rate of events: 251493 -> "251 k/s"; "-" for NAN and INFINITY. */
struct xs_units_text xs_units_per_s(double rate);

/* A count, "-" for XS_UNKNOWN. */
struct xs_units_text xs_units_count(int64_t count);

/*
 * Parses "4096", "64MiB", "1.5 GB", "2G". KiB, MiB, GiB, TiB, K, M, G and T
 * are powers of 1024; KB, MB, GB and TB are powers of 1000. Returns 0, or
 * -EINVAL if text is malformed, negative, or above INT64_MAX.
 */
int xs_units_parse_bytes(const char *text, int64_t *bytes);

/* Parses a finite number that is not negative. Returns 0 or -EINVAL. */
int xs_units_parse_number(const char *text, double *number);

/* Parses a whole number from 1 to max. Returns 0 or -EINVAL. */
int xs_units_parse_count(const char *text, unsigned max, unsigned *count);
