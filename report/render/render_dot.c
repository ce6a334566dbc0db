/* SPDX-License-Identifier: MIT */
/* --format dot: the dataflow as graphs for Graphviz, a box for each op. */
#include "analyzer/util/escape.h"
#include "report/render/renderer.h"
#include "report/result/site.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* Between quotes, \" and \\ are escapes. */
static void put_text(const char *text, FILE *out)
{
	for (size_t length; *text; text += length) {
		length = strcspn(text, "\"\\");
		xs_escape_write(text, length, "", out);
		if (text[length]) {
			fprintf(out, "\\%c", text[length]);
			length++;
		}
	}
}

static void put_op(struct xs_arena *arena, const struct xs_result_flow_op *op,
		   size_t index, FILE *out)
{
	const char *place =
	    op->site ? xs_result_site_label(arena, op->site) : NULL;

	fprintf(out, "  %zu [label=\"%zu %s ", index, index, op->kind);
	put_text(op->kernel ? op->kernel : xs_units_bytes(op->bytes).s, out);
	fputs("\\n", out);
	put_text(place ? place : "", out);
	fprintf(out, "\\nstream %" PRId64 ", %s\"%s];\n", op->stream,
		xs_units_ns(op->duration_ns).s,
		op->unknown ? ", style=dotted" : "");
}

static void put_edge(const struct xs_result_flow_edge *edge, FILE *out)
{
	static const char *const styles[XS_RESULT_FLOW_KINDS] = {
	    "penwidth=2", "color=orange", "style=dotted", "color=gray",
	    "color=gray, style=dashed"};

	fprintf(out, "  %" PRId64 " -> %" PRId64 " [%s, tooltip=\"%s\"];\n",
		edge->from, edge->to, styles[edge->kind],
		xs_result_flow_kind(edge->kind));
}

static void put_graph(struct xs_result *result, FILE *out)
{
	const struct xs_result_dataflow *flow = result->dataflow;

	fputs("digraph \"", out);
	put_text(result->run.path ? result->run.path : "", out);
	fputs("\" {\n  node [shape=box];\n  label=\"", out);
	if (flow->missing)
		put_text(flow->missing, out);
	else
		fprintf(out,
			"phase %" PRId64 ": a round takes %s, at least %s\\n"
			"bold: needs what it wrote, orange: reuses its buffer, "
			"dotted: unknown,\\ngray: only the stream's order, "
			"dashed: only the host's wait",
			flow->phase, xs_units_ns(flow->round_ns).s,
			xs_units_ns(flow->bound_ns).s);
	fputs("\";\n", out);
	for (size_t i = 0; i < flow->op_count; i++)
		put_op(&result->arena, &flow->ops[i], i, out);
	for (size_t i = 0; i < flow->edge_count; i++)
		put_edge(&flow->edges[i], out);
	fputs("}\n", out);
}

static int render_report(struct xs_result *const *results, size_t count,
			 const struct xs_display *display, FILE *out)
{
	(void)display;
	for (size_t i = 0; i < count; i++) {
		if (!results[i] || !results[i]->dataflow)
			continue;
		put_graph(results[i], out);
	}
	return 0;
}

extern const struct xs_renderer xs_renderer_dot;
const struct xs_renderer xs_renderer_dot = {
    .name = "dot",
    .dataflow = true,
    .report = render_report,
};
