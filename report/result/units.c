/* SPDX-License-Identifier: MIT */
#include "report/result/units.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct unit_step {
	const char *name;
	double size;
};

static const struct unit_step time_units[] = {{"ns", 1},     {"us", 1e3},
					      {"ms", 1e6},   {"s", 1e9},
					      {"h", 3.6e12}, {"d", 8.64e13}};
static const struct unit_step byte_units[] = {{"B", 1},
					      {"KiB", 1024},
					      {"MiB", 1048576},
					      {"GiB", 1073741824},
					      {"TiB", 1099511627776}};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Returns the largest unit in which value is at least 1 when rounded to three
 * digits. */
static const struct unit_step *unit_for(const struct unit_step *units,
					size_t count, double value)
{
	size_t i = count - 1;

	while (i > 0 && fabs(value) < units[i].size * 0.9995)
		i--;
	return &units[i];
}

/* Digits after the point, so that three digits are printed in all. */
static int decimals(double value)
{
	value = fabs(value);
	return value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
}

static struct xs_units_text unknown(void)
{
	return (struct xs_units_text){"-"};
}

struct xs_units_text xs_units_ns(int64_t ns)
{
	const struct unit_step *unit;
	struct xs_units_text out;
	double value;

	if (ns == XS_UNKNOWN)
		return unknown();
	unit = unit_for(time_units, COUNT(time_units), (double)ns);
	value = (double)ns / unit->size;
	snprintf(out.s, sizeof(out.s), "%.*f %s",
		 unit->size == 1 ? 0 : decimals(value), value, unit->name);
	return out;
}

struct xs_units_text xs_units_ns_bare(int64_t ns, int64_t like_ns,
				      const char **unit)
{
	const struct unit_step *in =
	    unit_for(time_units, COUNT(time_units), (double)like_ns);
	struct xs_units_text out;
	double value = (double)ns / in->size;

	*unit = in->name;
	if (ns == XS_UNKNOWN)
		return unknown();
	snprintf(out.s, sizeof(out.s), "%.*f",
		 in->size == 1 ? 0 : decimals(value), value);
	return out;
}

/* A time in the unit and with the digits of another one, without the unit. */
static struct xs_units_text as_in(int64_t ns, int64_t like_ns,
				  const char **name)
{
	const struct unit_step *unit =
	    unit_for(time_units, COUNT(time_units), (double)like_ns);
	struct xs_units_text out;

	snprintf(out.s, sizeof(out.s), "%.*f",
		 unit->size == 1 ? 0 : decimals((double)like_ns / unit->size),
		 (double)ns / unit->size);
	*name = unit->name;
	return out;
}

struct xs_units_text xs_units_range_ns(int64_t low_ns, int64_t high_ns)
{
	const char *unit;
	const struct xs_units_text low = as_in(low_ns, high_ns, &unit);
	const struct xs_units_text high = as_in(high_ns, high_ns, &unit);
	struct xs_units_text out;

	if (low_ns == XS_UNKNOWN || high_ns == XS_UNKNOWN)
		return unknown();
	if (strcmp(low.s, high.s) == 0)
		return xs_units_ns(high_ns);
	snprintf(out.s, sizeof(out.s), "%.10s-%.10s %s", low.s, high.s, unit);
	return out;
}

struct xs_units_text xs_units_in_range_ns(int64_t ns, int64_t low_ns,
					  int64_t high_ns)
{
	const struct xs_units_text range = xs_units_range_ns(low_ns, high_ns);
	struct xs_units_text out = xs_units_ns(ns);

	if (ns != XS_UNKNOWN && strcmp(range.s, "-") != 0 &&
	    strcmp(range.s, out.s) != 0)
		snprintf(out.s + strlen(out.s), sizeof(out.s) - strlen(out.s),
			 " (%.18s)", range.s);
	return out;
}

struct xs_units_text xs_units_bytes(int64_t bytes)
{
	const struct unit_step *unit;
	struct xs_units_text out;
	double value;
	bool whole;

	if (bytes == XS_UNKNOWN)
		return unknown();
	unit = unit_for(byte_units, COUNT(byte_units), (double)bytes);
	value = (double)bytes / unit->size;
	whole = value == floor(value) || unit->size == 1;
	snprintf(out.s, sizeof(out.s), "%.*f %s", whole ? 0 : decimals(value),
		 value, unit->name);
	return out;
}

/* Slower rates than that many GB/s are in MB/s. */
#define LEAST_GB_RATE 0.0995

struct xs_units_text xs_units_rate(int64_t bytes, int64_t ns)
{
	struct xs_units_text out;
	double rate;

	if (bytes == XS_UNKNOWN || ns == XS_UNKNOWN || ns <= 0)
		return unknown();
	rate = (double)bytes / (double)ns; /* bytes per ns are GB per second */
	if (rate < LEAST_GB_RATE)
		snprintf(out.s, sizeof(out.s), "%.*f MB/s",
			 decimals(rate * 1000), rate * 1000);
	else
		snprintf(out.s, sizeof(out.s), "%.*f GB/s", decimals(rate),
			 rate);
	return out;
}

struct xs_units_text xs_units_percent(int64_t part, int64_t whole)
{
	struct xs_units_text out;
	double share;

	if (part == XS_UNKNOWN || whole == XS_UNKNOWN || whole == 0)
		return unknown();
	share = 100.0 * (double)part / (double)whole;
	snprintf(out.s, sizeof(out.s),
		 fabs(share) < 1e5 ? "%.1f %%" : "%.0e %%", share);
	return out;
}

struct xs_units_text xs_units_share(int64_t part, int64_t whole)
{
	return part > whole ? unknown() : xs_units_percent(part, whole);
}

struct xs_units_text xs_units_per_s(double rate)
{
	static const char *const prefixes[] = {" ", " k", " M", " G", " T"};
	struct xs_units_text out;
	size_t prefix = 0;

	if (!isfinite(rate))
		return unknown();
	for (; rate >= 999.5 && prefix < 4; prefix++)
		rate /= 1000;
	snprintf(out.s, sizeof(out.s), "%.3g%s/s", rate, prefixes[prefix]);
	return out;
}

struct xs_units_text xs_units_ratio(double ratio)
{
	struct xs_units_text out;

	if (!isfinite(ratio))
		return unknown();
	snprintf(out.s, sizeof(out.s),
		 fabs(ratio) < 9.995   ? "%.2fx"
		 : fabs(ratio) < 99.95 ? "%.1fx"
		 : fabs(ratio) < 1000  ? "%.0fx"
				       : "%.0ex",
		 ratio);
	return out;
}

struct xs_units_text xs_units_count(int64_t count)
{
	struct xs_units_text out;

	if (count == XS_UNKNOWN)
		return unknown();
	snprintf(out.s, sizeof(out.s), "%" PRId64, count);
	return out;
}

/* Returns the factor of a suffix, 0 if unknown. */
static double suffix_factor(const char *suffix)
{
	static const char letters[] = "KMGT";
	const char *letter;
	double base = 1024;

	if (!*suffix || strcmp(suffix, "B") == 0)
		return 1;
	letter = strchr(letters, toupper((unsigned char)*suffix));
	if (!letter)
		return 0;
	if (strcmp(suffix + 1, "B") == 0)
		base = 1000;
	else if (suffix[1] && strcmp(suffix + 1, "iB") != 0)
		return 0;
	return pow(base, (double)(letter - letters) + 1);
}

/* strtod without sign, nan, inf and hexadecimal. */
static int parse_decimal(const char *text, double *number, char **end)
{
	if (!isdigit((unsigned char)*text) && *text != '.')
		return -EINVAL;
	if (text[0] == '0' && tolower((unsigned char)text[1]) == 'x')
		return -EINVAL;
	*number = strtod(text, end);
	return *end == text || !isfinite(*number) ? -EINVAL : 0;
}

int xs_units_parse_bytes(const char *text, int64_t *bytes)
{
	double number, factor;
	char *end;

	if (parse_decimal(text, &number, &end) < 0)
		return -EINVAL;
	if (*end == ' ')
		end++;
	factor = suffix_factor(end);
	/* 2^63 does not fit */
	if (factor == 0 || number * factor >= 0x1p63)
		return -EINVAL;
	*bytes = (int64_t)(number * factor + 0.5);
	return number > 0 && *bytes == 0 ? -EINVAL : 0;
}

int xs_units_parse_number(const char *text, double *number)
{
	char *end;

	if (parse_decimal(text, number, &end) < 0 || *end)
		return -EINVAL;
	return 0;
}

int xs_units_parse_count(const char *text, unsigned max, unsigned *count)
{
	unsigned long value;
	char *end;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || *end || value < 1 || value > max)
		return -EINVAL;
	*count = (unsigned)value;
	return 0;
}
