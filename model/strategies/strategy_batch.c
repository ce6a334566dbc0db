/* SPDX-License-Identifier: MIT */
/*
 * batch: merges consecutive small copies of one direction into one copy, also
 * if the host waits for each. Copies of pinned memory that follow each other on
 * the host and on the device are one copy as they are. Others go through a
 * pinned buffer: the host gathers the data there before the copy, or scatters
 * it from there at the end of the round. Of device arrays that the round
 * allocates for them, one is left.
 */
#include "model/strategies/between_programs.h"
#include "model/strategies/strategy.h"

#include <math.h>

/* torch.cat() and index_select() use several threads. */
static bool gathers_in_threads(const struct xs_strategy_case *c)
{
	return c->options->language == XS_LANGUAGE_PYTORCH;
}

/* Returns the time to gather or scatter with one thread; NAN if unknown. */
static double alone_ns(const struct xs_machine *m,
		       const struct xs_small_copies *run)
{
	return run->apart ? m->host_copy_byte_ns.value * run->bytes : 0;
}

/* The same as the host does it. */
static double gather_ns(const struct xs_strategy_case *c,
			const struct xs_machine *m,
			const struct xs_small_copies *run)
{
	return run->apart && gathers_in_threads(c)
		   ? m->host_threads_byte_ns.value * run->bytes
		   : alone_ns(m, run);
}

/* One copy moves all bytes. */
static void merge(const struct xs_strategy_case *c, const struct xs_machine *m,
		  const struct xs_small_copies *run, struct xs_plan *plan)
{
	const bool blocking = !c->phase->steps[run->end - 1].async;
	const double host_ns = gather_ns(c, m, run);
	struct xs_action spread = xs_action_host(host_ns);
	struct xs_action *action = xs_small_copies_merge(
	    c->phase, run, xs_action_copy(m, run->in, run->bytes, blocking),
	    c->keeps_work, plan);

	if (run->in)
		action->gap_ns += host_ns;
	spread.thread = action->thread;
	if (!run->in && run->apart)
		xs_plan_add(plan, &spread);
}

static void build_plan(const struct xs_strategy_case *c,
		       const struct xs_estimate *row,
		       const struct xs_scenario *scenario, struct xs_plan *plan)
{
	struct xs_small_copies run;

	xs_plan_recorded(c, scenario, plan);
	(void)row;
	for (size_t i = 0; xs_small_copies_next(c->phase, c->machine, i, &run);
	     i = run.end)
		merge(c, &scenario->machine, &run, plan);
	xs_plan_join_arrays(c->phase, c->machine, plan);
}

/* Totals of all runs: their number, their copies and the waits between these,
 * the largest buffer, and the time to gather and scatter, as the host does it
 * and with one thread. */
struct total {
	unsigned runs, copies, waits;
	bool in, out; /* of these that are gathered, or scattered */
	double bytes, buffer_bytes, gather_ns, alone_ns;
};

static double buffer_ns(const struct xs_strategy_case *c, double bytes)
{
	return xs_pinning_ns(c->machine, c->options->language, 1, bytes);
}

static struct total add_up(const struct xs_strategy_case *c)
{
	struct total total = {0};
	struct xs_small_copies run;

	for (size_t i = 0; xs_small_copies_next(c->phase, c->machine, i, &run);
	     i = run.end) {
		total.runs++;
		total.copies += run.copies;
		total.waits += run.waits;
		total.bytes += run.bytes;
		total.gather_ns += gather_ns(c, c->machine, &run);
		total.alone_ns += alone_ns(c->machine, &run);
		if (!run.apart)
			continue;
		*(run.in ? &total.in : &total.out) = true;
		total.buffer_bytes = fmax(total.buffer_bytes, run.bytes);
	}
	return total;
}

/* Gathering that takes less than 1 / LEAST_PART of the round has no time. */
#define LEAST_PART 100

static void explain(const struct xs_strategy_case *c, const struct total *total,
		    struct xs_estimate *row)
{
	const char *by = "one host thread";
	char waits[48] = "", gathered[128] = "", in[32] = "";

	if (gathers_in_threads(c))
		by = "all processors, as PyTorch uses them";
	if (total->waits)
		snprintf(waits, sizeof(waits), " and %u waits between them",
			 total->waits);
	if (total->gather_ns >= c->as_is_ns / LEAST_PART)
		snprintf(in, sizeof(in), " in %.0f ns", total->gather_ns);
	if (total->buffer_bytes > 0)
		snprintf(gathered, sizeof(gathered), ", %s%s%s%s by %s",
			 total->in ? "gathered" : "",
			 total->in && total->out ? " and " : "",
			 total->out ? "scattered" : "", in, by);
	snprintf(row->why, sizeof(row->why),
		 "%u copies of %.0f bytes on average%s become %u%s",
		 total->copies, total->bytes / total->copies, waits,
		 total->runs, gathered);
}

/* PyTorch has more threads than one, but not everywhere: a part of the copies
 * may be too small for several, and a worker of a DataLoader has one. Extends
 * the range to one thread. */
static void reach_to_one_thread(const struct total *total,
				struct xs_estimate *row)
{
	row->high_ns =
	    row->round_ns + hypot(row->high_ns - row->round_ns,
				  fmax(total->alone_ns - total->gather_ns, 0));
}

/* A framework of Python takes up to this time to issue a copy. */
#define ISSUES_NS 10000

/* The time between a framework's copies is that of issuing them, unless it is
 * longer: it is then not known what takes it. */
static void know_issuing(const struct xs_strategy_case *c, unsigned copies,
			 struct xs_estimate *row)
{
	if (c->options->language != XS_LANGUAGE_CUDA &&
	    row->otherwise_ns - row->round_ns < (double)copies * ISSUES_NS)
		row->otherwise_ns = NAN;
}

static void build(const struct xs_strategy_case *c, struct xs_estimates *out)
{
	struct xs_estimate row = xs_estimate_init(c);
	const struct total total = add_up(c);

	row.quiet = true;
	if (!total.runs || total.buffer_bytes > 0)
		xs_estimate_need(&row,
				 "the data is contiguous on the device, or the "
				 "kernels use it where it is");
	if (xs_abstain_without_needs(c, &row, out))
		return;
	if (xs_abstain_if(c->phase->h2d_ops + c->phase->d2h_ops <
			      XS_SMALL_COPIES_LEAST,
			  &row, out, "fewer than %u copies in a round",
			  XS_SMALL_COPIES_LEAST))
		return;
	row.quiet = false;
	if (xs_abstain_without_copy_rates(c, &row, out))
		return;
	row.quiet = true;
	if (xs_abstain_if(
		!total.runs, &row, out,
		"there are no %u consecutive small copies in one direction",
		XS_SMALL_COPIES_LEAST))
		return;
	row.quiet = false;
	if (total.buffer_bytes > 0)
		xs_estimate_add_setup(c, buffer_ns, total.buffer_bytes, &row);
	xs_estimate_replay(c, build_plan, &row);
	if (gathers_in_threads(c))
		reach_to_one_thread(&total, &row);
	xs_estimate_only_issues(c, build_plan, &row);
	know_issuing(c, total.copies, &row);
	explain(c, &total, &row);
	xs_estimates_add(out, &row);
}

static bool is_direct(const struct xs_batch_way *way,
		      const struct xs_small_copies *run)
{
	return run->in && run->apart && run->pinned &&
	       run->bytes >= way->least_bytes * run->copies;
}

/* Writes the recorded round with an op for each such run. */
static void build_direct_plan(const struct xs_strategy_case *c,
			      const struct xs_estimate *row,
			      const struct xs_scenario *scenario,
			      struct xs_plan *plan)
{
	const struct xs_batch_way *way = c->strategy->batch_way;
	const struct xs_machine *m = &scenario->machine;
	struct xs_small_copies run;

	xs_plan_recorded(c, scenario, plan);
	(void)row;
	for (size_t i = 0; xs_small_copies_next(c->phase, c->machine, i, &run);
	     i = run.end) {
		struct xs_action op;

		if (!is_direct(way, &run))
			continue;
		op = way->op(m, &run);
		op.blocking = !c->phase->steps[run.end - 1].async;
		op.return_ns = xs_or_zero(m->sync_ns.value);
		xs_small_copies_merge(c->phase, &run, op, c->keeps_work, plan);
	}
}

/* Says what becomes of the copies. Returns false if there are none. */
static bool explain_direct(const struct xs_strategy_case *c,
			   struct xs_estimate *row)
{
	unsigned runs = 0, copies = 0;
	struct xs_small_copies run;
	double bytes = 0;

	for (size_t i = 0; xs_small_copies_next(c->phase, c->machine, i, &run);
	     i = run.end) {
		if (!is_direct(c->strategy->batch_way, &run))
			continue;
		runs++;
		copies += run.copies;
		bytes += run.bytes;
	}
	if (runs)
		snprintf(row->why, sizeof(row->why),
			 "%u copies of %.0f bytes on average become %u", copies,
			 bytes / copies, runs);
	return runs;
}

void xs_batch_direct_build(const struct xs_strategy_case *c,
			   struct xs_estimates *out)
{
	const struct xs_batch_way *way = c->strategy->batch_way;
	struct xs_estimate row = xs_estimate_init(c);

	row.quiet = true;
	if (xs_abstain_without_needs(c, &row, out))
		return;
	if (xs_abstain_if(c->options->language != XS_LANGUAGE_CUDA, &row, out,
			  "the framework has no call for it"))
		return;
	if (xs_abstain_without_copy_rates(c, &row, out))
		return;
	if (xs_abstain_if(
		!explain_direct(c, &row), &row, out,
		"there are no %u consecutive small copies from pinned "
		"memory to the device, of %.0f bytes or more",
		XS_SMALL_COPIES_LEAST, way->least_bytes))
		return;
	row.quiet = false;
	if (xs_abstain_if_unknown(&row, way->needs, way->needed(c->machine),
				  out))
		return;
	xs_estimate_replay(c, build_direct_plan, &row);
	xs_estimate_only_issues(c, build_direct_plan, &row);
	xs_estimates_add(out, &row);
}

const struct xs_strategy xs_strategy_batch = {
    .id = "batch",
    .effort = XS_EFFORT_PLACE,
    .needs = XS_NEEDS_TIMED_COPIES | XS_NEEDS_COPY_RATES,
    .changes = XS_CHANGES_PINNING | XS_CHANGES_SIZES | XS_CHANGES_ALLOCATION,
    .spares = XS_CHANGES_HOST, /* less work to issue, and fewer waits */
    .check = XS_CHECK_streams,
    .error = XS_ERROR_as_is, /* keeps pageable copies */
    .keeps_allocations = true,
    .keeps_copies = true,
    .least_copies = XS_SMALL_COPIES_LEAST,
    .build = build,
    .first = "merge the small copies of {places} into one",
    .advice = "Merge the small copies of {places} into one at the place of "
	      "the last{gathered}: in a round, {why}.",
    .code =
	{
	    [XS_LANGUAGE_CUDA] =
		"{apart}{many_in}memcpy(pinned + offset, part, part_bytes); // "
		"each part\n"
		"{apart}{many_in}cudaMemcpy(dev, pinned, all_bytes, "
		"cudaMemcpyDefault);\n"
		"{apart}{many_out}cudaMemcpy(pinned, dev, all_bytes, "
		"cudaMemcpyDefault);\n"
		"{apart}{many_out}memcpy(part, pinned + offset, part_bytes); "
		"// each part\n"
		"{joined}cudaMemcpy(first_to, first_from, all_bytes, "
		"cudaMemcpyDefault);",
	    [XS_LANGUAGE_PYTORCH] =
		"copied.synchronize()  # a torch.cuda.Event(): pinned was "
		"read\n"
		"torch.cat(parts, out=pinned)  # of torch.empty(..., "
		"pin_memory=True)\n"
		"batch = pinned.to(device, non_blocking=True); copied.record()",
	    [XS_LANGUAGE_JAX] = "batch = jax.device_put(numpy.concatenate("
				"parts))",
	    [XS_LANGUAGE_CUPY] =
		"copied.synchronize()  # a cupy.cuda.Event(): pinned was read\n"
		"numpy.concatenate(parts, out=pinned)  # of "
		"cupyx.empty_pinned(...)\n"
		"batch.set(pinned); copied.record()",
	    [XS_LANGUAGE_NUMBA] = "numpy.concatenate(parts, out=ary)  # ary = "
				  "cuda.pinned_array(...), once\n"
				  "batch.copy_to_device(ary, stream=s)",
	},
};
