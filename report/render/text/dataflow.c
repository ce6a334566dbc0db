/* SPDX-License-Identifier: MIT */
/* --dataflow: the ops of some rounds, and what each of them follows. */
#include "report/render/text/sections.h"

#include "report/result/site.h"

#include <inttypes.h>
#include <string.h>

/* Ops printed, unless all is asked for. */
#define OPS_MAX 20u
/* Characters of a kernel's name: other columns need space. */
#define KERNEL_MAX 36
/* Ops, or parts of memory, named in one list. */
#define NAMED_MAX 8u

/* Of two kernels, the second may only write what it is given. */
#define SHOWN_KINDS (XS_RESULT_FLOW_KINDS + 1)

static const char *const kind_words[SHOWN_KINDS][2] = {
    {"need", "true dependencies"},
    {"may need", "true ones if the second kernel reads what it is given"},
    {"reuse", "for reuse of a buffer"},
    {"unknown", "of unknown memory"},
    {"stream", "by the stream alone"},
    {"host", "by the host's wait alone"}};

static int shown_kind(const struct xs_result_dataflow *flow, size_t edge)
{
	const struct xs_result_flow_edge *e = &flow->edges[edge];

	return e->kind ? e->kind + 1
		       : flow->ops[e->from].bytes == XS_UNKNOWN &&
			     flow->ops[e->to].bytes == XS_UNKNOWN;
}

/* "4 MiB of m1", "4 MiB of m1 at 8 MiB", "4 MiB of the host" */
static const char *memory(struct xs_arena *arena,
			  const struct xs_result_access *access)
{
	const char *size = xs_units_bytes(access->bytes).s;

	if (access->bytes == XS_UNKNOWN)
		return "memory that no recorded call allocated";
	if (access->memory == XS_UNKNOWN)
		return xs_print(arena, "%s of the %s", size,
				access->device ? "device" : "host");
	if (access->offset == 0)
		return xs_print(arena, "%s of m%" PRId64, size, access->memory);
	return xs_print(arena, "%s of m%" PRId64 " at %s", size, access->memory,
			xs_units_bytes(access->offset).s);
}

/* "a, b and 3 more", from the first ones of a list. */
static const char *shortened(struct xs_arena *arena, const char *list,
			     size_t count)
{
	return count > NAMED_MAX
		   ? xs_print(arena, "%s and %zu more", list, count - NAMED_MAX)
		   : list;
}

/* The memory that the op reads, writes, or both. */
static const char *accesses(struct xs_arena *arena,
			    const struct xs_result_flow_op *op)
{
	static const char *const words[] = {NULL, "reads", "writes",
					    "may read or write"};
	const char *text = NULL;

	for (unsigned how = 1; how < 4; how++) {
		const char *list = NULL;
		size_t count = 0;

		for (size_t i = 0; i < op->access_count; i++)
			if (how == (op->accesses[i].reads ? 1u : 0u) +
				       (op->accesses[i].writes ? 2u : 0u) &&
			    count++ < NAMED_MAX)
				list = xs_arena_join(
				    arena, list,
				    memory(arena, &op->accesses[i]));
		if (list)
			text = xs_print(arena, "%s%s%s %s", text ? text : "",
					text ? "; " : "", words[how],
					shortened(arena, list, count));
	}
	if (op->unknown)
		text = xs_print(arena, "%s%sany memory", text ? text : "",
				text ? "; " : "");
	return text ? text : "no memory";
}

/* "\nfollows 0, 1 (need), 3 (reuse)". *edge: the op's first edge; becomes the
 * next op's. */
static const char *follows(struct xs_arena *arena,
			   const struct xs_result_dataflow *flow, size_t op,
			   size_t *edge)
{
	const size_t first = *edge;
	const char *text = NULL;

	while (*edge < flow->edge_count && flow->edges[*edge].to == (int64_t)op)
		++*edge;
	for (int kind = 0; kind < SHOWN_KINDS; kind++) {
		const char *list = NULL;
		size_t count = 0;

		for (size_t i = first; i < *edge; i++)
			if (shown_kind(flow, i) == kind && count++ < NAMED_MAX)
				list = xs_arena_join(
				    arena, list,
				    xs_print(arena, "%" PRId64,
					     flow->edges[i].from));
		if (list)
			text = xs_print(
			    arena, "%s%s (%s)",
			    text ? xs_print(arena, "%s, ", text) : "\nfollows ",
			    shortened(arena, list, count), kind_words[kind][0]);
	}
	return text ? text : "";
}

static void put_op(struct xs_text_table *table, struct xs_arena *arena,
		   const struct xs_result_flow_op *op, size_t index)
{
	XS_TEXT_ROW(table, xs_units_count((int64_t)index).s, op->kind,
		    op->kernel ? xs_print(arena, "%.*s", KERNEL_MAX, op->kernel)
			       : xs_units_bytes(op->bytes).s,
		    xs_units_count(op->stream).s, xs_units_ns(op->start_ns).s,
		    xs_units_ns(op->duration_ns).s);
}

static void put_ops(const struct xs_terminal *terminal,
		    struct xs_result *result)
{
	static const struct xs_text_heading headings[] = {
	    {"op", XS_RIGHT | XS_BOLD},
	    {"kind", XS_PLAIN},
	    {"", XS_PLAIN},
	    {"stream", XS_RIGHT},
	    {"start", XS_RIGHT},
	    {"takes", XS_RIGHT}};
	const struct xs_result_dataflow *flow = result->dataflow;
	struct xs_arena *arena = &result->arena;
	const size_t count = result->all_asked || flow->op_count < OPS_MAX
				 ? flow->op_count
				 : OPS_MAX;
	const char **notes = xs_arena_alloc(arena, count + 1, sizeof(*notes));
	struct xs_text_table table;
	size_t edge = 0;

	xs_text_table_begin(&table, terminal, headings, 6);
	for (size_t i = 0; i < count; i++) {
		const struct xs_result_site *site = flow->ops[i].site;

		put_op(&table, arena, &flow->ops[i], i);
		notes[i] =
		    xs_print(arena, "%s%s%s%s",
			     site ? xs_result_site_label(arena, site) : "",
			     site ? ": " : "", accesses(arena, &flow->ops[i]),
			     follows(arena, flow, i, &edge));
	}
	xs_text_table_end(&table, notes, 6);
}

/* "12 need what an earlier one wrote, ..." */
static const char *edges(struct xs_result *result)
{
	const struct xs_result_dataflow *flow = result->dataflow;
	size_t counts[SHOWN_KINDS] = {0};
	const char *list = NULL;

	for (size_t i = 0; i < flow->edge_count; i++)
		counts[shown_kind(flow, i)]++;
	for (int kind = 0; kind < SHOWN_KINDS; kind++)
		if (counts[kind])
			list = xs_arena_join(
			    &result->arena, list,
			    xs_print(&result->arena, "%zu %s (%s)",
				     counts[kind], kind_words[kind][1],
				     kind_words[kind][0]));
	return list ? list : "none";
}

/* " (3 launches of graphs, 1 copy ...)" */
static const char *reasons(struct xs_arena *arena,
			   const struct xs_result_dataflow *flow)
{
	const char *list = NULL;

	for (size_t i = 0; i < flow->reason_count; i++)
		list = xs_arena_join(arena, list,
				     xs_print(arena, "%" PRId64 " %s",
					      flow->reasons[i].ops,
					      flow->reasons[i].why));
	return list ? xs_print(arena, " (%s)", list) : "";
}

static void put_summary(const struct xs_terminal *terminal,
			struct xs_result *result)
{
	const struct xs_result_dataflow *flow = result->dataflow;
	const struct xs_result_phase *phase = &result->phases[flow->phase - 1];
	struct xs_arena *arena = &result->arena;

	xs_terminal_wrapf(
	    terminal, XS_PLAIN, "  ",
	    "Phase %" PRId64 ", %" PRId64
	    " of its rounds, from %s of the run on: %zu ops, %" PRId64
	    " of them of unknown memory%s. Orders: %s.",
	    flow->phase, flow->rounds, xs_units_ns(flow->from_ns).s,
	    flow->op_count, flow->unknown, reasons(arena, flow), edges(result));
	xs_terminal_wrapf(terminal, XS_BOLD, "  ",
			  "Rounds independent: %s (%s).", phase->independent,
			  phase->task_class_why);
	xs_terminal_wrapf(
	    terminal, XS_BOLD, "  ",
	    "A round%s %s, and at least %s if only data orders %s: %s "
	    "are the limit.",
	    flow->others ? " and the other work until the next one take"
			 : ", with the time until the next one, takes",
	    xs_units_ns(flow->round_ns).s, xs_units_ns(flow->bound_ns).s,
	    flow->others ? "them" : "it", flow->limit);
	xs_terminal_wrapf(
	    terminal, XS_DIM, "  ",
	    "Dependencies take %s a round, copies in %s, copies out %s; "
	    "kernels would fill all SMs for %s. Not seen: what the host "
	    "computes from results, addresses that kernels write or "
	    "that are rare in large copies, and __device__ variables that "
	    "no copy reads. A kernel may only write what it seems to "
	    "read.",
	    xs_units_ns(flow->path_ns).s, xs_units_ns(flow->in_ns).s,
	    xs_units_ns(flow->out_ns).s, xs_units_ns(flow->kernel_ns).s);
}

void xs_render_text_dataflow(const struct xs_terminal *terminal,
			     struct xs_result *result)
{
	const struct xs_result_dataflow *flow = result->dataflow;

	xs_terminal_heading(terminal, "Dataflow",
			    "which op needs what another one wrote");
	if (flow->missing) {
		xs_terminal_wrap(terminal, XS_PLAIN, "  ", flow->missing);
		return;
	}
	put_summary(terminal, result);
	put_ops(terminal, result);
	if (!result->all_asked && flow->op_count > OPS_MAX)
		xs_terminal_print(terminal, XS_DIM,
				  "  %zu more ops (--all, --format json)\n",
				  flow->op_count - OPS_MAX);
}
