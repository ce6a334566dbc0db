/* SPDX-License-Identifier: MIT */
#include "preload/sampling/sampling_policy.h"
#include "preload/trace/trace_file.h"

#define SIZE_UNSEEN_APART_NS 200000000u
#define SIZE_APART_NS	     1000000000u
#define SIZE_LONGEST_NS	     10000000000u
#define WINDOW_SHARE	     20 /* of the room that is left */
/* Of the trace, with what comes after a window. */
#define CALL_AND_OP_BYTES 80

/* Whether light mode has recorded enough. Once true, it stays so. */
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

/* The bytes that windows may still fill. */
static uint64_t room(const struct xs_sampling_policy *policy,
		     const struct xs_sampling_input *in)
{
	const uint64_t most =
	    policy->max_bytes - XS_TRACE_FILE_RESERVE(policy->max_bytes);

	return in->used_bytes < most ? most - in->used_bytes : 0;
}

/*
 * By bytes; or by the calls that they were enough for, when last asked. A later
 * window that fills slowly is shut after a while, since others spend its share
 * as well.
 */
static bool size_is_spent(const struct xs_sampling_policy *policy,
			  const struct xs_sampling_input *in)
{
	return in->used_bytes >= policy->size_next_bytes ||
	       (policy->open && in->taken_calls >= policy->until_calls) ||
	       (policy->size_opened_ns &&
		in->elapsed_ns >= policy->size_opened_ns + SIZE_LONGEST_NS);
}

static bool size_open(struct xs_sampling_policy *policy,
		      const struct xs_sampling_input *in)
{
	if (!policy->max_bytes)
		return true;
	if (!policy->size_next_bytes)
		policy->size_next_bytes = policy->max_bytes / 2;
	if (!policy->size_shut && size_is_spent(policy, in)) {
		policy->size_shut = true;
		policy->size_unseen_ns = in->elapsed_ns + SIZE_UNSEEN_APART_NS;
		policy->size_next_ns =
		    in->elapsed_ns + in->elapsed_ns / 10 + SIZE_APART_NS;
	} else if (policy->size_shut && room(policy, in) > 0 &&
		   (in->elapsed_ns >= policy->size_next_ns ||
		    (in->unseen && in->elapsed_ns >= policy->size_unseen_ns))) {
		policy->size_shut = false;
		policy->size_opened_ns = in->elapsed_ns;
		policy->size_next_bytes =
		    in->used_bytes + room(policy, in) / WINDOW_SHARE;
	}
	return !policy->size_shut;
}

/* How many calls may be recorded until the policy is asked again. */
static uint64_t until_calls(const struct xs_sampling_policy *policy,
			    const struct xs_sampling_input *in)
{
	if (!policy->max_bytes)
		return XS_CAPTURE_MODE_NO_LIMIT;
	return in->taken_calls + 1 +
	       (policy->size_next_bytes - in->used_bytes) / CALL_AND_OP_BYTES;
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
