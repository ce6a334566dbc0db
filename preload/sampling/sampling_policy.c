/* SPDX-License-Identifier: MIT */
#include "preload/sampling/sampling_policy.h"
#include "preload/trace/trace_file.h"

#define SIZE_UNSEEN_INTERVAL_NS 200000000u
#define SIZE_INTERVAL_NS	1000000000u
#define SIZE_MAX_WINDOW_NS	10000000000u
#define WINDOW_PART		20 /* of the remaining bytes: 1/20 */
/* Bytes of trace for a call, its op, and what is written after a window. */
#define CALL_AND_OP_BYTES 80

/* Returns whether light mode has recorded enough. Once true, it stays true. */
static bool light_is_over(struct xs_sampling_policy *policy,
			  const struct xs_sampling_input *in)
{
	const uint64_t calls = in->taken_calls;

	if (policy->light && (calls >= XS_SAMPLING_LIGHT_MOST_CALLS ||
			      (calls >= XS_SAMPLING_LIGHT_LEAST_CALLS &&
			       calls / 2 >= in->new_kind_calls)))
		policy->light_over = true;
	return policy->light_over;
}

/* Returns the bytes that windows may still fill. */
static uint64_t bytes_left(const struct xs_sampling_policy *policy,
			   const struct xs_sampling_input *in)
{
	const uint64_t limit =
	    policy->max_bytes - XS_TRACE_FILE_RESERVE(policy->max_bytes);

	return in->used_bytes < limit ? limit - in->used_bytes : 0;
}

/*
 * Returns whether the window has used its bytes, or the calls for which they
 * were enough at the last decision. A later window that fills slowly is closed
 * after SIZE_MAX_WINDOW_NS, because other data also use its share.
 */
static bool size_is_spent(const struct xs_sampling_policy *policy,
			  const struct xs_sampling_input *in)
{
	return in->used_bytes >= policy->size_close_bytes ||
	       (policy->open && in->taken_calls >= policy->until_calls) ||
	       (policy->size_opened_ns &&
		in->elapsed_ns >= policy->size_opened_ns + SIZE_MAX_WINDOW_NS);
}

static bool size_open(struct xs_sampling_policy *policy,
		      const struct xs_sampling_input *in)
{
	if (!policy->max_bytes)
		return true;
	if (!policy->size_close_bytes)
		policy->size_close_bytes = policy->max_bytes / 2;
	if (!policy->size_shut && size_is_spent(policy, in)) {
		policy->size_shut = true;
		policy->size_open_unseen_ns =
		    in->elapsed_ns + SIZE_UNSEEN_INTERVAL_NS;
		policy->size_open_ns =
		    in->elapsed_ns + in->elapsed_ns / 10 + SIZE_INTERVAL_NS;
	} else if (policy->size_shut && bytes_left(policy, in) > 0 &&
		   (in->elapsed_ns >= policy->size_open_ns ||
		    (in->unseen &&
		     in->elapsed_ns >= policy->size_open_unseen_ns))) {
		policy->size_shut = false;
		policy->size_opened_ns = in->elapsed_ns;
		policy->size_close_bytes =
		    in->used_bytes + bytes_left(policy, in) / WINDOW_PART;
	}
	return !policy->size_shut;
}

/* Returns the number of recorded calls at which hooks stop recording before the
 * next decision. */
static uint64_t until_calls(const struct xs_sampling_policy *policy,
			    const struct xs_sampling_input *in)
{
	if (!policy->max_bytes)
		return XS_CAPTURE_MODE_NO_LIMIT;
	return in->taken_calls + 1 +
	       (policy->size_close_bytes - in->used_bytes) / CALL_AND_OP_BYTES;
}

bool xs_sampling_policy_decide(struct xs_sampling_policy *policy,
			       const struct xs_sampling_input *in,
			       uint64_t *until)
{
	const bool over = light_is_over(policy, in),
		   size = size_open(policy, in);

	policy->open = in->in_range && !over && size;
	if (policy->open)
		policy->until_calls = until_calls(policy, in);
	*until = policy->until_calls;
	return policy->open;
}
