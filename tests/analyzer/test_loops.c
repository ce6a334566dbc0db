/* SPDX-License-Identifier: MIT */
/* Iterations of loops: in several threads, without a synchronisation, and with
 * pageable copies to alternating memory. */
#include "tests/unit.h"

#include "analyzer/rounds/phase.h"
#include "tests/analyzer/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ITERATIONS 8

static char *text;
static size_t text_bytes;
static FILE *out;

/* Sites: 1 and 2: launches, 3: a wait for the device, 4: an asynchronous copy,
 * 5: an event is recorded, 6: a stream waits for it, 7: a host function, 8:
 * memory is pinned, 9: another copy, 10: another launch. */
static void begin(void)
{
	out = open_memstream(&text, &text_bytes);
	fprintf(out, "xferspy-text 1\nheader\nchunk thread=1\n"
		     "site call_class=5 site=1\nsite call_class=5 site=2\n"
		     "site call_class=13 site=3\nsite call_class=2 site=4\n"
		     "site call_class=16 site=5\nsite call_class=17 site=6\n"
		     "site call_class=23 site=7\nsite call_class=8 site=8\n"
		     "site call_class=2 site=9\nsite call_class=5 site=10\n"
		     "queue queue=0 stream=7\nqueue queue=1 stream=8\n");
}

static void call(unsigned thread, unsigned site, unsigned id, unsigned start,
		 unsigned duration)
{
	fprintf(out,
		"chunk thread=%u\n"
		"%s site=%u correlation=%u start=%u duration=%u\n",
		thread, site == 3 ? "waitcall" : "call", site, id, start,
		duration);
}

static void event_call(unsigned thread, unsigned site, unsigned event,
		       unsigned start)
{
	fprintf(out,
		"chunk thread=%u\n"
		"waitcall site=%u start=%u duration=2 stream=%u event=%u\n",
		thread, site, start, thread == 1 ? 7u : 8u, event);
}

static void copy_call(unsigned id, unsigned start, unsigned duration,
		      unsigned dst)
{
	fprintf(out,
		"chunk thread=1\ncopycall site=4 correlation=%u start=%u "
		"duration=%u bytes=8192 direction=1 dst=%u\n",
		id, start, duration, dst);
}

static void kernel(unsigned id, unsigned start, unsigned duration,
		   unsigned queue)
{
	fprintf(out,
		"chunk\nkernel queue=%u correlation=%u start=%u duration=%u\n",
		queue, id, start, duration);
}

static void copied(unsigned id, unsigned start, unsigned duration,
		   unsigned direction, unsigned queue)
{
	fprintf(out,
		"chunk\ncopy queue=%u correlation=%u start=%u duration=%u "
		"bytes=8192 direction=%u src_memory=%u dst_memory=%u\n",
		queue, id, start, duration, direction, direction == 1 ? 1u : 3u,
		direction == 1 ? 3u : 1u);
}

/* Whether all calls of the text have one thread id. */
static bool is_one_thread(const struct xs_trace *trace)
{
	for (size_t i = 1; i < trace->call_count; i++)
		if (trace->calls[i].thread != trace->calls[0].thread)
			return false;
	return true;
}

/* Checks the number of phases of the text, and of rounds of the one with most
 * of them. */
static void check(size_t phase_count, uint64_t rounds)
{
	struct xs_phases phases;
	uint64_t most = 0;

	fclose(out);
	struct xs_trace *trace = read_text(text);
	xs_phases_build(trace, &phases);
	for (size_t i = 0; i < phases.count; i++)
		if (phases.items[i].rounds > most)
			most = phases.items[i].rounds;
	assert_int_equal(phases.count, phase_count);
	assert_int_equal(most, rounds);
	xs_phases_free(&phases);
	xs_trace_free(trace);
	free(text);
}

static void check_threads(bool one)
{
	fclose(out);
	struct xs_trace *trace = read_text(text);
	assert_int_equal(is_one_thread(trace), one);
	xs_trace_free(trace);
	free(text);
}

/* One thread launches, another one launches the rest, and the first one waits
 * for the device. wait_ns: before the second launch (0) or around it. */
static void two_threads(unsigned queue, unsigned wait_ns)
{
	begin();
	for (unsigned i = 0; i < ITERATIONS; i++) {
		const unsigned at = 100 * i;

		call(1, 1, 2 * i + 1, at, 5);
		kernel(2 * i + 1, at + 10, 5, 0);
		call(2, 2, 2 * i + 2, at + 20, 5);
		kernel(2 * i + 2, at + 30, 5, queue);
		call(1, 3, 0, at + 40 - wait_ns, 10 + wait_ns);
	}
}

TEST(test_threads_that_take_turns)
{
	two_threads(0, 0);
	check_threads(true);
	two_threads(0, 0);
	check(1, ITERATIONS);
}

/* Nothing orders the work of both threads. */
TEST(test_threads_with_their_own_streams)
{
	two_threads(1, 0);
	check_threads(false);
}

TEST(test_threads_at_the_same_time)
{
	two_threads(0, 25);
	check_threads(false);
}

/* One thread copies, and another one launches what the copies have to come
 * before: they wait for `awaited`, the copies record event 1. A part of the
 * launches begins within the copies' calls. */
static void copies_by_another_thread(unsigned iterations, unsigned awaited,
				     unsigned overlaps)
{
	begin();
	for (unsigned i = 0; i < iterations; i++) {
		const unsigned at = 100 * i;

		copy_call(2 * i + 1, at, i < overlaps ? 22 : 10, 64);
		copied(2 * i + 1, at + 12, 20, 1, 0);
		event_call(1, 5, 1, at + 24);
		event_call(2, 6, awaited, at + 28);
		call(2, 1, 2 * i + 2, at + (i < overlaps ? 20 : 34), 5);
		kernel(2 * i + 2, at + 40, 20, 1);
	}
}

TEST(test_threads_that_events_order)
{
	copies_by_another_thread(ITERATIONS, 1, 0);
	check_threads(true);
	copies_by_another_thread(ITERATIONS, 1, 0);
	check(1, ITERATIONS);
	copies_by_another_thread(ITERATIONS, 2, 0);
	check_threads(false);
}

/* The host need not wait for a thread that only copies, but for one that waits
 * for the device itself. */
TEST(test_turns_that_begin_within_a_call)
{
	copies_by_another_thread(3 * ITERATIONS, 1, 2 * ITERATIONS);
	check_threads(true);
	copies_by_another_thread(3 * ITERATIONS, 1, 1);
	call(1, 3, 0, 300 * ITERATIONS, 5);
	check_threads(true);
	copies_by_another_thread(3 * ITERATIONS, 1, 2 * ITERATIONS);
	call(1, 3, 0, 300 * ITERATIONS, 5);
	check_threads(false);
}

/* A copy on another stream that begins after the next iteration's first op was
 * issued is of the iteration that issued it. */
TEST(test_ops_are_of_the_iteration_with_their_call)
{
	begin();
	for (unsigned i = 0; i < ITERATIONS; i++) {
		const unsigned at = 100 * i;

		call(1, 1, 2 * i + 1, at, 5);
		kernel(2 * i + 1, at + 10, 5, 0);
		copy_call(2 * i + 2, at + 20, 5, 64);
		/* the last ones are late */
		copied(2 * i + 2, at + (i + 2 < ITERATIONS ? 30 : 115), 10, 2,
		       1);
	}
	check(1, ITERATIONS);
}

/* A thread that ends before another one begins has no turns. */
TEST(test_threads_one_after_another)
{
	begin();
	for (unsigned i = 0; i < ITERATIONS; i++) {
		const unsigned thread = i < ITERATIONS / 2 ? 1 : 2;

		call(thread, thread, i + 1, 100 * i, 5);
		kernel(i + 1, 100 * i + 10, 5, 0);
		call(thread, 3, 0, 100 * i + 20, 10);
	}
	check_threads(false);
}

/* Iterations of a copy and two launches without a wait. The GPU takes busy_ns
 * for the second kernel. */
static void loop(unsigned busy_ns, unsigned queue)
{
	begin();
	for (unsigned i = 0; i < ITERATIONS; i++) {
		const unsigned at = 100 * i;

		copy_call(3 * i + 1, at, 20, 64 + 64 * (i % 2));
		copied(3 * i + 1, at + 5, 30, 1, 0);
		call(1, 1, 3 * i + 2, at + 30, 5);
		kernel(3 * i + 2, at + 36, 23, 0);
		call(1, 2, 3 * i + 3, at + 50, 5);
		kernel(3 * i + 3, at + 60, busy_ns, queue);
	}
}

TEST(test_loop_without_a_wait)
{
	loop(20, 0);
	check(1, ITERATIONS);
}

/* Steps of PyTorch's training: another thread launches the backward pass, and
 * that of a DataLoader pins memory for the first batches. */
TEST(test_training_without_a_wait)
{
	begin();
	for (unsigned i = 0; i < ITERATIONS; i++) {
		const unsigned at = 100 * i;

		if (i < 3)
			fprintf(out,
				"chunk thread=3\nmemcall site=8 start=%u "
				"duration=10 address=%u bytes=8192\n",
				at + 12, 65536 * (i + 1));
		copy_call(3 * i + 1, at, 20, 64 + 64 * (i % 2));
		copied(3 * i + 1, at + 5, 20, 1, 0);
		call(2, 1, 3 * i + 2, at + 30, 5);
		kernel(3 * i + 2, at + 36, 20, 0);
		call(1, 2, 3 * i + 3, at + 50, 5);
		kernel(3 * i + 3, at + 60, 20, 0);
	}
	check(1, ITERATIONS);
}

/* Each step launches one kernel for each of five layers, which follow each
 * other at once, as in a decoder without a wait. */
TEST(test_loop_of_layers)
{
	begin();
	for (unsigned i = 0; i < ITERATIONS; i++) {
		call(1, 1, 6 * i + 1, 1000 * i, 5);
		kernel(6 * i + 1, 1000 * i + 10, 20, 0);
		for (unsigned layer = 1; layer <= 5; layer++) {
			const unsigned at = 1000 * i + 10 * layer;

			call(1, 2, 6 * i + 1 + layer, at, 5);
			kernel(6 * i + 1 + layer, at + 20, 10, 0);
		}
	}
	check(1, ITERATIONS);
}

/* Each step launches three kernels for each of five layers; those of the first
 * step have other names, as kernels of a graph whose nodes were recorded. */
TEST(test_loop_whose_first_step_has_other_kernels)
{
	begin();
	for (unsigned i = 0; i < ITERATIONS; i++) {
		unsigned id = 100 * i + 1, at = 1000 * i;

		call(1, 1, id, at, 5);
		kernel(id++, at + 10, 20, 0);
		for (unsigned layer = 0; layer < 5; layer++)
			for (unsigned k = 0; k < 3; k++, id++) {
				at += 10;
				call(1, i ? 2 : 10, id, at, 5);
				kernel(id, at + 30, 10, 0);
			}
	}
	check(1, ITERATIONS);
}

/* Checks the host's time beside the GPU's work in the iterations of a text. */
static void check_beside(uint64_t beside_ns, uint64_t behind_ns)
{
	struct xs_trace *trace;
	struct xs_phases phases;

	fclose(out);
	trace = read_text(text);
	xs_phases_build(trace, &phases);
	assert_int_equal(phases.items[0].rounds, ITERATIONS);
	assert_int_equal(phases.items[0].beside_ns, beside_ns);
	assert_int_equal(phases.items[0].behind_ns, behind_ns);
	xs_phases_free(&phases);
	xs_trace_free(trace);
	free(text);
}

/*
 * No call is in progress from 5000 to 6000, which only issues the next one,
 * from 11000 to 31000, while the GPU works until 30000, and from 36000 on,
 * until it has ended at 80000.
 */
TEST(test_host_beside_the_gpu)
{
	for (unsigned function = 0; function < 2; function++) {
		begin();
		for (unsigned i = 0; i < ITERATIONS; i++) {
			const unsigned at = 100000 * i;

			copy_call(3 * i + 1, at, 5000, 64);
			copied(3 * i + 1, at + 5000, 10000, 1, 0);
			call(1, 1, 3 * i + 2, at + 6000, 5000);
			kernel(3 * i + 2, at + 15000, 15000, 0);
			call(1, 2, 3 * i + 3, at + 31000, 5000);
			kernel(3 * i + 3, at + 36000, 44000, 0);
			/* which may tell the host that the GPU has ended */
			if (function)
				event_call(1, 7, 0, at + 37000);
		}
		if (function)
			check_beside(0, 0);
		else
			check_beside(19000 + 44000, 44000);
	}
}

/* Recording ends within the loop: the first and the last iteration may be cut.
 */
TEST(test_loop_that_a_range_cuts)
{
	struct xs_window window = {0, UINT64_MAX - 1};
	struct xs_phases phases;

	loop(20, 0);
	fclose(out);
	struct xs_trace *trace = read_text(text);
	trace->windows = &window;
	trace->window_count = 1;
	xs_phases_build(trace, &phases);
	assert_int_equal(phases.count, 1);
	assert_int_equal(phases.items[0].recorded_rounds, ITERATIONS - 2);
	xs_phases_free(&phases);
	trace->windows = NULL;
	trace->window_count = 0;
	xs_trace_free(trace);
	free(text);
}

/* An op of a step, whose call is the n-th one of the host. */
static void issued(bool copies, unsigned site, unsigned n, unsigned start,
		   unsigned duration, unsigned queue)
{
	fprintf(out,
		"chunk thread=1\n%s site=%u correlation=%u start=%u "
		"duration=1%s\n",
		copies ? "copycall" : "call", site, n + 1, 2 * n,
		copies ? " bytes=8192 direction=1 dst=64" : "");
	if (copies)
		copied(n + 1, start, duration, 1, queue);
	else
		kernel(n + 1, start, duration, queue);
}

/* The step whose last kernel, of another thread, the next copy overtakes. */
static unsigned crossed;
/* How long before each other step its batch is copied, on a side stream, and
 * half as long before the others; 0: in the step. */
static unsigned ahead_ns;

/* How long behind its step its batch, which is for a later one, is copied. */
static unsigned behind_ns;

/* Copies of a batch, at one call site. */
static unsigned parts = 1;

/* All calls are issued before the second step begins on the GPU. A step copies
 * in and has so many kernels, the first one in a queue. Layers: each other one
 * needs a copy of its own. The last kernel ends when the next step begins, 1000
 * after its first op. */
static void busy_steps(unsigned kernels, bool layers, unsigned queue)
{
	const unsigned copy_ns = layers ? 5 : 0;
	unsigned n = 0;

	begin();
	for (unsigned i = 1; i <= ITERATIONS; i++) {
		unsigned at = 1000 * i + 215;

		for (unsigned part = 0; part < parts; part++)
			issued(true, 4, n++,
			       1000 * i - ahead_ns / (1 + i % 2) + behind_ns +
				   part * 100 / parts,
			       100 / parts, ahead_ns + behind_ns != 0);
		issued(false, 1, n++, 1000 * i + 110, 100, queue);
		for (unsigned k = 2; k <= kernels; k++) {
			const unsigned end =
			    k < kernels ? at + 10 : 1000 * (i + 1);

			if (layers)
				issued(true, 9, n++, at, copy_ns, 0);
			at += copy_ns;
			if (i == crossed && k == kernels) /* behind the copy */
				issued(false, 2, n++, end + 100, 10, 0);
			else
				issued(false, 2, n++, at, end - at, 0);
			at = end;
		}
	}
}

/* The host runs ahead of the GPU: in one stream, steps begin with a copy in. */
TEST(test_busy_loops)
{
	busy_steps(8, false, 0);
	check(1, ITERATIONS);
	busy_steps(8, false,
		   1); /* the next copy does not wait for this kernel */
	check(1, 1);
	begin();
	for (unsigned i = 0; i < 8 * ITERATIONS; i++) {
		call(1, 1, i + 1, 10 * i, 5);
		kernel(i + 1, 100 + 50 * i, 50, 0);
	}
	check(1, 1);
}

/* A round whose copies may overlap its kernels. */
TEST(test_chunks_are_no_steps)
{
	loop(41, 0);
	check(1, 1);
	busy_steps(7, false, 0);
	check(1, 1);
}

/* Weights, of which each layer needs its own, are copied in more often than
 * batches. */
TEST(test_steps_of_layers)
{
	busy_steps(12, true, 0);
	check(1, ITERATIONS);
}

/* Batches for the step after the next: where copies are the limit, they run
 * behind the step that issues them. */
TEST(test_copies_behind_their_step)
{
	behind_ns = 500;
	busy_steps(8, false, 0);
	check(1, ITERATIONS);
	behind_ns = 1500;
	busy_steps(8, false, 0);
	check(1, 1);
	behind_ns = 0;
}

/* Batches are copied on a side stream, up to two steps ahead: the kernels
 * divide the time. */
TEST(test_busy_loop_with_a_side_stream)
{
	struct xs_phases phases;
	struct xs_trace *trace;

	for (ahead_ns = 400; ahead_ns <= 1000; ahead_ns += 600) {
		busy_steps(8, false, 0);
		fclose(out);
		trace = read_text(text);
		xs_phases_build(trace, &phases);
		assert_int_equal(phases.items->rounds, ITERATIONS);
		assert_int_equal(phases.items->round_ns.median_ns, 1000);
		assert_int_equal(phases.items->steps[0].kind, XS_STEP_H2D);
		assert_int_equal(phases.items->steps[0].start_ns, 0);
		assert_int_equal(phases.items->steps[0].end_ns, 100);
		xs_phases_free(&phases);
		xs_trace_free(trace);
		free(text);
	}
	ahead_ns = 400;
	busy_steps(8, false, 1);
	check(1, 1); /* kernels in both streams */
	ahead_ns = 0;
}

/* The parts of a batch begin one step, on any stream. */
TEST(test_batches_of_two_parts)
{
	parts = 2;
	busy_steps(8, false, 0);
	check(1, ITERATIONS);
	busy_steps(7, false, 0);
	check(1, 1);
	ahead_ns = 400;
	busy_steps(8, false, 0);
	check(1, ITERATIONS);
	ahead_ns = 0;
	parts = 1;
}

/* A batch that no step takes is copied in the last step. */
TEST(test_a_batch_is_left)
{
	ahead_ns = 400;
	busy_steps(8, false, 0);
	issued(true, 4, 9 * ITERATIONS, 1000 * ITERATIONS + 800, 100, 1);
	check(2, ITERATIONS - 1);
	ahead_ns = 0;
}

TEST(test_host_far_ahead)
{
	struct xs_phases phases;
	const struct xs_phase *phase;
	struct xs_trace *trace;

	busy_steps(8, false, 0);
	fclose(out);
	trace = read_text(text);
	xs_phases_build(trace, &phases);
	phase = phases.items;
	assert_int_equal(phase->rounds, ITERATIONS);
	assert_int_equal(phase->round_ns.median_ns, 1000);
	assert_int_equal(phase->round_ns.p5_ns, 1000);
	assert_int_equal(phase->host_ns.median_ns, 15);
	assert_int_equal(phase->beside_ns, 0);
	assert_int_equal(phase->behind_ns, 0);
	assert_int_equal(phase->total_ns, 1000 * (ITERATIONS + 1));
	xs_phases_free(&phases);
	xs_trace_free(trace);
	free(text);
}

/* A step lasts until the next one begins, whatever runs behind that. */
TEST(test_calls_of_two_threads_cross)
{
	struct xs_phases phases;
	struct xs_trace *trace;

	crossed = ITERATIONS - 1;
	busy_steps(8, false, 0);
	crossed = 0;
	fclose(out);
	trace = read_text(text);
	xs_phases_build(trace, &phases);
	assert_int_equal(phases.items->rounds, ITERATIONS);
	assert_int_equal(phases.items->round_ns.p5_ns, 1000);
	assert_int_equal(phases.items->total_ns, 1000 * (ITERATIONS + 1));
	xs_phases_free(&phases);
	xs_trace_free(trace);
	free(text);
}

TEST(test_loop_on_two_streams)
{
	loop(20, 1);
	check(1, ITERATIONS);
}

/* Copies that the host waits for, and a kernel that needs them all. */
TEST(test_copies_are_no_iterations)
{
	begin();
	for (unsigned i = 0; i < ITERATIONS; i++) {
		copy_call(i + 1, 100 * i, 20, 64 * i);
		copied(i + 1, 100 * i + 5, 10, 1, 0);
	}
	call(1, 1, 90, 900, 5);
	kernel(90, 910, 5, 0);
	check(1, 1);
}

/* Iterations, and results of all of them, which are as many ops. */
TEST(test_results_of_all_are_in_the_round)
{
	loop(20, 0);
	for (unsigned i = 0; i < 3 * ITERATIONS; i++) {
		copy_call(100 + i, 2000 + 100 * i, 5, 64);
		copied(100 + i, 2010 + 100 * i, 10, 2, 0);
	}
	check(1, 1);
}

/* A copy in, a kernel and a copy out, which the host waits for, since the
 * memory is pageable. The next iteration copies to other memory. */
static void waited_copies(unsigned kernel_queue)
{
	begin();
	for (unsigned i = 0; i < ITERATIONS; i++) {
		const unsigned at = 100 * i;

		copy_call(3 * i + 1, at, 20, 64 + 64 * (i % 2));
		copied(3 * i + 1, at + 5, 10, 1, 0);
		call(1, 1, 3 * i + 2, at + 30, 5);
		kernel(3 * i + 2, at + 40, 5, kernel_queue);
		copy_call(3 * i + 3, at + 50, 30, 0);
		copied(3 * i + 3, at + 60, 10, 2, 0);
	}
}

TEST(test_alternating_memory)
{
	waited_copies(0);
	check(1, ITERATIONS);
}

/* The second piece of a round could be copied while the first one is computed
 * in another stream. */
TEST(test_pieces_on_two_streams)
{
	waited_copies(1);
	check(1, ITERATIONS / 2);
}

/* Copies in, runs that many kernels, waiting for each, and copies out. */
static void waits_between(unsigned id, unsigned kernels)
{
	unsigned start = 1000 * id;

	copy_call(id, start, 10, 64);
	copied(id, start + 2, 6, 1, 0);
	for (unsigned i = 1; i <= kernels; i++) {
		start += 20;
		call(1, 1, id + i, start, 2);
		kernel(id + i, start + 3, 6, 0);
		call(1, 3, 0, start + 5, 10);
	}
	id += kernels + 1;
	copy_call(id, start + 20, 10, 128);
	copied(id, start + 22, 6, 2, 0);
}

static void check_waits(unsigned second, size_t phase_count, uint64_t rounds)
{
	begin();
	waits_between(10, 4);
	waits_between(20, second);
	waits_between(30, 4);
	check(phase_count, rounds);
}

/* Waits between kernels end no round, if iterations are equal. Others have
 * rounds of kernels alone. */
TEST(test_waits_between_kernels)
{
	begin();
	waits_between(10, 4);
	waits_between(20, 4);
	check(1, 2);
	check_waits(4, 1, 3);
	check_waits(3, 4, 2);
	begin();
	waits_between(10, 4);
	check(3, 2);
}

/* An iteration that copies in and then that many times computes at a call site
 * of its own and copies out. */
static void steps_of_iteration(unsigned first_id, unsigned steps)
{
	unsigned start = 100 * first_id;

	copy_call(first_id, start, 10, 64);
	copied(first_id, start + 2, 6, 1, 0);
	for (unsigned i = 0; i < steps; i++) {
		const unsigned id = first_id + 2 * i + 1;

		start = 100 * id;
		call(1, 100 + i, id, start, 2);
		kernel(id, start + 3, 6, 0);
		copy_call(id + 1, start + 20, 10, 128);
		copied(id + 1, start + 22, 6, 2, 0);
	}
}

/* Returns the processor time. */
static double seconds_of(unsigned steps)
{
	clock_t before;

	begin();
	for (unsigned i = 0; i < steps; i++)
		fprintf(out, "site call_class=5 site=%u offset=%u\n", 100 + i,
			100 + i);
	for (unsigned i = 0; i < 3; i++)
		steps_of_iteration(10 + i * (2 * steps + 1), steps);
	before = clock();
	check(1, 3);
	return (double)(clock() - before) / CLOCKS_PER_SEC;
}

/* Four times as many steps take less than eight times as long. The least of
 * several ratios: other programs may disturb a measurement. */
TEST(test_iterations_of_many_rounds)
{
	double ratio = 16;

	for (int i = 0; i < 3 && ratio > 8; i++)
		ratio = fmin(ratio, seconds_of(4000) / seconds_of(1000));
	if (ratio > 8)
		fail_msg("4 times as many steps: %.1f times as long", ratio);
}
