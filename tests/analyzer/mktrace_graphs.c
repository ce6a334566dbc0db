/* SPDX-License-Identifier: MIT */
#include "tests/analyzer/mktrace.h"

static int put_kernel(struct mktrace *m, xs_u64 op_ns, xs_u32 correlation)
{
	struct xs_rec_kernel op = {.kind = XS_REC_kernel,
				   .correlation = correlation,
				   .duration = 600,
				   .shape = 1};

	return MKTRACE_PUT(m, ops, op_ns, op);
}

static int put_graph(struct mktrace *m, xs_u64 op_ns, xs_u32 correlation,
		     xs_u32 exec, int by_node)
{
	struct xs_rec_graph op = {.kind = XS_REC_graph,
				  .correlation = correlation,
				  .duration = 900,
				  .exec = exec,
				  .by_node = (xs_u16)by_node};

	return MKTRACE_PUT(m, ops, op_ns, op);
}

int mktrace_put_graphs(struct mktrace *m, xs_u64 *now_ns)
{
	const xs_u32 same = ++m->correlation;
	int rc = 0;

	for (unsigned long i = 0; !rc && i < m->nodes; i++)
		rc = put_kernel(m, *now_ns + 1000 * i, same);
	for (unsigned long i = 0; !rc && i < m->graphs; i++)
		rc = put_graph(m, *now_ns + 1000 * i, same, (xs_u32)i + 1, 1);
	*now_ns += 1000 * (m->nodes + m->graphs);
	for (unsigned long i = 0; !rc && i < m->graphs; i++)
		rc = put_graph(m, *now_ns + 1000 * i, ++m->correlation,
			       (xs_u32)i + 1, 0);
	*now_ns += 1000 * m->graphs;
	return rc;
}
