/* SPDX-License-Identifier: MIT */
/* What copies of a round are needed by, and need: random rounds in one stream
 * against a search byte by byte. */
#include "tests/analyzer/support.h"
#include "tests/unit.h"

#include "analyzer/dataflow/flow.h"
#include "analyzer/dataflow/phase_flow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPS	 12u
#define BUFFERS	 3u
#define BYTES	 4096u
#define ROUNDS	 3u
#define PROGRAMS 400

struct planned {
	uint8_t kind;	       /* enum xs_step_kind */
	uint64_t begin, bytes; /* copies: of all buffers, which are adjacent */
	unsigned buffers;      /* kernels: a bit each */
	bool unknown;
};

struct round {
	struct planned ops[OPS];
	uint32_t count;
	bool noise;   /* another kernel comes between rounds */
	bool symbols; /* the program copies from a symbol elsewhere */
	bool pool;    /* the buffers are one allocation */
	bool early;   /* the GPU's clock: ops begin before their calls */
};

static void make_round(struct round *round)
{
	static const uint8_t kinds[] = {XS_STEP_H2D, XS_STEP_KERNEL,
					XS_STEP_D2H};

	round->count = 1 + (uint32_t)rand() % OPS;
	round->noise = rand() % 2;
	round->symbols = round->pool = round->early = false;
	for (uint32_t i = 0; i < round->count; i++) {
		struct planned *op = &round->ops[i];
		const uint64_t half = rand() % 2 ? BYTES : BYTES / 2;

		*op = (struct planned){
		    .kind = kinds[rand() % 3],
		    .begin = (uint64_t)rand() % BUFFERS * BYTES +
			     (half < BYTES && rand() % 2 ? half : 0),
		    .bytes = half,
		    .buffers = (unsigned)rand() % (1u << BUFFERS),
		    .unknown = rand() % 12 == 0};
	}
}

static const char head[] =
    "xferspy-text 1\n"
    "header pid=1 state=1 start_realtime_ns=1000000000 "
    "flush_realtime_ns=1009000000 end_realtime_ns=1009000000\n"
    "chunk thread=1 base_ns=1000000000\n"
    "string id=10 text=\"cudaMemcpyAsync\"\n"
    "string id=11 text=\"cudaLaunch\"\n"
    "string id=12 text=\"cudaMalloc\"\n"
    "string id=50 text=\"step\"\n"
    "site call_class=2 site=1 function=10\n"
    "site call_class=5 site=2 function=11\n"
    "site call_class=7 site=3 function=12\n"
    "site call_class=5 site=4 function=11\n"
    "string id=51 text=\"train.py\"\n"
    "site call_class=0 site=6\nsource site=6 symbol=50 file=51 line=7\n"
    "site call_class=0 site=7\nsource site=7 symbol=50 file=51 line=7\n"
    "site call_class=0 site=8\nsource site=8 symbol=50 file=51 line=8\n"
    "site call_class=2 site=16 function=10 caller=6\n"
    "site call_class=2 site=17 function=10 caller=7\n"
    "site call_class=2 site=18 function=10 caller=8\n"
    "shape registers=32 shape=1 name=50 grid_x=1 grid_y=1 grid_z=1 block_x=32 "
    "block_y=1 block_z=1\n"
    "queue queue=0 device=0 queue_kind=1 context=1 stream=7\n";

static const char symbols[] =
    "string id=13 text=\"cudaMemcpyFromSymbolAsync\"\n"
    "site call_class=2 site=19 function=13\n";

struct text {
	FILE *calls, *ops;
	unsigned correlation;
	unsigned early_ns; /* of ops, from 100 ns after their calls */
};

static void put_kernel(struct text *t, int site, const struct planned *op)
{
	const unsigned c = ++t->correlation;
	unsigned count = 0;
	char pointers[100] = "", call[80];

	snprintf(call, sizeof(call),
		 "site=%d correlation=%u start=%u duration=50", site, c,
		 1000 * c);
	for (unsigned b = BUFFERS; b-- > 0;)
		if (op->buffers >> b & 1)
			snprintf(pointers + strlen(pointers),
				 sizeof(pointers) - strlen(pointers),
				 " address%u=%u", count++,
				 0x700000 + b * BYTES);
	fprintf(t->calls, "call %s\n", call);
	if (!op->unknown)
		fprintf(t->calls, "pointers %s known=1 count=%u%s\n", call,
			count, pointers);
	fprintf(t->ops,
		"kernel queue=0 correlation=%u start=%u duration=100 shape=1\n",
		c, 1000 * c + 100 - t->early_ns);
}

static void put_copy(struct text *t, const struct planned *op)
{
	const unsigned c = ++t->correlation;
	const bool in = op->kind == XS_STEP_H2D;
	const unsigned device = 0x700000 + (unsigned)op->begin;
	/* each copy has its own host memory */
	const unsigned host = 0x10000000 + c * BYTES;

	fprintf(t->calls,
		"copycall site=1 correlation=%u start=%u duration=50 bytes=%u "
		"dst=%u src=%u rows=1 direction=%d\n",
		c, 1000 * c, (unsigned)op->bytes, in ? device : host,
		in ? host : device, in ? 1 : 2);
	fprintf(t->ops,
		"copy queue=0 correlation=%u start=%u duration=100 bytes=%u "
		"direction=%d src_memory=%d dst_memory=%d copies=1\n",
		c, 1000 * c + 100 - t->early_ns, (unsigned)op->bytes,
		in ? 1 : 2, in ? 2 : 3, in ? 3 : 2);
}

static struct xs_trace *trace_of(const struct round *round)
{
	static const struct planned other = {.kind = XS_STEP_KERNEL};
	char *calls, *ops, *all;
	size_t size;
	struct text t = {.calls = open_memstream(&calls, &size),
			 .ops = open_memstream(&ops, &size),
			 .early_ns = round->early ? 120 : 0};

	for (unsigned b = 0; b < (round->pool ? 1 : BUFFERS); b++)
		fprintf(t.calls,
			"memcall site=3 start=%u duration=5 address=%u "
			"bytes=%u\n",
			10 + 10 * b, 0x700000 + b * BYTES,
			round->pool ? BUFFERS * BYTES : BYTES);
	for (unsigned r = 0; r < ROUNDS; r++) {
		for (uint32_t i = 0; i < round->count; i++)
			if (round->ops[i].kind == XS_STEP_KERNEL)
				put_kernel(&t, 2, &round->ops[i]);
			else
				put_copy(&t, &round->ops[i]);
		if (round->noise)
			put_kernel(&t, 4, &other);
	}
	fclose(t.calls);
	fclose(t.ops);
	assert_true(asprintf(&all, "%s%s%schunk base_ns=1000000000\n%s", head,
			     round->symbols ? symbols : "", calls, ops) > 0);
	struct xs_trace *trace = read_text(all);
	free(calls);
	free(ops);
	free(all);
	return trace;
}

static int flow_of(const struct xs_trace *trace, struct xs_phase *phase)
{
	uint64_t steps = XS_FLOW_MOST_STEPS;

	xs_phase_flow(trace, phase, &steps);
	return 0;
}

/* Whether the op may access the byte. */
static bool touches(const struct planned *op, uint64_t byte)
{
	if (op->kind != XS_STEP_KERNEL)
		return byte >= op->begin && byte < op->begin + op->bytes;
	return op->unknown || (op->buffers >> (byte / BYTES) & 1);
}

/* The first op that may read what the copy wrote. */
static uint32_t first_need(const struct round *round, uint32_t copy)
{
	const struct planned *in = &round->ops[copy];
	uint32_t first = XS_NONE;

	for (uint64_t byte = in->begin; byte < in->begin + in->bytes;
	     byte += BYTES / 2)
		for (uint32_t i = copy + 1; i < round->count && i < first;
		     i++) {
			if (!touches(&round->ops[i], byte))
				continue;
			if (round->ops[i].kind != XS_STEP_H2D)
				first = i;
			break; /* it is read, or overwritten */
		}
	/* what an unknown kernel does to other memory is not known */
	for (uint32_t i = copy + 1; i < round->count && i < first; i++)
		if (round->ops[i].kind == XS_STEP_KERNEL &&
		    round->ops[i].unknown)
			first = i;
	return first;
}

/* The last op that may have written what the copy reads. */
static uint32_t last_needed(const struct round *round, uint32_t copy)
{
	const struct planned *out = &round->ops[copy];

	for (uint32_t i = copy; i-- > 0;)
		for (uint64_t byte = out->begin; byte < out->begin + out->bytes;
		     byte += BYTES / 2)
			if (round->ops[i].kind != XS_STEP_D2H &&
			    touches(&round->ops[i], byte))
				return i;
	return XS_NONE;
}

/* Ops of all rounds. Between rounds may be a kernel without memory. */
struct run {
	struct planned ops[ROUNDS * (OPS + 1)];
	uint32_t task[ROUNDS * (OPS + 1)];
	uint32_t count, tasks;
};

static void run_rounds(const struct round *round, struct run *run)
{
	static const struct planned other = {.kind = XS_STEP_KERNEL};
	bool computed = false;

	*run = (struct run){.tasks = 1};
	for (unsigned r = 0; r < ROUNDS; r++) {
		for (uint32_t i = 0; i < round->count; i++)
			run->ops[run->count++] = round->ops[i];
		if (round->noise)
			run->ops[run->count++] = other;
	}
	for (uint32_t i = 0; i < run->count; i++) {
		if (run->ops[i].kind == XS_STEP_H2D && computed) {
			run->tasks++;
			computed = false;
		}
		computed |= run->ops[i].kind == XS_STEP_KERNEL;
		run->task[i] = run->tasks - 1;
	}
}

/* Bytes that a task copies in or out of the buffer; kernels: launches. */
static uint64_t amount(const struct run *run, uint32_t task, unsigned buffer,
		       uint8_t kind)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < run->count; i++) {
		const struct planned *op = &run->ops[i];

		if (run->task[i] != task || op->kind != kind)
			continue;
		if (kind == XS_STEP_KERNEL)
			sum += op->buffers >> buffer & 1;
		else if (op->begin / BYTES == buffer)
			sum += op->bytes;
	}
	return sum;
}

/* The bytes of the array that kernels are given: the first half, if nothing
 * else is copied. */
static uint64_t array_bytes(const struct run *run, unsigned buffer)
{
	uint64_t bytes = BYTES;

	for (uint32_t i = 0; i < run->count; i++) {
		const struct planned *op = &run->ops[i];

		if (op->kind == XS_STEP_KERNEL || op->begin / BYTES != buffer)
			continue;
		if (op->bytes == BYTES || op->begin % BYTES)
			return BYTES;
		bytes = op->bytes;
	}
	return bytes;
}

/* The class by one buffer; part: parts of it are copied. */
static enum xs_task_class_kind class_of(const struct run *run, unsigned buffer,
					bool *part)
{
	const uint64_t bytes = array_bytes(run, buffer);
	uint32_t used = 0, filled = 0, out = 0;
	bool partly = false;

	for (uint32_t t = 0; t < run->tasks; t++) {
		const uint64_t in = amount(run, t, buffer, XS_STEP_H2D),
			       outs = amount(run, t, buffer, XS_STEP_D2H);

		if (!amount(run, t, buffer, XS_STEP_KERNEL))
			continue;
		used++;
		filled += in >= bytes;
		out += outs >= bytes;
		partly |= in && in < bytes;
		partly |= outs && outs < bytes;
	}
	if (used < 2)
		return XS_CLASS_INDEPENDENT;
	if (filled >= used - 1 || out >= used - 1)
		return XS_CLASS_FALSE_DEPENDENT;
	*part |= partly;
	return partly ? XS_CLASS_INDEPENDENT
	       : out  ? XS_CLASS_TRUE_DEPENDENT
		      : XS_CLASS_SHARED_INPUT;
}

/* Whether a kernel of its task wrote a byte last. */
static bool is_next_of(const struct run *run, uint32_t kernel)
{
	for (uint64_t byte = 0; byte < BUFFERS * BYTES; byte += BYTES / 2)
		for (uint32_t i = kernel;
		     touches(&run->ops[kernel], byte) && i-- > 0;) {
			if (run->ops[i].kind == XS_STEP_D2H ||
			    !touches(&run->ops[i], byte))
				continue;
			if (run->ops[i].kind == XS_STEP_KERNEL &&
			    run->task[i] == run->task[kernel])
				return true;
			break;
		}
	return false;
}

static enum xs_task_class_kind wanted_class(const struct round *round)
{
	enum xs_task_class_kind most = XS_CLASS_INDEPENDENT;
	struct run run;
	uint32_t next = 0;
	bool part = false;

	run_rounds(round, &run);
	for (uint32_t i = 0; i < run.count; i++) {
		if (run.ops[i].kind != XS_STEP_KERNEL)
			continue;
		if (run.ops[i].unknown)
			return XS_CLASS_UNKNOWN;
		next += is_next_of(&run, i);
	}
	if (run.tasks < 2)
		return XS_CLASS_UNKNOWN;
	for (unsigned b = 0; b < BUFFERS; b++) {
		const enum xs_task_class_kind kind = class_of(&run, b, &part);

		most = kind > most ? kind : most;
	}
	if (most == XS_CLASS_TRUE_DEPENDENT)
		return most;
	if (next / run.tasks >= 3)
		return XS_CLASS_ITERATIVE;
	return part ? XS_CLASS_UNKNOWN : most;
}

/* A phase of the trace's first ops. */
static struct xs_phase phase_of(const struct xs_trace *trace,
				struct xs_step *steps, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct xs_op *op = &trace->ops[i];

		steps[i] = (struct xs_step){
		    .kind = op->kind, .site = trace->calls[op->call].site};
	}
	return (struct xs_phase){.steps = steps,
				 .step_count = count,
				 .sample_rounds = ROUNDS,
				 .sample_from_ns = 0,
				 .sample_to_ns = UINT64_MAX};
}

/* Bytes of the buffer that the round copies, at most all. */
static uint64_t copied(const struct round *round, unsigned buffer, uint8_t kind)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < round->count; i++)
		if (round->ops[i].kind == kind &&
		    round->ops[i].begin / BYTES == buffer)
			sum += round->ops[i].bytes;
	return sum < BYTES ? sum : BYTES;
}

static void is_given(const struct round *round, uint32_t i,
		     const struct xs_step *step)
{
	uint64_t in = 0, out = 0;
	uint64_t other = 0;

	assert_int_equal(step->given_known, !round->ops[i].unknown);
	for (unsigned b = 0; b < BUFFERS && step->given_known; b++) {
		const uint64_t ins = copied(round, b, XS_STEP_H2D);
		const uint64_t outs = copied(round, b, XS_STEP_D2H);

		if (!(round->ops[i].buffers >> b & 1))
			continue;
		in += ins;
		out += outs;
		other += ins || outs ? 0 : BYTES;
	}
	if (!step->given_known)
		return;
	assert_int_equal(step->given_in_bytes, in);
	assert_int_equal(step->given_out_bytes, out);
	assert_int_equal(step->given_other_bytes, other);
}

TEST(like_each_byte)
{
	unsigned of_class[XS_CLASS_TRUE_DEPENDENT + 1] = {0};

	srand(5);
	for (int p = 0; p < PROGRAMS; p++) {
		struct xs_step steps[OPS];
		struct round round;
		struct xs_trace *trace;
		struct xs_phase phase;

		make_round(&round);
		trace = trace_of(&round);
		phase = phase_of(trace, steps, round.count);
		assert_int_equal(flow_of(trace, &phase), 0);
		assert_true(phase.flow_known);
		assert_int_equal(phase.task_class.kind, wanted_class(&round));
		of_class[phase.task_class.kind]++;
		for (uint32_t i = 0; i < round.count; i++)
			if (steps[i].kind == XS_STEP_H2D)
				assert_int_equal(steps[i].partner,
						 first_need(&round, i));
			else if (steps[i].kind == XS_STEP_D2H)
				assert_int_equal(steps[i].partner,
						 last_needed(&round, i));
			else
				is_given(&round, i, &steps[i]);
		xs_trace_free(trace);
	}
	for (size_t i = 0; i < sizeof(of_class) / sizeof(*of_class); i++)
		assert_true(of_class[i] > 0);
}

/* A phase without the copy in: what that copies does not stay on the device,
 * the third buffer does. */
TEST(what_other_rounds_copy)
{
	const struct round round = {
	    .ops = {{.kind = XS_STEP_H2D, .bytes = BYTES},
		    {.kind = XS_STEP_KERNEL, .buffers = 7},
		    {.kind = XS_STEP_D2H, .begin = BYTES, .bytes = BYTES}},
	    .count = 3};
	struct xs_step steps[OPS];
	struct xs_trace *trace = trace_of(&round);
	struct xs_phase phase = phase_of(trace, steps, round.count);

	phase.steps++;
	phase.step_count--;
	assert_int_equal(flow_of(trace, &phase), 0);
	assert_true(steps[1].given_known);
	assert_int_equal(steps[1].given_in_bytes, 0);
	assert_int_equal(steps[1].given_out_bytes, BYTES);
	assert_int_equal(steps[1].given_other_bytes, BYTES);
	xs_trace_free(trace);
}

/* A kernel accesses nothing before the array that it is given, but what lies
 * behind it; all of a pool, if a copy is of no such array, or if two arrays may
 * be chunks of one. */
TEST(arrays_of_a_pool)
{
	struct round round = {
	    .ops = {{.kind = XS_STEP_H2D, .bytes = BYTES / 2},
		    {.kind = XS_STEP_KERNEL, .buffers = 1},
		    {.kind = XS_STEP_H2D, .begin = BYTES, .bytes = BYTES},
		    {.kind = XS_STEP_KERNEL, .buffers = 2},
		    {.kind = XS_STEP_D2H, .bytes = BYTES / 2}},
	    .count = 5,
	    .pool = true};

	for (int how = 0; how < 3; how++) {
		struct xs_step steps[OPS];
		struct xs_trace *trace = trace_of(&round);
		struct xs_phase phase = phase_of(trace, steps, round.count);

		assert_int_equal(flow_of(trace, &phase), 0);
		assert_int_equal(steps[0].partner, 1);
		assert_int_equal(steps[2].partner, 3);
		assert_int_equal(steps[4].partner, how ? 3 : 1);
		xs_trace_free(trace);
		/* the first kernel is given the second array, and the second
		 * one both */
		round.ops[1].buffers = 2;
		round.ops[3].buffers = 3;
		trace = trace_of(&round);
		phase = phase_of(trace, steps, round.count);
		assert_int_equal(flow_of(trace, &phase), 0);
		assert_int_equal(steps[2].partner, 3);
		assert_int_equal(steps[4].partner, 3);
		xs_trace_free(trace);
		round.ops[1].buffers = 1;
		round.ops[3].buffers = 2;
		/* no space between them; then none is given the second one */
		round.ops[0].bytes = round.ops[4].bytes = BYTES;
		round.ops[2].begin += how ? BYTES / 2 : 0;
		round.ops[2].bytes /= how ? 2 : 1;
	}
}

static void expect_least(const struct round *round, uint64_t least_ns)
{
	struct xs_step steps[OPS];
	struct xs_trace *trace = trace_of(round);
	struct xs_phase phase = phase_of(trace, steps, round->count);

	assert_int_equal(flow_of(trace, &phase), 0);
	assert_true(phase.flow_known);
	assert_int_equal(phase.least_ns, least_ns);
	if (round->symbols) { /* the size of such memory is not known */
		assert_false(steps[1].given_known);
		assert_int_equal(phase.task_class.kind, XS_CLASS_UNKNOWN);
	}
	xs_trace_free(trace);
}

/* Each kernel needs what that of the round before wrote; ops take 100 ns. */
TEST(least_time_of_a_round)
{
	struct round round = {
	    .ops = {{.kind = XS_STEP_H2D, .bytes = BYTES},
		    {.kind = XS_STEP_KERNEL, .buffers = 3},
		    {.kind = XS_STEP_D2H, .begin = BYTES, .bytes = BYTES}},
	    .count = 3};

	expect_least(&round, (ROUNDS + 2) * 100 / ROUNDS);
	round.ops[1].buffers = 1; /* then no round needs another one */
	expect_least(&round, 100);
	round.ops[1].unknown = true;
	expect_least(&round, 0);
	round.ops[1].unknown = false;
	round.symbols = true; /* kernels may use __device__ variables */
	expect_least(&round, (ROUNDS + 1) * 100 / ROUNDS);
	round.symbols = false;
	round.noise = true; /* work that is of no round */
	expect_least(&round, 0);
}

/* An op that the GPU's clock puts before its call, and before the end of the
 * round before, is still of the call's round. */
TEST(least_time_with_an_early_clock)
{
	const struct round round = {
	    .ops = {{.kind = XS_STEP_H2D, .bytes = BYTES},
		    {.kind = XS_STEP_KERNEL, .buffers = 1}},
	    .count = 2,
	    .early = true};
	struct xs_step steps[OPS];
	struct xs_trace *trace = trace_of(&round);
	struct xs_phase phase = phase_of(trace, steps, round.count);

	phase.sample_rounds = ROUNDS - 1;
	phase.sample_to_ns =
	    trace->calls[trace->ops[phase.sample_rounds * round.count].call]
		.start_ns;
	assert_int_equal(flow_of(trace, &phase), 0);
	assert_int_equal(phase.least_ns, 100);
	xs_trace_free(trace);
}

/* All phases of a report share the steps. */
TEST(few_steps_left)
{
	const struct round round = {
	    .ops = {{.kind = XS_STEP_H2D, .bytes = BYTES},
		    {.kind = XS_STEP_KERNEL, .buffers = 1}},
	    .count = 2};
	struct xs_step steps[OPS];
	struct xs_trace *trace = trace_of(&round);
	struct xs_phase phase = phase_of(trace, steps, round.count);
	uint64_t left = 1000, taken;

	xs_phase_flow(trace, &phase, &left);
	assert_true(phase.flow_known);
	assert_in_range(left, 1, 999);
	taken = 1000 - left;
	/* the search, and each round's ops with each copy */
	assert_true(taken > round.count * ROUNDS);
	for (uint64_t more = 0; more < 2; more++) {
		left = taken + more;
		xs_phase_flow(trace, &phase, &left);
		assert_int_equal(phase.flow_known, more);
	}
	xs_trace_free(trace);
}

/* Nothing is known of rounds with other ops, or without a sample. */
TEST(other_rounds)
{
	struct round round;
	struct xs_step steps[OPS];

	do
		make_round(&round);
	while (round.count < 2);
	struct xs_trace *trace = trace_of(&round);
	struct xs_phase phase = phase_of(trace, steps, round.count);
	steps[1].kind = XS_STEP_SET;
	assert_int_equal(flow_of(trace, &phase), 0);
	assert_false(phase.flow_known);
	phase = phase_of(trace, steps, round.count);
	phase.sample_rounds = 0;
	assert_int_equal(flow_of(trace, &phase), 0);
	assert_false(phase.flow_known);
	xs_trace_free(trace);
}

/* Sets the site of all copies. */
static void set_site(struct xs_trace *trace, struct xs_step *steps,
		     uint32_t count, uint32_t call_id, uint32_t step_id)
{
	for (uint32_t s = 0; s < trace->site_count; s++) {
		for (size_t i = 0;
		     trace->sites[s].id == call_id && i < trace->op_count; i++)
			if (trace->ops[i].kind != XS_OP_KERNEL)
				trace->calls[trace->ops[i].call].site = s;
		for (uint32_t i = 0; trace->sites[s].id == step_id && i < count;
		     i++)
			if (steps[i].kind != XS_STEP_KERNEL)
				steps[i].site = s;
	}
}

/* The steps are of a loop in another place than the sample's. */
TEST(one_line_in_two_places)
{
	struct round round;
	struct xs_step steps[OPS];

	do
		make_round(&round);
	while (round.ops[0].kind == XS_STEP_KERNEL);
	struct xs_trace *trace = trace_of(&round);
	struct xs_phase phase = phase_of(trace, steps, round.count);
	set_site(trace, steps, round.count, 16, 17);
	assert_int_equal(flow_of(trace, &phase), 0);
	assert_true(phase.flow_known);
	set_site(trace, steps, round.count, 16, 18);
	assert_int_equal(flow_of(trace, &phase), 0);
	assert_false(phase.flow_known);
	xs_trace_free(trace);
}
