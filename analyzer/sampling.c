/* SPDX-License-Identifier: MIT */
#include "analyzer/sampling.h"

#include "analyzer/idents.h"
#include "analyzer/sort.h"

#include <errno.h>
#include <stdlib.h>

/* All sites of one place, whoever called it, or all calls of a function. */
struct place {
	double calls, bytes;		 /* recorded */
	double kept_calls, kept_bytes;	 /* and used */
	double tally_calls, tally_bytes; /* counted */
};

struct places {
	struct place *items;
	uint32_t *of_site;	    /* the place of each site */
	uint32_t *function_of_site; /* and that of its function */
	size_t count;
};

bool xs_trace_is_sampled(const struct xs_trace *trace)
{
	return trace->begins_counted || trace->window_count > 1 ||
	       (trace->window_count == 1 &&
		trace->windows[0].end_ns != UINT64_MAX);
}

uint64_t xs_weighted(uint64_t value, double weight)
{
	double product = (double)value * weight;

	if (weight == 1)
		return value;
	return product < 0x1p63 ? (uint64_t)(product + 0.5) : UINT64_MAX;
}

size_t xs_window_of(const struct xs_trace *trace, uint64_t time_ns)
{
	size_t low = 0, high = trace->window_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (trace->windows[middle].begin_ns <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static uint64_t place_key(const struct xs_site *site, bool function_only)
{
	uint64_t key = xs_hash_mix(0, site->function);

	if (function_only)
		return xs_hash_mix(key, UINT64_MAX);
	key = xs_hash_mix(key, site->module);
	return xs_hash_mix(key, site->offset);
}

/* Numbers the places of all sites; the function's place where function_only. */
static int number_places(const struct xs_trace *trace, bool function_only,
			 struct places *places, uint32_t *of_site)
{
	size_t n = trace->site_count;
	struct xs_key *keys = malloc((n + 1) * sizeof(*keys));
	int rc = -ENOMEM;

	if (!keys)
		return rc;
	for (size_t i = 0; i < n; i++)
		keys[i] = (struct xs_key){
		    place_key(&trace->sites[i], function_only), (uint32_t)i};
	rc = xs_keys_sort(keys, n);
	for (size_t i = 0; !rc && i < n; i++) {
		if (i == 0 || keys[i].key != keys[i - 1].key)
			places->count++;
		of_site[keys[i].index] = (uint32_t)places->count - 1;
	}
	free(keys);
	return rc;
}

static void add_calls(const struct xs_trace *trace, const bool *kept,
		      struct places *places)
{
	for (size_t i = 0; i < trace->call_count; i++) {
		const struct xs_call *call = &trace->calls[i];
		struct place *place =
		    &places->items[places->of_site[call->site]];

		place->calls++;
		place->bytes += (double)call->bytes;
		if (kept && !kept[i])
			continue;
		place->kept_calls++;
		place->kept_bytes += (double)call->bytes;
	}
}

/* What was counted of a function is of the places of it that were not counted
 * themselves; with it their recorded calls stand for more. */
static void add_tallies(const struct xs_trace *trace, struct places *places)
{
	for (size_t i = 0; i < trace->tally_count; i++) {
		const struct xs_tally *tally = &trace->tallies[i];
		bool somewhere = trace->sites[tally->site].module != XS_NONE;
		struct place *place =
		    &places->items[somewhere
				       ? places->of_site[tally->site]
				       : places->function_of_site[tally->site]];

		place->tally_calls += (double)tally->calls;
		place->tally_bytes += (double)tally->bytes;
	}
}

static int places_build(const struct xs_trace *trace, const bool *kept,
			struct places *places)
{
	size_t n = trace->site_count;
	int rc = -ENOMEM;

	places->of_site = malloc((n + 1) * sizeof(uint32_t));
	places->function_of_site = malloc((n + 1) * sizeof(uint32_t));
	places->items = calloc(2 * n + 1, sizeof(*places->items));
	if (places->of_site && places->function_of_site && places->items)
		rc = number_places(trace, false, places, places->of_site);
	if (!rc)
		rc = number_places(trace, true, places,
				   places->function_of_site);
	if (rc)
		return rc;
	add_calls(trace, kept, places);
	add_tallies(trace, places);
	return 0;
}

static double ratio(double all, double kept)
{
	return kept > 0 ? all / kept : 1;
}

/* Recorded calls of a function's places that were not counted themselves go
 * to the function's own place, as what its counts are shared out over. */
static void share_functions(const struct xs_trace *trace, struct places *places)
{
	for (size_t i = 0; i < trace->call_count; i++) {
		const struct xs_call *call = &trace->calls[i];
		struct place *function =
		    &places->items[places->function_of_site[call->site]];

		if (places->items[places->of_site[call->site]].tally_calls > 0)
			continue;
		function->calls++;
		function->bytes += (double)call->bytes;
	}
}

int xs_weights_build(const struct xs_trace *trace, const bool *kept,
		     struct xs_weights *weights)
{
	struct places places = {0};
	size_t n = trace->site_count;
	int rc;

	*weights = (struct xs_weights){0};
	if (!xs_trace_is_sampled(trace))
		return 0;
	rc = places_build(trace, kept, &places);
	weights->calls = malloc((n + 1) * sizeof(double));
	weights->bytes = malloc((n + 1) * sizeof(double));
	if (!weights->calls || !weights->bytes)
		rc = -ENOMEM;
	if (rc)
		goto out;
	share_functions(trace, &places);
	for (size_t i = 0; i < n; i++) {
		const struct place *p = &places.items[places.of_site[i]];
		const struct place *f =
		    &places.items[places.function_of_site[i]];
		double calls = p->calls + p->tally_calls;
		double bytes = p->bytes + p->tally_bytes;

		if (p->tally_calls == 0) {
			calls *= ratio(f->calls + f->tally_calls, f->calls);
			bytes *= ratio(f->bytes + f->tally_bytes, f->bytes);
		}
		weights->calls[i] = ratio(calls, p->kept_calls);
		weights->bytes[i] = p->kept_bytes > 0 ? bytes / p->kept_bytes
						      : weights->calls[i];
	}
out:
	free(places.items);
	free(places.of_site);
	free(places.function_of_site);
	if (rc)
		xs_weights_free(weights);
	return rc;
}

void xs_weights_free(struct xs_weights *weights)
{
	free(weights->calls);
	free(weights->bytes);
	*weights = (struct xs_weights){0};
}

static int sort_windows(struct xs_trace *trace)
{
	struct xs_key *keys = malloc((trace->window_count + 1) * sizeof(*keys));
	int rc;

	if (!keys)
		return -ENOMEM;
	for (size_t i = 0; i < trace->window_count; i++)
		keys[i] =
		    (struct xs_key){trace->windows[i].begin_ns, (uint32_t)i};
	rc = xs_keys_sort(keys, trace->window_count);
	if (!rc)
		xs_keys_apply(keys, trace->window_count, trace->windows,
			      sizeof(*trace->windows));
	free(keys);
	return rc;
}

/* Where no op has a call, all of them may have been asked for unseen. */
static void drop_counted(struct xs_trace *trace)
{
	size_t kept = 0;

	if (!xs_trace_is_sampled(trace) || !trace->ops_matched)
		return;
	for (size_t i = 0; i < trace->op_count; i++)
		if (trace->ops[i].call != XS_NONE)
			trace->ops[kept++] = trace->ops[i];
	trace->op_count = kept;
}

int xs_sampling_tidy(struct xs_trace *trace)
{
	drop_counted(trace);
	return sort_windows(trace);
}
