/* SPDX-License-Identifier: MIT */
/*
 * Counted calls are taken to be like recorded calls of the same call site, size
 * class and direction, or else like the recorded calls that are most similar.
 */
#include "analyzer/sampling/weights.h"

#include "analyzer/util/hash.h"
#include "analyzer/util/memory.h"

#include <stdlib.h>

static bool is_copy(uint8_t call_class)
{
	return call_class == XS_CALL_COPY || call_class == XS_CALL_COPY_ASYNC;
}

uint8_t xs_call_direction(const struct xs_call *call)
{
	return call->error
		   ? XS_TALLY_FAILED
		   : xs_tally_direction(call->call_class, call->direction);
}

static void add_to_group(struct xs_weight_builder *b, uint32_t index,
			 bool first)
{
	const struct xs_call *call = &b->trace->calls[index];
	struct xs_weight_group *group;

	if (first)
		b->groups[b->group_count++] = (struct xs_weight_group){
		    .site = call->site,
		    .window = (uint32_t)xs_window_of(b->trace, call->start_ns),
		    .size = xs_tally_size(call->bytes),
		    .direction = xs_call_direction(call),
		    .call_weight = 1,
		    .byte_weight = 1,
		};
	b->group_of[index] = (uint32_t)b->group_count - 1;
	group = &b->groups[b->group_count - 1];
	group->calls++;
	group->bytes += (double)call->bytes;
	if (b->used && !b->used[index])
		return;
	group->used_calls++;
	group->used_bytes += (double)call->bytes;
}

static void group_calls(struct xs_weight_builder *b)
{
	const struct xs_trace *trace = b->trace;

	for (size_t i = 0; i < trace->call_count; i++) {
		const struct xs_call *call = &trace->calls[i];
		uint64_t key = xs_weights_key(
		    b, &xs_weight_levels[0], call->site,
		    xs_tally_size(call->bytes), xs_call_direction(call));

		b->keys[i] = (struct xs_key){
		    xs_hash_mix(key, xs_window_of(trace, call->start_ns)),
		    (uint32_t)i};
	}
	xs_keys_sort(b->keys, trace->call_count);
	for (size_t i = 0; i < trace->call_count; i++)
		add_to_group(b, b->keys[i].index,
			     i == 0 || b->keys[i].key != b->keys[i - 1].key);
}

/* Recorded but unused calls: others of their kind stand for them. */
static void add_unused(struct xs_weight_builder *b)
{
	XS_EACH(group, b->groups, b->group_count) {
		if (group->calls == group->used_calls)
			continue;
		b->rests[b->rest_count++] = (struct xs_weight_rest){
		    .site = group->site,
		    .size = group->size,
		    .direction = group->direction,
		    .last_level = 0,
		    .calls = group->calls - group->used_calls,
		    .bytes = group->bytes - group->used_bytes,
		};
	}
}

/* Rounds of a phase do not stand for call sites that are in no round. */
static void add_tallies(struct xs_weight_builder *b)
{
	const struct xs_trace *trace = b->trace;

	XS_EACH(tally, trace->tallies, trace->tally_count) {
		bool of_place = trace->sites[tally->site].module != XS_NONE;

		b->rests[b->rest_count++] = (struct xs_weight_rest){
		    .site = tally->site,
		    .size = tally->size,
		    .direction = tally->direction,
		    .last_level = b->used && of_place ? XS_WEIGHTS_LAST_OF_PLACE
						      : XS_WEIGHTS_LAST,
		    .calls = (double)tally->calls,
		    .bytes = (double)tally->bytes,
		};
	}
}

/* Marks the groups of call sites that have counted calls. */
static void mark_counted(struct xs_weight_builder *b)
{
	static const struct xs_weight_level by_place = {.place = true};
	const struct xs_trace *trace = b->trace;
	size_t count = 0;
	bool counted = false;

	/* for equal keys, tallies come first, and groups from 1 on */
	for (size_t i = 0; i < trace->tally_count; i++)
		b->keys[count++] = (struct xs_key){
		    xs_weights_key(b, &by_place, trace->tallies[i].site, 0, 0),
		    0};
	for (size_t i = 0; i < b->group_count; i++)
		b->keys[count++] = (struct xs_key){
		    xs_weights_key(b, &by_place, b->groups[i].site, 0, 0),
		    (uint32_t)i + 1};
	xs_keys_sort(b->keys, count);
	for (size_t i = 0; i < count; i++) {
		counted = b->keys[i].index == 0 ||
			  (counted && b->keys[i].key == b->keys[i - 1].key);
		if (b->keys[i].index)
			b->groups[b->keys[i].index - 1].counted = counted;
	}
}

/* Counts the recorded calls of each kind, in all windows. */
static void count_kinds(struct xs_weight_builder *b)
{
	for (size_t i = 0; i < b->group_count; i++) {
		const struct xs_weight_group *g = &b->groups[i];

		b->keys[i] = (struct xs_key){
		    xs_weights_key(b, &xs_weight_levels[0], g->site, g->size,
				   g->direction),
		    (uint32_t)i};
	}
	xs_keys_sort(b->keys, b->group_count);
	for (size_t first = 0, end; first < b->group_count; first = end) {
		uint32_t calls = 0;

		for (end = first; end < b->group_count &&
				  b->keys[end].key == b->keys[first].key;
		     end++)
			calls += (uint32_t)b->groups[b->keys[end].index].calls;
		while (first < end)
			b->groups[b->keys[first++].index].kind_calls = calls;
	}
}

static void fill(const struct xs_weight_builder *b, struct xs_weights *weights)
{
	for (size_t i = 0; i < b->trace->call_count; i++) {
		const struct xs_weight_group *g = &b->groups[b->group_of[i]];

		weights->calls[i] = g->call_weight;
		weights->bytes[i] =
		    g->used_bytes > 0 ? g->byte_weight : g->call_weight;
		weights->recorded[i] = g->kind_calls;
	}
}

/* Returns whether such calls issue device work or wait for it. */
static bool uses_device(uint8_t call_class)
{
	return xs_call_issues(call_class) ||
	       call_class == XS_CALL_SYNC_DEVICE ||
	       call_class == XS_CALL_SYNC_STREAM ||
	       call_class == XS_CALL_SYNC_EVENT;
}

static void find_unrecorded_sites(const struct xs_weight_builder *b,
				  struct xs_weights *weights)
{
	double most = 0;

	XS_EACH(rest, b->rests, b->rest_count) {
		const struct xs_site *site = &b->trace->sites[rest->site];

		if (site->module == XS_NONE ||
		    rest->direction == XS_TALLY_FAILED ||
		    !uses_device(site->call_class))
			continue;
		if (rest->size)
			weights->unrecorded_kind_calls +=
			    rest->unrecorded_kind_calls -
			    rest->unrecorded_site_calls;
		if (rest->unrecorded_site_calls < 1)
			continue;
		weights->unrecorded_several |=
		    most > 0 && rest->site != weights->unrecorded_site;
		weights->unrecorded_site_calls += rest->unrecorded_site_calls;
		if (rest->unrecorded_site_calls > most) {
			most = rest->unrecorded_site_calls;
			weights->unrecorded_site = rest->site;
		}
	}
}

/* Sums the counted copies and launches that no recorded call stands for. */
static void sum_unrecorded(const struct xs_weight_builder *b,
			   struct xs_weights *weights)
{
	const struct xs_trace *trace = b->trace;

	XS_EACH(tally, trace->tallies, trace->tally_count) {
		const struct xs_site *site = &trace->sites[tally->site];

		if (is_copy(site->call_class) &&
		    tally->direction == XS_DIR_UNKNOWN &&
		    (tally->size || site->module == XS_NONE))
			weights->guessed_direction_bytes +=
			    (double)tally->bytes;
	}
	XS_EACH(rest, b->rests, b->rest_count) {
		if (trace->sites[rest->site].call_class == XS_CALL_LAUNCH &&
		    rest->direction != XS_TALLY_FAILED)
			weights->unrecorded_launches += rest->calls;
		if (rest->direction < XS_WEIGHT_DIRECTIONS) {
			weights->unrecorded_calls[rest->direction] +=
			    rest->calls;
			weights->unrecorded_bytes[rest->direction] +=
			    rest->bytes;
		}
	}
}

static void build(struct xs_weight_builder *b, struct xs_weights *weights)
{
	const struct xs_trace *trace = b->trace;
	const size_t most = 2 * trace->call_count + trace->tally_count + 1;

	b->extrapolation =
	    xs_calloc(trace->window_count + 1, sizeof(*b->extrapolation));
	b->group_of = xs_calloc(most, sizeof(*b->group_of));
	b->groups = xs_calloc(most, sizeof(*b->groups));
	b->rests = xs_calloc(most, sizeof(*b->rests));
	b->keys = xs_calloc(2 * most, sizeof(*b->keys));
	weights->calls = xs_calloc(most, sizeof(double));
	weights->bytes = xs_calloc(most, sizeof(double));
	weights->recorded = xs_calloc(most, sizeof(*weights->recorded));
	xs_window_extrapolate(trace, b->extrapolation);
	group_calls(b);
	mark_counted(b);
	count_kinds(b);
	add_unused(b);
	add_tallies(b);
	xs_weights_distribute(b);
	fill(b, weights);
	sum_unrecorded(b, weights);
	find_unrecorded_sites(b, weights);
}

void xs_weights_build(const struct xs_trace *trace, const bool *used,
		      struct xs_weights *weights)
{
	struct xs_weight_builder builder = {.trace = trace, .used = used};

	*weights = (struct xs_weights){0};
	if (!xs_trace_is_sampled(trace))
		return;
	build(&builder, weights);
	free(builder.extrapolation);
	free(builder.group_of);
	free(builder.groups);
	free(builder.rests);
	free(builder.keys);
}

void xs_weights_free(struct xs_weights *weights)
{
	free(weights->calls);
	free(weights->bytes);
	free(weights->recorded);
	*weights = (struct xs_weights){0};
}
