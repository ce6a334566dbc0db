/* SPDX-License-Identifier: MIT */
/*
 * double-buffer: alternates whole rounds between two streams with their own
 * buffers. The copy in of the next round and the copy out of the previous one
 * run during this round's kernels, which stay whole. Kernels of both rounds run
 * beside each other if they leave SMs idle, unless the code for the program's
 * framework has one stream for all kernels: a training step needs the weights
 * that the one before wrote. The host waits for a round after
 * issuing the next one. The time is that of one round of many; the copies of
 * the first and of the last round, which overlap with nothing, are part of the
 * setup.
 */
#include "model/strategies/between_programs.h"
#include "model/strategies/plan_ahead.h"

#include "model/replay/roundtrip.h"

#include <math.h>

#define BUFFER_SETS 2u

#define INDEPENDENT                                                            \
	"neither a round's input nor its kernels need what the round before "  \
	"wrote"
#define INPUT "a round's input does not need what the round before wrote"
#define FILLED                                                                 \
	"the host fills each round's input anew, in the buffer that the "      \
	"round before copied out to"

/* Host programs read a result of no more bytes to decide on the next round. */
#define VALUE_BYTES 8

/* Returns whether kernels stay in the stream of the framework. */
static bool is_in_order(const struct xs_strategy_case *c)
{
	return c->options->language != XS_LANGUAGE_CUDA &&
	       c->options->language != XS_LANGUAGE_NUMBA;
}

/* Repeats a plan's round, in turns on the queues of the buffer sets. */
static void repeat(struct xs_plan *plan, uint32_t rounds)
{
	const size_t count = plan->count;

	for (size_t i = count; i < rounds * count; i++) {
		struct xs_action action = plan->actions[i - count];

		if (action.queue < BUFFER_SETS)
			action.queue = (action.queue + 1) % BUFFER_SETS;
		xs_plan_add(plan, &action);
	}
}

static void build_plan(const struct xs_strategy_case *c,
		       const struct xs_estimate *row,
		       const struct xs_scenario *scenario, struct xs_plan *plan)
{
	const struct xs_round_work *w = &c->work;
	const double host_ns = w->other_ns - w->allocation_ns +
			       w->host_ns * scenario->host_scale +
			       (double)c->phase->between_ns.median_ns;
	struct xs_action sync = xs_action_sync_all(&scenario->machine);
	const struct xs_plan_rounds rounds = xs_plan_rounds_of(c->phase);
	const struct xs_ahead_queues queues = {
	    0, is_in_order(c) ? BUFFER_SETS : 0, 0};
	struct xs_copy_stages one;

	xs_copy_stages_build_one(c->phase, &one);
	(void)row;
	xs_plan_ahead(c, scenario, &one, &queues, host_ns, w->beside_ns, plan);
	xs_copy_stages_free(&one);
	sync.kind = XS_ACTION_SYNC_QUEUE;
	/* of the previous round; the first time, of an empty stream */
	sync.queue = BUFFER_SETS - 1;
	xs_plan_add(plan, &sync);
	plan->untimed = rounds.before * plan->count;
	plan->rounds = rounds.timed;
	plan->between_ns = (double)c->phase->between_ns.median_ns;
	repeat(plan, rounds.before + rounds.timed);
}

/* Abstains for reasons of the phase. */
static bool abstains(const struct xs_strategy_case *c, struct xs_estimate *row,
		     struct xs_estimates *out)
{
	return xs_abstain_without_needs(c, row, out) ||
	       xs_abstain_if(!c->work.kernels, row, out,
			     "no kernel to overlap copies with") ||
	       xs_abstain_if(
		   c->work.in_bytes + c->work.out_bytes <= VALUE_BYTES, row,
		   out,
		   "only a value is copied: the host may decide by it on the "
		   "next round") ||
	       xs_abstain_if(c->phase->rounds < 2, row, out,
			     "only one round was recorded: there "
			     "is no next round to copy for");
}

/*
 * Returns whether the host lacks the time to write the next round's input
 * between its calls: the input then existed before this round had results.
 */
static bool is_input_there(const struct xs_strategy_case *c)
{
	return (double)(c->phase->host_ns.p95_ns +
			c->phase->between_ns.p95_ns) <
	       XS_WRITE_BYTE_NS * c->work.in_bytes;
}

/*
 * Returns whether each round copies in the same host memory, and the host had
 * the time to read as many bytes of what was copied out and to write them there
 * before: an optimizer's update, such as of weights by gradients. No more bytes
 * than arguments have are no such data.
 */
static bool may_be_updated(const struct xs_strategy_case *c)
{
	double host_ns = (double)c->phase->between_ns.median_ns, bytes = 0;
	uint64_t returned_ns = 0;

	XS_EACH(step, c->phase->steps, c->phase->step_count) {
		if (step->kind == XS_STEP_H2D && step->same_host &&
		    !xs_step_repeats(step)) {
			bytes += (double)step->bytes;
			host_ns +=
			    fmax((double)step->call_ns - (double)step->hash_ns -
				     (double)returned_ns,
				 0);
		}
		if (step->return_ns > returned_ns)
			returned_ns = step->return_ns;
	}
	return bytes > fmax(c->work.in_bytes / 2, XS_ARGUMENT_BYTES) &&
	       bytes <= c->work.out_bytes &&
	       host_ns >= 2 * XS_WRITE_BYTE_NS * bytes;
}

/*
 * Sets what the run pays once for the pipeline: the time of a few rounds from
 * the first call to the last result beyond round_ns each. If rounds allocate
 * their device buffers, both sets are allocated before them.
 */
static void set_loop_ns(const struct xs_strategy_case *c,
			struct xs_estimate *row)
{
	const struct xs_plan_rounds rounds = xs_plan_rounds_of(c->phase);

	row->loop_ns =
	    fmax(row->replayed_ns - (rounds.before + rounds.timed) *
					(row->round_ns + row->between_ns),
		 0);
	row->setup_ns += row->loop_ns + c->work.allocation_ns;
}

/*
 * Sets the conditions. In a time-stepping loop a round needs the results of the
 * one before: it copies them in again, as they are or updated by the host, or
 * keeps them on the device.
 */
static void assume(const struct xs_strategy_case *c, struct xs_estimate *row)
{
	struct xs_roundtrips returning;
	const char *condition;

	xs_roundtrip_count(c->phase, &returning);
	row->returning = returning.in;
	condition = row->returning   ? FILLED
		    : is_in_order(c) ? INPUT
				     : INDEPENDENT;
	row->doubtful =
	    row->returning || !c->work.in_copies || may_be_updated(c);
	if (is_input_there(c) && !row->doubtful) {
		xs_estimate_need(row, condition);
	} else {
		row->bound = condition;
		xs_estimate_assume(row, row->bound);
		if (c->work.in_bytes > 0)
			xs_estimate_assume(row, "a round's input is available "
						"one round earlier");
	}
	xs_estimate_assume(row,
			   "host and device have memory for a second set of a "
			   "round's buffers");
}

/* The time to pin the second set, which a framework's pool may have already. */
static double second_set_ns(const struct xs_strategy_case *c, double buffers)
{
	return xs_pinning_ns(c->machine, XS_LANGUAGE_CUDA, buffers,
			     c->work.in_bytes + c->work.out_bytes);
}

/* Adds the second set to the setup, and sets how much longer that takes if it
 * is new memory, which has to be touched. */
static void add_second_set(const struct xs_strategy_case *c,
			   struct xs_estimate *row)
{
	const struct xs_machine *m = c->machine;
	const struct xs_round_work *w = &c->work;
	const double buffers = (w->in_bytes > 0) + (w->out_bytes > 0);
	const double bytes = w->in_bytes + w->out_bytes;
	const double ns = second_set_ns(c, buffers);
	const double new_ns = fmin(ns + bytes * m->touch_byte_ns.value,
				   xs_pinned_allocation_ns(m, buffers, bytes));

	if (c->options->language == XS_LANGUAGE_CUDA)
		row->new_memory_ns = fmax(new_ns - ns, 0);
	xs_estimate_add_setup(c, second_set_ns, buffers, row);
}

static void estimate(const struct xs_strategy_case *c, struct xs_estimate *row)
{
	const struct xs_round_work *w = &c->work;

	row->other_advice = is_in_order(c);
	row->between_ns = (double)c->phase->between_ns.median_ns;
	row->more_bytes = w->in_bytes + w->out_bytes;
	xs_estimate_replay(c, build_plan, row);
	assume(c, row);
	xs_estimate_set_setup(c, BUFFER_SETS, row);
	add_second_set(c, row);
	set_loop_ns(c, row);
	snprintf(row->why, sizeof(row->why),
		 "one round of many: copies of the next and the previous round "
		 "run during its kernels%s",
		 !row->doubtful	      ? ""
		 : !c->work.in_copies ? "; a round's input is on the device"
		 : row->returning     ? "; a round copies in what was copied "
					"out"
				      : "; the host may compute a round's "
					"input from what was copied out");
}

static void build(const struct xs_strategy_case *c, struct xs_estimates *out)
{
	struct xs_estimate row = xs_estimate_init(c);

	row.quiet = true;
	if (abstains(c, &row, out))
		return;
	row.quiet = false;
	if (xs_abstain_without_copy_rates(c, &row, out))
		return;
	estimate(c, &row);
	xs_estimates_add(out, &row);
}

const struct xs_strategy xs_strategy_double_buffer = {
    .id = "double-buffer",
    .effort = XS_EFFORT_PLACES,
    .needs = XS_NEEDS_TIMED_COPIES | XS_NEEDS_COPY_RATES,
    .changes = XS_CHANGES_PINNING | XS_CHANGES_ORDER | XS_CHANGES_HOST |
	       XS_CHANGES_ALLOCATION,
    .check = XS_CHECK_streams,
    .error = XS_ERROR_pinned,
    .build = build,
    .first = "overlap the rounds of {places} with a second set of buffers",
    .advice =
	"{no_waits}Run the rounds of {places} alternately with two sets of "
	"buffers{once}; copy asynchronously{pinned}. Wait for a round only "
	"after the next one is issued: the next one's copies then overlap this "
	"one{between}.",
    .other_first =
	"copy the data of {places} for the next round during this one",
    .other_advice =
	"{no_waits}Copy the next round's data of {places} ahead{pinned}, on a "
	"stream beside that of all kernels. Read a round's results only after "
	"these copies are issued: its kernels then overlap them{between}.",
    .code =
	{
	    [XS_LANGUAGE_CUDA] =
		"cudaMemcpyAsync(dev[k], in[k], ..., s[k]), f<<<..., "
		"s[k]>>>(dev[k]),\n"
		"cudaMemcpyAsync(out[k], res[k], ..., s[k]);  // k = i % 2 in "
		"round i\n"
		"cudaStreamSynchronize(s[!k]);  // the round before; at the "
		"end s[k] too",
	    [XS_LANGUAGE_PYTORCH] =
		"main.wait_stream(side), x.record_stream(main); y = f(x)  # "
		"this round\n"
		"with torch.cuda.stream(side): x = host.to(device, "
		"non_blocking=True)\n"
		"{results}# read y here, after the next round's x is issued",
	    [XS_LANGUAGE_JAX] =
		"# the next round, before this one's result is read\n"
		"following = jax.device_put(batch)",
	    [XS_LANGUAGE_CUPY] =
		"main.wait_event(copies.record()), "
		"copies.wait_event(main.record())\n"
		"y = f(x[k]); x[1 - k].set(batch, stream=copies)  # k = i % 2; "
		"pinned\n"
		"{results}# read y here, after the next copy is issued",
	    [XS_LANGUAGE_NUMBA] =
		"dev[k].copy_to_device(ary[k], s[k])  # k = i % 2 in "
		"round i\n"
		"f[blocks, threads, s[k]](dev[k]), "
		"dev[k].copy_to_host(ary[k], s[k])\n"
		"s[1 - k].synchronize()  # the round before; at the end s[k] "
		"too",
	},
};
