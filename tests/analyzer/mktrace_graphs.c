/* SPDX-License-Identifier: MIT */
#include "tests/analyzer/mktrace.h"

#include <errno.h>

static int put_kernel(struct mktrace *m, xs_u64 op_ns, xs_u32 correlation)
{
	xs_u32 start;
	struct xs_rec_kernel *op =
	    mktrace_reserve(m, &m->ops, sizeof(*op), op_ns, &start);

	if (!op)
		return -EIO;
	*op = (struct xs_rec_kernel){.kind = XS_REC_kernel,
				     .words = sizeof(*op) / 4,
				     .correlation = correlation,
				     .start = start,
				     .duration = 600,
				     .shape = 1};
	return 0;
}

static int put_graph(struct mktrace *m, xs_u64 op_ns, xs_u32 correlation,
		     xs_u32 exec, int by_node)
{
	xs_u32 start;
	struct xs_rec_graph *op =
	    mktrace_reserve(m, &m->ops, sizeof(*op), op_ns, &start);

	if (!op)
		return -EIO;
	*op = (struct xs_rec_graph){.kind = XS_REC_graph,
				    .words = sizeof(*op) / 4,
				    .correlation = correlation,
				    .start = start,
				    .duration = 900,
				    .exec = exec,
				    .by_node = (xs_u16)by_node};
	return 0;
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
