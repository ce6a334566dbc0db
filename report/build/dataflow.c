/* SPDX-License-Identifier: MIT */
/* Who needs what in the leading phase, and the least time of a round if only
 * this orders its work. */
#include "report/build/build.h"

#include "analyzer/dataflow/dataflow.h"
#include "analyzer/read/names.h"
#include "analyzer/symbols/symbols.h"
#include "analyzer/util/memory.h"
#include "report/result/site.h"

#include <stdlib.h>
#include <string.h>

enum {
	WHY_UNFOLLOWED = XS_POINTERS_REASONS, /* plus enum xs_unfollowed */
	WHY_GRAPH = WHY_UNFOLLOWED + XS_UNFOLLOWED_REASONS,
	WHY_UNRECORDED,
	WHY_COPY,
	FLOW_WHYS
};

struct builder {
	struct xs_result *result;
	const struct xs_trace *trace;
	const struct xs_dataflow *flow;
	struct xs_result_dataflow *out;
	struct xs_result_site *
	    *sites;	   /* by site of the trace; NULL: not built */
	uint32_t *numbers; /* of memory, by the call that allocated it; 0: none
			    */
	uint32_t memories;
	int64_t unknown[FLOW_WHYS]; /* ops, by why_unknown() */
};

static const struct xs_result_site *site_of(struct builder *b, uint32_t index)
{
	struct xs_result_site **site = &b->sites[index];

	if (!*site) {
		*site = xs_arena_alloc(&b->result->arena, 1, sizeof(**site));
		if (*site)
			xs_build_site(b->result, b->trace, index, *site);
	}
	return *site;
}

static const char *kernel_of(struct builder *b, const struct xs_op *op)
{
	const struct xs_trace *trace = b->trace;
	const char *short_name = NULL;
	char *name = NULL;

	if (op->kind == XS_OP_KERNEL && op->shape < trace->shape_count &&
	    trace->shapes[op->shape].name < trace->string_count)
		name = xs_symbols_demangle(
		    trace->strings[trace->shapes[op->shape].name]);
	if (name) /* of templates, it begins with the type */
		short_name = xs_arena_copy(
		    &b->result->arena,
		    xs_result_function_name(
			&b->result->arena,
			name + (strncmp(name, "void ", 5) ? 0 : 5)));
	free(name);
	return short_name;
}

static int64_t number_of(struct builder *b, uint32_t call)
{
	if (call == XS_NONE)
		return XS_UNKNOWN;
	if (!b->numbers[call])
		b->numbers[call] = ++b->memories;
	return b->numbers[call];
}

static void add_accesses(struct builder *b, const struct xs_flow_op *in,
			 const struct xs_op *op, struct xs_result_flow_op *out)
{
	XS_ARENA_NEW(&b->result->arena, out->accesses, in->access_count);
	for (uint32_t i = 0; out->accesses && i < in->access_count; i++) {
		const uint32_t at = in->first_access + i;
		const struct xs_flow_access *access = &b->flow->accesses[at];
		const uint32_t call = b->flow->memories[at];
		const uint8_t memory =
		    access->writes ? op->dst_memory : op->src_memory;
		const bool outside = !access->begin;
		const uint64_t base =
		    call == XS_NONE ? 0 : b->trace->calls[call].dst;

		out->accesses[out->access_count++] = (struct xs_result_access){
		    .memory = number_of(b, call),
		    .device =
			call == XS_NONE &&
			(outside || op->kind == XS_OP_SET ||
			 memory == XS_MEM_DEVICE || memory == XS_MEM_MANAGED ||
			 memory == XS_MEM_ARRAY),
		    .offset = outside ? XS_UNKNOWN
				      : xs_number_bounded(access->begin - base),
		    .bytes = outside ? XS_UNKNOWN
				     : xs_number_bounded(access->end -
							 access->begin),
		    .reads = access->reads,
		    .writes = access->writes};
	}
}

#define UNALLOCATED " that no recorded call allocated"

static const char *const whys[FLOW_WHYS] = {
    [XS_POINTERS_NO_LAYOUT] = "with parameters whose places are not known",
    [XS_POINTERS_TOO_MANY] = "with more addresses than are kept, or beside "
			     "memory of an unknown size",
    [XS_POINTERS_TABLE] =
	"with memory that holds, or may hold, addresses (a table)",
    [XS_POINTERS_ALIAS] = "with memory mapped at two addresses",
    [XS_POINTERS_OBJECT] = "with a texture or surface",
    [XS_POINTERS_VARIABLE] = "beside addresses in a __device__ variable or "
			     "other memory" UNALLOCATED,
    [XS_POINTERS_MANAGED] =
	"with managed memory, where the host may have written addresses",
    [WHY_UNFOLLOWED] = "with memory" UNALLOCATED
		       ", or that has what a function of the host may have "
		       "written",
    [WHY_UNFOLLOWED + XS_UNFOLLOWED_OP] = "beside GPU work without a call",
    [WHY_UNFOLLOWED + XS_UNFOLLOWED_LOSS] = "of a trace that lost calls",
    [WHY_GRAPH] = "of graphs",
    [WHY_UNRECORDED] = "without their pointers (XFERSPY_DATAFLOW=all records "
		       "them)",
    [WHY_COPY] = "of several ranges or of an unknown address, or behind a "
		 "function of the host"};

/* Why the memory of an op is unknown: enum xs_pointers_known, or one of the
 * above. */
static unsigned why_unknown(const struct xs_trace *trace,
			    enum xs_unfollowed unfollowed,
			    const struct xs_op *op)
{
	const size_t at = xs_trace_first_pointers(trace, op->call);

	if (op->flags & XS_OP_GRAPH)
		return WHY_GRAPH;
	if (op->kind != XS_OP_KERNEL)
		return WHY_COPY;
	if (at == trace->pointers_count || trace->pointers[at].call != op->call)
		return WHY_UNRECORDED;
	if (trace->pointers[at].known == XS_POINTERS_ALL)
		return WHY_UNFOLLOWED + unfollowed;
	return trace->pointers[at].known < XS_POINTERS_REASONS
		   ? trace->pointers[at].known
		   : XS_POINTERS_TOO_MANY;
}

static const char *noun(unsigned why, bool many)
{
	static const char *const nouns[][2] = {
	    {"launch", "launches"}, {"op", "ops"}, {"copy", "copies"}};

	return nouns[why == WHY_GRAPH ? 1 : why == WHY_COPY ? 2 : 0][many];
}

static void add_reasons(struct builder *b)
{
	struct xs_arena *arena = &b->result->arena;
	struct xs_result_dataflow *out = b->out;

	XS_ARENA_NEW(arena, out->reasons, FLOW_WHYS);
	for (unsigned i = 0; out->reasons && i < FLOW_WHYS; i++)
		if (b->unknown[i])
			out->reasons[out->reason_count++] =
			    (struct xs_result_flow_reason){
				b->unknown[i],
				xs_print(arena, "%s %s",
					 noun(i, b->unknown[i] != 1), whys[i])};
	out->unrecorded = b->unknown[WHY_UNRECORDED];
}

static void add_op(struct builder *b, uint32_t at, uint64_t from_ns)
{
	const struct xs_flow_op *in = &b->flow->flow_ops[at];
	const struct xs_op *op = &b->trace->ops[b->flow->ops[at]];
	struct xs_result_flow_op *out = &b->out->ops[b->out->op_count++];

	*out = (struct xs_result_flow_op){
	    .kind = xs_name_op(op->kind),
	    .kernel = kernel_of(b, op),
	    .site = site_of(b, b->trace->calls[op->call].site),
	    .stream = op->queue,
	    .start_ns = op->start_ns > from_ns
			    ? xs_number_bounded(op->start_ns - from_ns)
			    : 0,
	    .duration_ns = op->end_ns > op->start_ns
			       ? xs_number_bounded(op->end_ns - op->start_ns)
			       : 0,
	    .bytes = op->kind == XS_OP_KERNEL ? XS_UNKNOWN
					      : xs_number_bounded(op->bytes),
	    .unknown = in->unknown};
	b->out->unknown += in->unknown;
	if (in->unknown)
		b->unknown[why_unknown(b->trace, b->flow->unfollowed, op)]++;
	add_accesses(b, in, op, out);
}

static void add_edges(struct builder *b)
{
	const struct xs_flow *flow = &b->flow->flow;

	XS_ARENA_NEW(&b->result->arena, b->out->edges, flow->count);
	for (size_t i = 0; b->out->edges && i < flow->count; i++) {
		const struct xs_flow_edge *edge = &flow->edges[i];

		b->out->edges[b->out->edge_count++] =
		    (struct xs_result_flow_edge){edge->from, edge->to,
						 edge->kind};
	}
}

static int64_t of_a_round(uint64_t ns, const struct xs_phase *phase)
{
	return xs_number_bounded(ns / phase->sample_rounds);
}

/* Of the rounds shown, untraced, with the time between them. */
static void add_bound(struct builder *b, const struct xs_phase *phase,
		      const struct xs_dataflow_bound *bound)
{
	struct xs_result_dataflow *out = b->out;
	const struct {
		int64_t *part;
		uint64_t ns;
		const char *name;
	} parts[] = {{&out->path_ns, bound->path_ns, "dependencies"},
		     {&out->in_ns, bound->in_ns, "copies in"},
		     {&out->kernel_ns, bound->kernel_ns, "kernels"},
		     {&out->out_ns, bound->out_ns, "copies out"}};

	out->bound_ns = of_a_round(xs_dataflow_least_ns(bound), phase);
	out->others = b->flow->op_count > phase->sample_ops;
	out->round_ns =
	    of_a_round(phase->sample_to_ns - phase->sample_from_ns, phase) -
	    b->result->phases[phase->id - 1].tracer_ns;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		*parts[i].part = of_a_round(parts[i].ns, phase);
		if (!out->limit && *parts[i].part == out->bound_ns)
			out->limit = parts[i].name;
	}
}

static void fill(struct builder *b, const struct xs_phase *phase)
{
	struct xs_result_dataflow *out = b->out;
	struct xs_dataflow_bound bound;

	b->sites = xs_calloc(b->trace->site_count + 1,
			     sizeof(struct xs_result_site *));
	b->numbers = xs_calloc(b->trace->call_count + 1, sizeof(*b->numbers));
	XS_ARENA_NEW(&b->result->arena, out->ops, b->flow->op_count);
	out->rounds = phase->sample_rounds;
	out->from_ns =
	    phase->sample_from_ns > b->trace->begin_ns
		? xs_number_bounded(phase->sample_from_ns - b->trace->begin_ns)
		: 0;
	for (uint32_t i = 0; i < b->flow->op_count; i++)
		add_op(b, i, phase->sample_from_ns);
	add_reasons(b);
	add_edges(b);
	xs_dataflow_bound(b->trace, phase->device, b->flow, &bound);
	add_bound(b, phase, &bound);
}

/* Returns the longest phase of repeated rounds in the steady part, or else the
 * longest one. */
static const struct xs_phase *leading_phase(const struct xs_result *result,
					    const struct xs_phases *phases)
{
	for (size_t i = 0; i < result->phase_count; i++)
		if (!result->phases[i].apart && phases->items[i].rounds > 1)
			return &phases->items[i];
	return phases->count ? &phases->items[0] : NULL;
}

/* Which of the conditions for pointers of launches failed. */
static const char *failed_condition(struct xs_result *result,
				    const struct xs_trace *trace)
{
	const struct xs_result_coverage *coverage = &result->coverage;
	const char *driver = xs_trace_find_info(trace, "driver");
	const char *range = xs_trace_find_info(trace, "range");
	const char *recorder = result->run.recorder;
	const char *source = coverage->timing_source;
	struct xs_arena *arena = &result->arena;

	if (source && strcmp(source, "callbacks") != 0)
		return xs_print(arena,
				"that takes CUPTI's callbacks, and GPU times "
				"are from %s",
				source);
	if (coverage->mode && strcmp(coverage->mode, "light") == 0)
		return "that takes a recording of the whole run, and the mode "
		       "was light";
	if (range)
		return xs_print(arena,
				"that takes a recording of the whole run, and "
				"XFERSPY_RANGE was %s",
				range);
	if (driver && strtod(driver, NULL) < 12.4)
		return xs_print(arena,
				"that takes a driver of CUDA 12.4 or later, "
				"not %s",
				driver);
	if (recorder && strncmp(recorder, "0.1.", 4) == 0)
		return xs_print(arena,
				"xferspy %s did not record it; record "
				"again",
				recorder);
	return "record again without XFERSPY_DATAFLOW=off and XFERSPY_MAX_SIZE";
}

static const char *why_no_pointers(struct xs_result *result,
				   const struct xs_trace *trace,
				   const struct xs_phase *phase)
{
	if (result->coverage.imported)
		return "cannot, because the imported file does not tell what "
		       "memory kernels were given";
	if (!phase->kernel_ops)
		return "no kernel ran in the longest phase";
	if (trace->pointers_count)
		return "no round of the longest phase has the pointers of all "
		       "its launches: record again with XFERSPY_DATAFLOW=all";
	return xs_print(&result->arena,
			"not known what memory kernels were given: %s",
			failed_condition(result, trace));
}

void xs_build_dataflow(struct xs_result *result, const struct xs_trace *trace,
		       const struct xs_phases *phases)
{
	const struct xs_phase *phase = leading_phase(result, phases);
	struct xs_dataflow flow = {0};
	struct builder b = {.result = result, .trace = trace, .flow = &flow};

	result->dataflow = b.out =
	    xs_arena_alloc(&result->arena, 1, sizeof(*b.out));
	b.out->phase = phase ? phase->id : XS_UNKNOWN;
	if (!phase || !phase->sample_rounds) {
		b.out->missing = phase ? why_no_pointers(result, trace, phase)
				       : "there is no phase";
		return;
	}
	if (xs_dataflow_build(trace, phase->sample_from_ns, phase->sample_to_ns,
			      NULL, &flow)) {
		b.out->missing = "a round has too many ops or dependencies";
		return;
	}
	fill(&b, phase);
	free(b.sites);
	free(b.numbers);
	xs_dataflow_free(&flow);
}
