/* SPDX-License-Identifier: MIT */
/* Copies between GPUs: which the driver stages in host memory, and how long
 * they would take with access to the other GPU's memory. */
#include "analyzer/util/memory.h"
#include "analyzer/util/sort.h"
#include "report/build/build.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Pairs of GPUs at most. */
#define LINKS_MAX 64

/* The staged copies of one call, from one GPU to another. */
struct copies {
	uint16_t from, to;
	uint64_t ops, bytes;
	uint64_t start_ns, end_ns;
};

static uint16_t device_of(const struct xs_trace *trace, const struct xs_op *op)
{
	return trace->queues[op->queue].device;
}

/* Returns the entry of the two GPUs; NULL if there are too many. */
static struct xs_result_gpu_link *link_of(struct xs_result_run *run,
					  uint16_t one, uint16_t other)
{
	const int64_t first = one < other ? one : other;
	const int64_t second = one < other ? other : one;
	struct xs_result_gpu_link *links = run->links;

	for (size_t i = 0; i < run->link_count; i++)
		if (links[i].first == first && links[i].second == second)
			return &links[i];
	if (run->link_count == LINKS_MAX)
		return NULL;
	links[run->link_count] =
	    (struct xs_result_gpu_link){.first = first,
					.second = second,
					.peer_ns = XS_UNKNOWN,
					.saves_ns = XS_UNKNOWN,
					.saves_low_ns = XS_UNKNOWN,
					.saves_high_ns = XS_UNKNOWN};
	return &links[run->link_count++];
}

/* A trace of another tool may not name the other GPU; migrations are no copies
 * of the program. */
static void add_direct(struct xs_result_run *run, const struct xs_trace *trace,
		       const struct xs_op *op)
{
	const uint16_t own = device_of(trace, op);
	struct xs_result_gpu_link *link;

	if (op->peer == own || op->flags & XS_OP_MIGRATION)
		return;
	link = link_of(run, own, op->peer);
	if (!link) {
		xs_number_add(&run->unlisted_copies, op->copies);
		return;
	}
	xs_number_add(&link->direct_ops, op->copies);
	xs_number_add(&link->direct_bytes, xs_number_bounded(op->bytes));
	xs_number_add(&link->direct_ns,
		      xs_number_bounded(op->end_ns - op->start_ns));
}

static void add_staged(struct xs_result_run *run,
		       const struct xs_run_span *steady,
		       const struct copies *copies)
{
	struct xs_result_gpu_link *link;

	if (copies->from == copies->to || !copies->ops)
		return;
	link = link_of(run, copies->from, copies->to);
	if (!link) {
		xs_number_add(&run->unlisted_copies,
			      xs_number_bounded(copies->ops));
		return;
	}
	xs_number_add(&link->staged_ops, xs_number_bounded(copies->ops));
	xs_number_add(&link->staged_bytes, xs_number_bounded(copies->bytes));
	xs_number_add(&link->staged_ns,
		      xs_number_bounded(copies->end_ns - copies->start_ns));
	if (copies->start_ns >= steady->from_ns &&
	    copies->start_ns < steady->to_ns)
		xs_number_add(&link->steady_ops,
			      xs_number_bounded(copies->ops));
}

static void take_part(const struct xs_trace *trace, const struct xs_op *op,
		      struct copies *copies)
{
	if (op->flags & XS_OP_STAGED_OUT) {
		copies->from = device_of(trace, op);
		copies->ops += op->copies;
		copies->bytes += op->bytes;
	} else {
		copies->to = device_of(trace, op);
	}
	if (op->start_ns < copies->start_ns)
		copies->start_ns = op->start_ns;
	if (op->end_ns > copies->end_ns)
		copies->end_ns = op->end_ns;
}

/* Joins the parts of each call. keys: their calls and ops, sorted. */
static void add_parts(struct xs_result_run *run, const struct xs_trace *trace,
		      const struct xs_run_span *steady,
		      const struct xs_key *keys, size_t count)
{
	for (size_t i = 0; i < count;) {
		const uint64_t call = keys[i].key;
		struct copies copies = {.start_ns = UINT64_MAX};

		copies.from = copies.to =
		    device_of(trace, &trace->ops[keys[i].index]);
		for (; i < count && keys[i].key == call; i++)
			take_part(trace, &trace->ops[keys[i].index], &copies);
		add_staged(run, steady, &copies);
	}
}

static void add_copies(struct xs_result_run *run, const struct xs_trace *trace,
		       const struct xs_run_span *steady)
{
	struct xs_key *keys = xs_malloc((trace->op_count + 1) * sizeof(*keys));
	size_t count = 0;

	for (size_t i = 0; i < trace->op_count; i++) {
		const struct xs_op *op = &trace->ops[i];

		if (op->kind != XS_OP_P2P)
			continue;
		if (!(op->flags & (XS_OP_STAGED_OUT | XS_OP_STAGED_IN)))
			add_direct(run, trace, op);
		else if (op->call != XS_NONE)
			keys[count++] = (struct xs_key){op->call, (uint32_t)i};
	}
	xs_keys_sort(keys, count);
	add_parts(run, trace, steady, keys, count);
	free(keys);
}

/* L+o + k * G of all copies; XS_UNKNOWN without one of both. */
static int64_t line_ns(const struct xs_result_gpu_link *link, double latency_ns,
		       double byte_ns)
{
	const double ns = (double)link->staged_ops * latency_ns +
			  (double)link->staged_bytes * byte_ns;

	return xs_number_round(ns);
}

/* All rates are known, or none. The ends take the slower or the faster ends of
 * both ways. */
static void fill_saving(const struct xs_machine *m,
			struct xs_result_gpu_link *link)
{
	link->saves_ns =
	    line_ns(link, m->lo_staged_ns.value - m->lo_peer_ns.value,
		    m->G_staged.value - m->G_peer.value);
	link->saves_low_ns =
	    line_ns(link, m->lo_staged_ns.low - m->lo_peer_ns.high,
		    m->G_staged.low - m->G_peer.high);
	link->saves_high_ns =
	    line_ns(link, m->lo_staged_ns.high - m->lo_peer_ns.low,
		    m->G_staged.high - m->G_peer.low);
}

/* CUPTI's records of a large copy have the time of one of its chunks alone:
 * without a profile its bytes pass the host's link at least once. */
static void predict(const struct xs_machine *m, struct xs_result_gpu_link *link)
{
	const int64_t staged_ns =
	    line_ns(link, m->lo_staged_ns.value, m->G_staged.value);
	const int64_t least_ns =
	    line_ns(link, 0, fmax(m->G_h2d.value, m->G_d2h.value));

	link->peer_ns = line_ns(link, m->lo_peer_ns.value, m->G_peer.value);
	if (staged_ns != XS_UNKNOWN) {
		link->staged_ns = staged_ns;
		fill_saving(m, link);
	} else if (least_ns > link->staged_ns)
		link->staged_ns = least_ns;
}

static const char *describe_staged(struct xs_result *result,
				   const struct xs_result_gpu_link *link)
{
	struct xs_arena *arena = &result->arena;
	const char *what = xs_print(
	    arena,
	    "GPU %" PRId64 " and %" PRId64 ": %s %s of %s in all through the "
	    "host, %s",
	    link->first, link->second, xs_units_count(link->staged_ops).s,
	    link->staged_ops == 1 ? "copy" : "copies",
	    xs_units_bytes(link->staged_bytes).s,
	    xs_units_ns(link->staged_ns).s);

	if (link->peer_ns == XS_UNKNOWN)
		return xs_print(
		    arena,
		    "%s; what cudaDeviceEnablePeerAccess would bring, "
		    "xferspy calibrate on these GPUs tells",
		    what);
	return xs_print(
	    arena,
	    "%s; direct they would take %s (cudaDeviceEnablePeerAccess, where "
	    "cudaDeviceCanAccessPeer allows it)",
	    what, xs_units_ns(link->peer_ns).s);
}

static const char *describe_direct(struct xs_result *result,
				   const struct xs_result_gpu_link *link)
{
	return xs_print(
	    &result->arena,
	    "GPU %" PRId64 " and %" PRId64 ": %s direct %s of %s in all, %s",
	    link->first, link->second, xs_units_count(link->direct_ops).s,
	    link->direct_ops == 1 ? "copy" : "copies",
	    xs_units_bytes(link->direct_bytes).s,
	    xs_units_rate(link->direct_bytes, link->direct_ns).s);
}

/* Says so at the top if it matters beside the GPUs' other work. */
static void note(struct xs_result *result,
		 const struct xs_result_gpu_link *link)
{
	const int64_t busy_ns = result->totals.gpu_busy_ns;
	const int64_t saves_ns =
	    link->staged_ns - (link->peer_ns == XS_UNKNOWN ? 0 : link->peer_ns);

	if (busy_ns != XS_UNKNOWN && saves_ns > busy_ns / XS_RESULT_LEAST_PART)
		xs_build_note(result,
			      "copies between GPU %" PRId64 " and %" PRId64
			      " go through the host, %s in all: see GPUs",
			      link->first, link->second,
			      xs_units_ns(link->staged_ns).s);
}

static void note_unlisted(struct xs_result *result)
{
	const int64_t copies = result->run.unlisted_copies;

	if (copies)
		xs_build_note(result,
			      "%s between further pairs of GPUs %s not listed: "
			      "%d pairs are",
			      copies == 1
				  ? "1 copy"
				  : xs_print(&result->arena, "%s copies",
					     xs_units_count(copies).s),
			      copies == 1 ? "is" : "are", LINKS_MAX);
}

void xs_build_gpu_links(struct xs_result *result, const struct xs_trace *trace,
			const struct xs_run_span *steady)
{
	struct xs_result_run *run = &result->run;
	XS_ARENA_NEW(&result->arena, run->links, LINKS_MAX);
	add_copies(run, trace, steady);
	note_unlisted(result);
	for (size_t i = 0; i < run->link_count; i++) {
		struct xs_result_gpu_link *link = &run->links[i];

		if (link->staged_ops) {
			if (!result->machine_choice.other_gpu)
				predict(&result->machine, link);
			link->staged_text = describe_staged(result, link);
			note(result, link);
		}
		if (link->direct_ops)
			link->direct_text = describe_direct(result, link);
	}
}
