/* SPDX-License-Identifier: MIT */
/*
 * graph: the longest run of kernels without a copy in or out or a wait of the
 * host is captured once and launched as one graph in each round, and in place
 * of equal runs of it. Of a loop of launches within the only round, a part is.
 * Replays the record with one call for a run. Its ops keep their times and
 * their order; between two kernels is the gap that graphs have.
 */
#include "model/strategies/between_programs.h"
#include "model/strategies/strategy.h"

#include <math.h>

/* The steps of a round that become a graph. */
struct run {
	size_t first, end; /* end: the step after the last one */
	unsigned nodes;
	unsigned equal; /* runs of the round that are equal to it, and it */
	bool nested;	/* some call of it issues several ops, as graphs do */
	bool loops;	/* the runs equal to it follow each other directly */
};

static bool is_op(const struct xs_step *step)
{
	return step->kind < XS_STEP_SYNC_DEVICE;
}

/* Returns whether the step may become part of the graph. Copies in and out do
 * not: on an H100 each copy costs the launch of a graph as much as a call of
 * its own. */
static bool can_capture(const struct xs_step *step)
{
	return step->kind == XS_STEP_KERNEL ||
	       ((step->kind == XS_STEP_SET || step->kind == XS_STEP_D2D) &&
		!step->blocking) ||
	       step->kind == XS_STEP_EVENT_RECORD ||
	       step->kind == XS_STEP_STREAM_WAIT;
}

/* Returns the run from a step on, to before `end` at most. */
static struct run run_from(const struct xs_phase *phase, size_t first,
			   size_t end)
{
	struct run run = {.first = first, .end = first};
	const struct xs_step *steps = phase->steps;

	for (size_t i = first; i < end; i++) {
		if (!can_capture(&steps[i]) ||
		    steps[i].thread != steps[first].thread)
			break;
		run.nodes += is_op(&steps[i]);
		run.nested |= is_op(&steps[i]) && steps[i].return_ns > 0 &&
			      steps[i].call_ns == steps[i].return_ns;
		run.end = i + 1;
	}
	return run;
}

/* Stores the next run from step *i on, and where to look for the one after it.
 * Returns whether there is one. */
static bool next_run(const struct xs_phase *phase, size_t *i, struct run *run)
{
	if (*i >= phase->step_count)
		return false;
	*run = run_from(phase, *i, phase->step_count);
	*i = run->end > *i ? run->end : *i + 1;
	return true;
}

static size_t length(const struct run *run)
{
	return run->end - run->first;
}

static bool are_same(const struct xs_step *x, const struct xs_step *y)
{
	return x->kind == y->kind && x->shape == y->shape &&
	       x->bytes == y->bytes;
}

/* Whether one graph does for both runs. */
static bool are_equal(const struct xs_phase *phase, const struct run *a,
		      const struct run *b)
{
	bool equal = length(a) == length(b);

	for (size_t i = 0; equal && i < length(a); i++)
		equal = are_same(&phase->steps[a->first + i],
				 &phase->steps[b->first + i]);
	return equal;
}

/* Of a loop: steps of an iteration, and of all of them; if a step takes longer,
 * the host's calls are not the limit. */
#define MOST_PERIOD  256
#define LEAST_LOOP   100
#define MOST_STEP_NS 20000

/* Steps that are the same as those one iteration later. */
struct loop {
	size_t first, end, period;
};

static bool repeats(const struct xs_step *step, size_t period)
{
	return are_same(step, step + period) &&
	       step->queue == step[period].queue;
}

/* Returns the longest loop that one of the run's quarters begins in; without
 * one, few steps. */
static struct loop loop_of(const struct xs_phase *phase, const struct run *run)
{
	const struct xs_step *steps = phase->steps;
	struct loop longest = {0};

	for (size_t i = 0; i < 4 * MOST_PERIOD; i++) {
		const size_t from = run->first + i % 4 * (length(run) / 4);
		const size_t period = i / 4 + 1;
		struct loop loop = {from, from, period};

		while (loop.first > run->first &&
		       loop.first - 1 + period < run->end &&
		       repeats(&steps[loop.first - 1], period))
			loop.first--;
		while (loop.end + period < run->end &&
		       repeats(&steps[loop.end], period))
			loop.end++;
		if (loop.end - loop.first > longest.end - longest.first)
			longest = loop;
		if (longest.end - longest.first > length(run) / 2)
			break;
	}
	return longest;
}

/* Reduces the run to iterations of a loop in it, if it has one: about as many
 * nodes as launches of the graph, since each costs. After an even number of
 * iterations, buffers that change places are where they were. */
static void cut_loop(const struct xs_phase *phase, struct run *run)
{
	const struct xs_step *steps = phase->steps;
	const struct loop loop = loop_of(phase, run);
	const size_t count = loop.end + loop.period - loop.first;
	const size_t two = 2 * loop.period; /* iterations */
	struct run cut;

	if (count < LEAST_LOOP || count < 2 * two ||
	    steps[loop.end].return_ns - steps[loop.first].call_ns >
		(loop.end - loop.first) * MOST_STEP_NS)
		return;
	cut = run_from(phase, loop.first,
		       loop.first +
			   two * (size_t)fmax(1, round(sqrt((double)count) /
						       (double)two)));
	if (cut.nodes < 2)
		return;
	*run = cut;
	run->equal = (unsigned)(count / length(run));
	run->loops = true;
}

/* Returns the first run that the graph stands for. */
static struct run graph_of(const struct xs_phase *phase)
{
	struct run longest = {0}, run;

	for (size_t i = 0; next_run(phase, &i, &run);)
		if (run.nodes > longest.nodes)
			longest = run;
	for (size_t i = 0; next_run(phase, &i, &run);)
		longest.equal += are_equal(phase, &run, &longest);
	if (phase->rounds == 1 && longest.equal == 1)
		cut_loop(phase, &longest);
	return longest;
}

/* Turns a step of the run into a node, issued by the run's first call. */
static void make_node(const struct xs_machine *machine,
		      const struct xs_step *step, struct xs_action *action)
{
	if (!is_op(step))
		action->call_ns = 0;
	if (action->kind != XS_ACTION_OP)
		return;
	action->call_ns = 0;
	action->issue_lag_ns = xs_or_zero(machine->graph_latency_ns.value);
	if (step->kind == XS_STEP_KERNEL)
		action->dep_lag_ns = fmin(action->dep_lag_ns,
					  fmax(machine->graph_gap_ns.value -
						   xs_kernel_edges_ns(machine),
					       0));
}

/* What remains of the host's work between the calls of the run comes before the
 * launch: in a loop, which may also be of a program's start, all of it. */
static void launch(const struct xs_strategy_case *c,
		   const struct xs_machine *machine, const struct run *run,
		   struct xs_plan *plan)
{
	double work_ns = 0,
	       call_ns = machine->graph_launch_ns.value +
			 run->nodes * machine->graph_launch_node_ns.value;

	for (size_t i = run->first; i < run->end; i++) {
		if (i > run->first)
			work_ns += xs_action_take_work(
			    &plan->actions[i], c->keeps_work || run->loops);
		if (c->phase->steps[i].kind == XS_STEP_D2D)
			call_ns += plan->actions[i].call_ns;
		make_node(machine, &c->phase->steps[i], &plan->actions[i]);
	}
	plan->actions[run->first].call_ns = call_ns;
	plan->actions[run->first].issue_lag_ns += call_ns;
	plan->actions[run->first].gap_ns += work_ns;
}

static void build_plan(const struct xs_strategy_case *c,
		       const struct xs_estimate *row,
		       const struct xs_scenario *scenario, struct xs_plan *plan)
{
	const struct run graph = graph_of(c->phase);
	struct run run = graph;

	xs_plan_recorded(c, scenario, plan);
	(void)row;
	for (unsigned i = 0; graph.loops && i < graph.equal; i++) {
		launch(c, &scenario->machine, &run, plan);
		run.first = run.end;
		run.end += length(&graph);
	}
	for (size_t i = 0; !graph.loops && next_run(c->phase, &i, &run);)
		if (are_equal(c->phase, &run, &graph))
			launch(c, &scenario->machine, &run, plan);
}

/* Whether the round has a copy or a wait of the host, in a capture an error. */
static bool stays_outside(const struct xs_phase *phase, const struct run *run)
{
	for (size_t i = 0; i < phase->step_count; i++)
		if ((i < run->first || i >= run->end) &&
		    !can_capture(&phase->steps[i]))
			return true;
	return false;
}

static bool abstains(const struct xs_strategy_case *c, const struct run *run,
		     struct xs_estimate *row, struct xs_estimates *out)
{
	return xs_abstain_without_needs(c, row, out) ||
	       xs_abstain_if(c->phase->rounds < 2 && run->equal < 2, row, out,
			     "only one round was seen, without launches that "
			     "repeat often: a graph is made once and launched "
			     "many times") ||
	       xs_abstain_if(
		   xs_rounds_are_concurrent((double)c->phase->concurrent_ns,
					    (double)c->phase->total_ns),
		   row, out,
		   "rounds of other threads or GPUs run "
		   "beside it: between its calls, the "
		   "host may wait for theirs") ||
	       xs_abstain_if(run->nested, row, out,
			     "one call of the round issues "
			     "several ops, as a graph does") ||
	       xs_abstain_if(run->nodes < 2, row, out,
			     "no two kernels follow each other "
			     "without a copy or a wait of the host");
}

static double instantiation_ns(const struct xs_strategy_case *c, double nodes)
{
	return c->machine->graph_instantiate_ns.value +
	       nodes * c->machine->graph_instantiate_node_ns.value;
}

/* Adds the capture to the setup: the host issues the run, with its work between
 * the calls, once more than the rounds do. */
static void add_capture(const struct xs_strategy_case *c, const struct run *run,
			struct xs_estimate *row)
{
	const struct xs_scenario usual = {
	    .machine = *c->machine, .kernel_scale = 1, .host_scale = 1};
	struct xs_plan plan = {0};

	xs_plan_recorded(c, &usual, &plan);
	for (size_t i = run->first; i < run->end; i++)
		row->setup_ns += plan.actions[i].call_ns +
				 (i > run->first ? plan.actions[i].gap_ns : 0);
	xs_plan_free(&plan);
}

static void build(const struct xs_strategy_case *c, struct xs_estimates *out)
{
	const struct run run = graph_of(c->phase);
	const struct xs_machine *m = c->machine;
	struct xs_estimate row = xs_estimate_init(c);
	char launches[32] = "";

	row.quiet = true;
	if (abstains(c, &run, &row, out))
		return;
	row.quiet = false;
	row.other_advice = run.loops;
	if (run.loops)
		row.bound = "each launch has the arguments of the one two "
			    "iterations before, so that two buffers may change "
			    "places, or the graph is updated";
	xs_estimate_assume(&row, run.loops
				     ? row.bound
				     : "kernels, sizes and addresses are the "
				       "same in each round, or the graph is "
				       "updated");
	xs_estimate_add_setup(c, instantiation_ns, run.nodes, &row);
	if (stays_outside(c->phase, &run))
		xs_estimate_assume(&row,
				   "copies in and out and waits of the host, "
				   "such as .item(), stay outside the capture");
	add_capture(c, &run, &row);
	xs_estimate_replay(c, build_plan, &row);
	if (!run.loops)
		xs_estimate_only_issues(c, build_plan, &row);
	if (run.equal > 1)
		snprintf(launches, sizeof(launches), " (%u launches a round)",
			 run.equal);
	snprintf(row.why, sizeof(row.why),
		 "one launch of a graph of %u nodes takes the host %.0f ns%s",
		 run.nodes,
		 m->graph_launch_ns.value +
		     run.nodes * m->graph_launch_node_ns.value,
		 launches);
	xs_estimates_add(out, &row);
}

const struct xs_strategy xs_strategy_graph = {
    .id = "graph",
    .effort = XS_EFFORT_PLACE,
    .needs = XS_NEEDS_STEPS | XS_NEEDS_GPU_TIMES,
    .changes = XS_CHANGES_LAUNCHES,
    .check = XS_CHECK_NONE,
    .error = XS_ERROR_as_is, /* keeps pageable copies */
    .keeps_allocations = true,
    .changes_launches = true,
    .keeps_copies = true,
    .build = build,
    .first = "launch each round of {places} as one graph",
    .advice = "Capture the launches of a round once (cudaStreamBeginCapture), "
	      "of {places}, and launch them as one graph in each round: {why}.",
    .other_first = "launch the loop of {places} as graphs of many launches",
    .other_advice = "Capture some iterations of the loop of {places} once "
		    "(cudaStreamBeginCapture), and launch them as one graph in "
		    "place of as many: {why}.",
    .code =
	{
	    [XS_LANGUAGE_CUDA] =
		"cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal); "
		"// once\n"
		"cudaStreamEndCapture(s, &graph), cudaGraphInstantiate(&exec, "
		"graph, 0);\n"
		"cudaGraphLaunch(exec, s); // in place of these launches",
	    [XS_LANGUAGE_PYTORCH] =
		"with torch.cuda.graph(graph):  # graph = "
		"torch.cuda.CUDAGraph(), once\n"
		"    out = step(fixed_input)  # without .item(), .cpu()\n"
		"fixed_input.copy_(batch), graph.replay()  # each round; "
		".item() after",
	    [XS_LANGUAGE_JAX] = "step = jax.jit(step)  # once: one computation "
				"of all operations",
	    [XS_LANGUAGE_CUPY] = "stream.begin_capture()  # once, around the "
				 "kernels of a round\n"
				 "graph = stream.end_capture()\n"
				 "graph.launch(stream)  # in each round",
	},
};
