/* SPDX-License-Identifier: MIT */
/*
 * Prints the results of each stage of the analyzer, one fact per line, for
 * comparison with golden files.
 *
 * xs_golden TRACE [-q]     -q: without steps, for large traces
 */
#include "analyzer/dataflow/dataflow.h"
#include "analyzer/rounds/phase.h"
#include "analyzer/timeline/load_trace.h"
#include "analyzer/timeline/timeline.h"
#include "analyzer/waits/record_gaps.h"
#include "analyzer/waits/wait_sites.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const op_names[XS_OP_KINDS] = {"h2d", "d2h",	   "d2d", "h2h",
						  "set", "kernel", "p2p"};

static const char *const step_names[XS_STEP_KINDS] = {
    "h2d",	   "d2h",	  "d2d",	 "h2h",	       "set",
    "kernel",	   "sync_device", "sync_stream", "sync_event", "event_record",
    "stream_wait", "allocate",	  "free",	 "host"};

static void print_trace(const struct xs_trace *trace)
{
	printf("trace ops=%zu calls=%zu matched=%zu unknown=%zu "
	       "lost=%" PRIu64 "/%" PRIu64 "/%" PRIu64 " wall_ns=%" PRIu64 "\n",
	       trace->op_count, trace->call_count, trace->ops_matched,
	       trace->unknown_records, trace->lost_calls, trace->lost_ops,
	       trace->lost_cupti, trace->end_ns - trace->begin_ns);
	if (trace->graphs_as_one)
		printf("graphs as_one=%zu by_node=%zu unknown=%zu\n",
		       trace->graphs_as_one, trace->graphs_by_node,
		       trace->graphs_unknown);
	for (size_t i = 0; i < trace->info_count; i++)
		printf("info %s=%s\n", trace->infos[i].key,
		       trace->infos[i].value);
	for (size_t i = 0; i < trace->device_count; i++)
		printf("device %u %s sm_count=%u\n",
		       trace->devices[i].rec.device,
		       trace->strings[trace->devices[i].name],
		       trace->devices[i].rec.sm_count);
	for (size_t i = 0; i < trace->pointers_count; i++) {
		const struct xs_pointers *p = &trace->pointers[i];

		if (p->call == XS_NONE)
			printf("pointers without a launch");
		else
			printf("pointers at=%" PRIu64,
			       trace->calls[p->call].start_ns -
				   trace->begin_ns);
		printf(" known=%u count=%u %#" PRIx64 " %#" PRIx64 " %#" PRIx64
		       " %#" PRIx64 "\n",
		       p->known, p->count, p->addresses[0], p->addresses[1],
		       p->addresses[2], p->addresses[3]);
	}
	for (size_t i = 0; i < trace->defect_count; i++)
		printf("defect at=%" PRIu64 " %s\n", trace->defects[i].offset,
		       trace->defects[i].text);
}

static int print_timeline(const struct xs_trace *trace)
{
	struct xs_timeline timeline;

	xs_timeline_build(trace, &timeline);
	for (size_t i = 0; i < XS_OP_KINDS; i++)
		if (timeline.count[i])
			printf("timeline %s count=%" PRIu64 " bytes=%" PRIu64
			       " sum_ns=%" PRIu64 " busy_ns=%" PRIu64 "\n",
			       op_names[i], timeline.count[i],
			       timeline.bytes[i], timeline.sum_ns[i],
			       timeline.busy_ns[i]);
	printf("timeline gpu_busy_ns=%" PRIu64 " overlap_ns=%" PRIu64
	       " host_blocked_ns=%" PRIu64 " pinned_alloc_ns=%" PRIu64
	       " pageable_async=%" PRIu64 "\n",
	       timeline.gpu_busy_ns, timeline.overlap_ns,
	       timeline.host_blocked_ns, timeline.pinned_alloc_ns,
	       timeline.pageable_async_ops);
	return 0;
}

static int print_dataflow(const struct xs_trace *trace)
{
	static const char *const kinds[XS_FLOW_KINDS] = {
	    "true", "reuse", "unknown", "stream", "host"};
	struct xs_dataflow dataflow;
	int rc;

	if (!trace->pointers_count)
		return 0;
	rc = xs_dataflow_build(trace, 0, UINT64_MAX, NULL, &dataflow);
	if (rc)
		return rc;
	printf("dataflow ops=%u unknown=%u unfollowed=%d edges=%zu\n",
	       dataflow.op_count, dataflow.unknown_count, dataflow.unfollowed,
	       dataflow.flow.count);
	for (size_t i = 0; i < dataflow.flow.count; i++) {
		const struct xs_flow_edge *edge = &dataflow.flow.edges[i];
		const struct xs_op *from =
				       &trace->ops[dataflow.ops[edge->from]],
				   *to = &trace->ops[dataflow.ops[edge->to]];

		printf("  %s %u > %s %u: %s\n", op_names[from->kind],
		       edge->from, op_names[to->kind], edge->to,
		       kinds[edge->kind]);
	}
	xs_dataflow_free(&dataflow);
	return 0;
}

static int print_waits(const struct xs_trace *trace)
{
	static const char *const parts[XS_WAIT_PARTS] = {
	    "own", "h2d", "kernel", "d2h", "other", "latency", "host"};
	struct xs_wait_sites waits;

	if (trace->startup.ns && trace->startup.call != XS_NONE)
		printf("init call=%u ns=%" PRIu64 "\n", trace->startup.call,
		       trace->startup.ns);
	xs_wait_sites_build(trace, NULL, &waits);
	for (size_t i = 0; i < waits.count; i++) {
		const struct xs_wait_site *row = &waits.items[i];
		const struct xs_site *where = &trace->sites[row->site];

		printf("wait %s+0x%" PRIx64 " calls=%" PRIu64 "/%" PRIu64
		       " ns=%" PRIu64,
		       trace->strings[where->function], where->offset,
		       row->gpu_calls, row->calls, row->waited_ns);
		for (size_t k = 0; k < XS_WAIT_PARTS; k++)
			if (row->part_ns[k])
				printf(" %s=%" PRIu64, parts[k],
				       row->part_ns[k]);
		if (row->minor_faults)
			printf(" faults=%" PRIu64 " touched=%" PRIu64,
			       row->minor_faults, row->touched_bytes);
		printf("\n");
	}
	xs_wait_sites_free(&waits);
	return 0;
}

static int print_gaps(const struct xs_trace *trace)
{
	static const char *const kinds[XS_RECORD_GAP_KINDS] = {"copies", "sets",
							       "kernels"};
	struct xs_record_gap gaps[XS_RECORD_GAP_KINDS];
	int rc = 0;

	xs_record_gaps_find(trace, gaps);
	for (size_t i = 0; !rc && i < XS_RECORD_GAP_KINDS; i++)
		if (gaps[i].calls)
			printf("gap %s calls=%" PRIu64 " of=%" PRIu64
			       " from=%" PRIu64 " to=%" PRIu64 "\n",
			       kinds[i], gaps[i].calls, gaps[i].of,
			       gaps[i].from_ns - trace->begin_ns,
			       gaps[i].to_ns - trace->begin_ns);
	return rc;
}

static void print_spread(const char *name, const struct xs_spread *spread)
{
	printf(" %s=%" PRIu64 "[%" PRIu64 "..%" PRIu64 "]", name,
	       spread->median_ns, spread->p5_ns, spread->p95_ns);
}

/* NAN means not counted. */
static void print_counts(const struct xs_counts *counts)
{
	if (!counts || isnan(counts->sectors_read))
		return;
	printf(" sectors=%.0f/%.0f requests=%.0f/%.0f host=%.0f/%.0f "
	       "instructions=%.0f",
	       counts->sectors_read, counts->sectors_written,
	       counts->requests_read, counts->requests_written,
	       counts->host_sectors_read, counts->host_sectors_written,
	       counts->instructions);
}

static void print_steps(const struct xs_phase *phase)
{
	for (size_t i = 0; i < phase->step_count; i++) {
		const struct xs_step *step = &phase->steps[i];

		printf("  step %-12s", step_names[step->kind]);
		if (step->queue == XS_NONE)
			printf(" queue=-");
		else
			printf(" queue=%u", step->queue);
		printf(" call=%" PRIu64 "..%" PRIu64 "%s", step->call_ns,
		       step->return_ns, step->blocking ? " blocking" : "");
		if (step->async)
			printf(" async");
		if (step->kind <= XS_STEP_KERNEL)
			printf(" op=%" PRIu64 "..%" PRIu64, step->start_ns,
			       step->end_ns);
		if (step->kind == XS_STEP_KERNEL)
			printf(" blocks=%" PRIu64 " threads=%u", step->blocks,
			       step->block_threads);
		else if (step->bytes)
			printf(" bytes=%" PRIu64 " memory=%u>%u", step->bytes,
			       step->src_memory, step->dst_memory);
		print_counts(step->counts);
		if (step->repeats.compared)
			printf(" same=%" PRIu64 "/%" PRIu64 " back=%" PRIu64
			       "%s",
			       step->repeats.same, step->repeats.compared,
			       step->repeats.back,
			       step->repeats.sampled ? " sampled" : "");
		if (step->has_pointers)
			printf(" pointers");
		if (step->hash_ns)
			printf(" hash=%" PRIu64, step->hash_ns);
		if (step->event)
			printf(" event=%" PRIu64, step->event);
		printf("\n");
	}
}

static void print_phase(const struct xs_trace *trace,
			const struct xs_phase *phase, bool steps)
{
	printf("phase %u \"%s\" device=%u rounds=%" PRIu64 " total_ns=%" PRIu64
	       "\n ",
	       phase->id, phase->signature, phase->device, phase->rounds,
	       phase->total_ns);
	printf(" from=%" PRIu64 " to=%" PRIu64,
	       phase->first_start_ns - trace->begin_ns,
	       phase->last_end_ns - trace->begin_ns);
	printf(" h2d=%" PRIu64 "x%" PRIu64 " d2h=%" PRIu64 "x%" PRIu64
	       " kernels=%" PRIu64 "\n ",
	       phase->h2d_ops, phase->h2d_bytes, phase->d2h_ops,
	       phase->d2h_bytes, phase->kernel_ops);
	print_spread("round", &phase->round_ns);
	print_spread("h2d", &phase->h2d_ns);
	print_spread("kernel", &phase->kernel_ns);
	print_spread("d2h", &phase->d2h_ns);
	print_spread("host", &phase->host_ns);
	printf("\n  blocked_ns=%" PRIu64 " overlap_ns=%" PRIu64
	       " memory=%u>%u buffers=%" PRIu64 "/%" PRIu64 "\n",
	       phase->host_blocked_ns, phase->overlap_ns, phase->src_memory,
	       phase->dst_memory, phase->h2d_buffer_bytes,
	       phase->d2h_buffer_bytes);
	for (size_t i = 0; i < phase->site_count; i++) {
		const struct xs_phase_site *site = &phase->sites[i];
		const struct xs_site *where = &trace->sites[site->site];

		printf("  site %s %s+0x%" PRIx64 " calls=%" PRIu64
		       " bytes=%" PRIu64 "\n",
		       step_names[site->step_kind],
		       trace->strings[where->function], where->offset,
		       site->calls, site->bytes);
	}
	if (steps)
		print_steps(phase);
}

static int print_phases(const struct xs_trace *trace, bool steps)
{
	struct xs_phases phases;
	int rc = 0;

	xs_phases_build(trace, &phases);
	if (!rc)
		xs_phases_count(&phases, trace, trace);
	printf("phases %zu rounds=%" PRIu64 "\n", phases.count, phases.rounds);
	for (size_t i = 0; i < phases.count; i++)
		print_phase(trace, &phases.items[i], steps);
	xs_phases_free(&phases);
	return 0;
}

int main(int argc, char **argv)
{
	struct xs_trace *trace;
	const char *error;
	int rc;

	if (argc < 2) {
		fprintf(stderr, "xs_golden: give a trace\n");
		return 1;
	}
	rc = xs_trace_read(argv[1], &trace, &error);
	if (rc) {
		printf("error %s\n", error ? error : strerror(-rc));
		return 2;
	}
	print_trace(trace);
	rc = print_timeline(trace);
	if (!rc)
		rc = print_dataflow(trace);
	if (!rc)
		rc = print_gaps(trace);
	if (!rc)
		rc = print_waits(trace);
	if (!rc)
		rc = print_phases(trace, argc < 3);
	xs_trace_free(trace);
	return rc ? 2 : 0;
}
