/* SPDX-License-Identifier: MIT */
#include "analyzer/rounds/repeated_copies.h"

#include "analyzer/util/hash.h"
#include "analyzer/util/memory.h"

#include <stdlib.h>

/* Recently copied ranges. A direct-mapped cache: on a collision the later one
 * stays. */
#define RANGES 4096

struct range {
	uint64_t address, bytes;
	const struct xs_content *content;
};

struct ranges {
	struct range in[RANGES];  /* by device memory: copied in */
	struct range out[RANGES]; /* by host memory: copied out */
};

static struct range *place(struct range *ranges, uint64_t address,
			   uint64_t bytes)
{
	return &ranges[xs_hash_mix(address, bytes) % RANGES];
}

/* Returns the contents of the range, or NULL. */
static const struct xs_content *find(struct range *ranges, uint64_t address,
				     uint64_t bytes)
{
	const struct range *range = place(ranges, address, bytes);

	return range->address == address && range->bytes == bytes
		   ? range->content
		   : NULL;
}

static void keep(struct range *ranges, uint64_t address, uint64_t bytes,
		 const struct xs_content *content)
{
	*place(ranges, address, bytes) =
	    (struct range){address, bytes, content};
}

static bool is_same(const struct xs_content *a, const struct xs_content *b)
{
	return a && a->hash == b->hash && a->hashed_bytes == b->hashed_bytes;
}

static uint8_t compare_in(struct ranges *ranges, const struct xs_call *call,
			  const struct xs_content *content)
{
	const struct xs_content *in = find(ranges->in, call->dst, call->bytes);
	const struct xs_content *out =
	    find(ranges->out, call->src, call->bytes);
	uint8_t same = 0;

	if (in || out)
		same |= XS_REPEAT_COMPARED;
	if (is_same(in, content))
		same |= XS_REPEAT_COPIED_IN;
	if (is_same(out, content))
		same |= XS_REPEAT_COPIED_OUT;
	if (content->hashed_bytes < call->bytes)
		same |= XS_REPEAT_SAMPLED;
	return same;
}

/* Returns by call the kind of its copies; XS_OP_KINDS: none. */
static uint8_t *kinds_of_calls(const struct xs_trace *trace)
{
	uint8_t *kinds = xs_malloc(trace->call_count + 1);

	for (size_t i = 0; kinds && i < trace->call_count; i++)
		kinds[i] = XS_OP_KINDS;
	for (size_t i = 0; kinds && i < trace->op_count; i++)
		if (trace->ops[i].call != XS_NONE)
			kinds[trace->ops[i].call] = trace->ops[i].kind;
	return kinds;
}

static void compare_all(const struct xs_trace *trace, const uint8_t *kinds,
			struct ranges *ranges, uint8_t *same)
{
	XS_EACH(content, trace->contents, trace->content_count) {
		uint32_t index = content->call;
		const struct xs_call *call;

		if (index == XS_NONE) /* sorted by call: contents without a call
				       * come last */
			break;
		call = &trace->calls[index];
		if (kinds[index] == XS_OP_H2D) {
			same[index] = compare_in(ranges, call, content);
			keep(ranges->in, call->dst, call->bytes, content);
		} else if (kinds[index] == XS_OP_D2H) {
			keep(ranges->out, call->dst, call->bytes, content);
		}
	}
}

void xs_repeated_copies_find(const struct xs_trace *trace, uint8_t **same)
{
	struct ranges *ranges;
	uint8_t *kinds;

	*same = NULL;
	if (trace->content_count == 0)
		return;
	ranges = xs_calloc(1, sizeof(*ranges));
	kinds = kinds_of_calls(trace);
	*same = xs_calloc(trace->call_count + 1, 1);
	compare_all(trace, kinds, ranges, *same);
	free(ranges);
	free(kinds);
}
