/* SPDX-License-Identifier: MIT */
#include "report/job/sketch.h"

#include "report/job/digest.h"
#include "report/result/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OCTAVE	32u
#define BUCKETS (59u * OCTAVE) /* up to INT64_MAX */

static unsigned bucket_of(uint64_t value)
{
	unsigned shift = 0;

	while (value >> shift >= 2 * OCTAVE)
		shift++;
	return shift * OCTAVE + (unsigned)(value >> shift);
}

/* The first value of a bucket. */
static int64_t first_of(unsigned bucket)
{
	const unsigned shift = bucket < 2 * OCTAVE ? 0 : bucket / OCTAVE - 1;

	if (bucket >= BUCKETS)
		return INT64_MAX;
	return (int64_t)((uint64_t)(bucket - shift * OCTAVE) << shift);
}

/* The middle of a bucket. */
static int64_t value_of(unsigned bucket)
{
	return first_of(bucket) + (first_of(bucket + 1) - first_of(bucket)) / 2;
}

/* The name of the values of a histogram. */
struct exact_name {
	char s[24];
};

static struct exact_name exact_name(const char *name)
{
	struct exact_name out;

	snprintf(out.s, sizeof(out.s), "exact_%s", name);
	return out;
}

void xs_sketch_add(json_t *group, const char *name, int64_t value)
{
	char key[24];

	if (value == XS_UNKNOWN)
		return;
	if (value < 0)
		value = 0;
	xs_digest_number(group, "least", name, value);
	xs_digest_number(group, "most", name, value);
	snprintf(key, sizeof(key), "%04u", bucket_of((uint64_t)value));
	xs_digest_count(group, name, key);
	snprintf(key, sizeof(key), "%" PRId64, value);
	xs_digest_count(group, exact_name(name).s, key);
}

/* A value, and how many there are. */
struct exact {
	int64_t value, count;
};

static int by_value(const void *left, const void *right)
{
	const struct exact *a = left, *b = right;

	return a->value < b->value ? -1 : a->value > b->value;
}

/* Returns XS_UNKNOWN if there was no room for all values. */
static int64_t exact_median(const json_t *group, const char *name)
{
	const json_t *counts = xs_digest_get(group, "count", name);
	struct exact *all =
	    xs_calloc(json_object_size(counts) + 1, sizeof(*all));
	int64_t sum = 0, median = XS_UNKNOWN;
	const char *key;
	json_t *count;
	size_t used = 0;

	json_object_foreach((json_t *)counts, key, count) {
		all[used] = (struct exact){strtoll(key, NULL, 10),
					   json_integer_value(count)};
		xs_number_add(&sum,
			      xs_number_bounded((uint64_t)all[used++].count));
	}
	qsort(all, used, sizeof(*all), by_value);
	sum = (sum - 1) / 2;
	for (size_t i = 0; i < used && median == XS_UNKNOWN; i++) {
		if (sum < all[i].count)
			median = all[i].value;
		sum -= all[i].count;
	}
	free(all);
	return xs_digest_get(group, "beyond", name) ? XS_UNKNOWN : median;
}

/* Fills counts by bucket. Returns their sum. */
static uint64_t load(const json_t *sketch, uint64_t *counts)
{
	uint64_t sum = 0;
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)sketch, key, value) {
		const unsigned long bucket = strtoul(key, NULL, 10);
		const json_int_t count = json_integer_value(value);

		if (bucket >= BUCKETS || count <= 0 || count > UINT32_MAX)
			continue;
		counts[bucket] += (uint64_t)count;
		sum += (uint64_t)count;
	}
	return sum;
}

int64_t xs_sketch_median(const json_t *group, const char *name)
{
	uint64_t counts[BUCKETS] = {0};
	const uint64_t sum = load(xs_digest_get(group, "count", name), counts);
	const int64_t median = exact_median(group, exact_name(name).s);
	uint64_t left = sum ? (sum - 1) / 2 : 0;

	for (unsigned i = 0; sum && median == XS_UNKNOWN && i < BUCKETS; i++) {
		if (left < counts[i])
			return value_of(i);
		left -= counts[i];
	}
	return median;
}

size_t xs_sketch_bars(const json_t *group, const char *name,
		      struct xs_job_bar *bars, size_t room)
{
	uint64_t counts[BUCKETS] = {0};
	unsigned first = 0, last = BUCKETS, width;
	size_t count = 0;

	if (!load(xs_digest_get(group, "count", name), counts))
		return 0;
	while (!counts[first])
		first++;
	while (!counts[last - 1])
		last--;
	width = (last - first - 1) / (unsigned)room + 1;
	for (; first < last; first += width, count++) {
		bars[count] = (struct xs_job_bar){first_of(first),
						  first_of(first + width), 0};
		for (unsigned i = first; i < first + width && i < last; i++)
			bars[count].traces += (int64_t)counts[i];
	}
	return count;
}
