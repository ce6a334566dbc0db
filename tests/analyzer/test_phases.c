/* SPDX-License-Identifier: MIT */
/* Properties of the phases of every trace, and what distinguishes rounds. */
#include "tests/unit.h"

#include "analyzer/rounds/phase.h"
#include "analyzer/timeline/load_trace.h"
#include "analyzer/timeline/timeline.h"
#include "tests/analyzer/support.h"

#include <stdio.h>
#include <stdlib.h>

static struct xs_trace *trace;
static struct xs_phases phases;

FIXTURE(drop)
{
	xs_phases_free(&phases);
	xs_trace_free(trace);
	phases = (struct xs_phases){0};
	trace = NULL;
	return 0;
}

/* Builds the phases of a text, in place of those before. */
static void build(const char *text)
{
	drop(NULL);
	trace = read_text(text);
	xs_phases_build(trace, &phases);
}

static void check_phase(const struct xs_phase *phase, uint32_t id)
{
	uint64_t ops = 0;

	assert_int_equal(phase->id, id);
	assert_true(phase->rounds > 0);
	assert_true(phase->round_ns.p5_ns <= phase->round_ns.median_ns);
	assert_true(phase->round_ns.median_ns <= phase->round_ns.p95_ns);
	assert_true(phase->host_ns.median_ns <= phase->round_ns.p95_ns);
	assert_true(phase->first_start_ns <= phase->last_end_ns);
	for (size_t i = 0; i < phase->step_count; i++) {
		const struct xs_step *step = &phase->steps[i];

		assert_true(step->call_ns <= step->return_ns);
		assert_true(step->start_ns <= step->end_ns);
		ops += step->kind == XS_STEP_H2D || step->kind == XS_STEP_D2H ||
		       step->kind == XS_STEP_KERNEL;
		/* in the order of issue, where calls are known */
		if (i > 0 && step->return_ns && step->thread == step[-1].thread)
			assert_true(step[-1].call_ns <= step->call_ns);
	}
	assert_true(ops == phase->h2d_ops + phase->d2h_ops + phase->kernel_ops);
}

/* Every op is in exactly one round of one phase; ids are by decreasing time. */
TEST(test_nothing_is_lost)
{
	for (size_t i = 0; i < golden_count; i++) {
		uint64_t rounds = 0, kernels = 0, h2d_ops = 0;
		struct xs_timeline timeline;
		const char *error;

		assert_int_equal(
		    xs_trace_read(golden_path(golden_names[i]), &trace, &error),
		    0);
		xs_timeline_build(trace, &timeline);
		xs_phases_build(trace, &phases);
		for (size_t j = 0; j < phases.count; j++) {
			const struct xs_phase *phase = &phases.items[j];

			check_phase(phase, (uint32_t)j + 1);
			assert_true(j == 0 ||
				    phase->total_ns <= phase[-1].total_ns);
			rounds += phase->rounds;
			kernels += phase->rounds * phase->kernel_ops;
			h2d_ops += phase->rounds * phase->h2d_ops;
		}
		assert_true(rounds == phases.rounds);
		assert_true(kernels == timeline.count[XS_OP_KERNEL]);
		assert_true(h2d_ops == timeline.count[XS_OP_H2D]);
		drop(NULL);
	}
}

/*
 * Two rounds of a copy in and a copy out. The arguments set how the second one
 * differs.
 */
#define TWO_ROUNDS(site, bytes, module)                                        \
	"xferspy-text 1\nheader\nchunk thread=1\n"                             \
	"string id=1 text=\"/a\"\nstring id=2 text=\"/b\"\n"                   \
	"module module=1 path=1\nmodule module=2 path=2\n"                     \
	"site call_class=1 site=1 module=1 offset=16\n"                        \
	"site call_class=1 site=2 module=1 offset=32\n"                        \
	"site call_class=1 site=3 module=" module " offset=16\n"               \
	"copycall site=1 correlation=1 start=0 duration=10 src=1 bytes=4000\n" \
	"copycall site=2 correlation=2 start=20 duration=10 bytes=4000\n"      \
	"copycall site=" site " correlation=3 start=40 duration=10\n"          \
	"copycall site=2 correlation=4 start=60 duration=10\n"                 \
	"chunk\n"                                                              \
	"copy correlation=1 start=1 duration=8 bytes=4000 direction=1\n"       \
	"copy correlation=2 start=21 duration=8 bytes=4000 direction=2\n"      \
	"copy correlation=3 start=41 duration=8 direction=1 bytes=" bytes "\n" \
	"copy correlation=4 start=61 duration=8 bytes=4000 direction=2\n"

static void check_count(const char *text, size_t phase_count)
{
	build(text);
	assert_int_equal(phases.rounds, 2);
	assert_int_equal(phases.count, phase_count);
	for (size_t i = 1; i < phases.count; i++) {
		assert_string_not_equal(phases.items[i - 1].signature,
					phases.items[i].signature);
		assert_true(phases.items[i - 1].signature_hash !=
			    phases.items[i].signature_hash);
	}
}

TEST(test_what_is_alike)
{
	check_count(TWO_ROUNDS("1", "4000", "1"), 1);
	check_count(TWO_ROUNDS("1", "4390", "1"), 1); /* nearly equal sizes */
	check_count(TWO_ROUNDS("1", "4410", "1"), 2);
	check_count(TWO_ROUNDS("2", "4000", "1"), 2); /* another line */
	check_count(TWO_ROUNDS("3", "4000", "1"), 1); /* another caller only */
	check_count(TWO_ROUNDS("3", "4000", "2"), 2); /* another module */
}

/* The same program: a run may use another kind of memory at the same place. */
TEST(test_kinds_of_memory)
{
	build(TWO_ROUNDS("1", "4000 src_memory=1", "1"));
	assert_int_equal(phases.count, 2);
	assert_string_not_equal(phases.items[0].signature,
				phases.items[1].signature);
	assert_true(phases.items[0].signature_hash ==
		    phases.items[1].signature_hash);
}

/* Blocking copies in and out, and a kernel. */
enum part { IN, KERNEL, OUT, PARTS };

/* Writes the calls or the ops of rounds in the order of the letters. a, c and e
 * copy in, run a kernel and copy out, at different places, e only arguments; b
 * and d do not copy in. */
static void write_parts(FILE *out, const char *rounds, bool calls)
{
	unsigned n = 0;

	for (const char *c = rounds; *c; c++)
		for (int part = *c == 'b' || *c == 'd'; part < PARTS; part++) {
			const unsigned at = 20 * n++;

			if (calls)
				fprintf(out,
					"%s site=%d correlation=%u start=%u "
					"duration=10\n",
					part == KERNEL ? "call" : "copycall",
					PARTS * *c + part, n, at);
			else if (part == KERNEL)
				fprintf(out,
					"kernel correlation=%u start=%u "
					"duration=6\n",
					n, at + 1);
			else
				fprintf(out,
					"copy correlation=%u start=%u "
					"duration=6 bytes=%d direction=%d\n",
					n, at + 1, *c == 'e' ? 104 : 5000,
					part == IN ? 1 : 2);
		}
}

static void write_rounds(FILE *out, const char *rounds)
{
	fprintf(out, "xferspy-text 1\nheader\nchunk thread=1\n");
	for (int site = PARTS * 'a'; site < PARTS * 'f'; site++)
		fprintf(out, "site call_class=%d site=%d offset=%d\n",
			site % PARTS == KERNEL ? 5 : 1, site, site);
	write_parts(out, rounds, true);
	fprintf(out, "chunk\n");
	write_parts(out, rounds, false);
}

static void check_text(const char *text, size_t rounds, size_t phase_count)
{
	build(text);
	assert_int_equal(phases.rounds, rounds);
	assert_int_equal(phases.count, phase_count);
}

static char *text_of_rounds(const char *letters)
{
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	write_rounds(out, letters);
	fclose(out);
	return text;
}

static void check_rounds(const char *letters, size_t rounds, size_t phase_count)
{
	char *text = text_of_rounds(letters);

	check_text(text, rounds, phase_count);
	free(text);
}

static void check_between(const char *letters, uint64_t ns)
{
	char *text = text_of_rounds(letters);

	build(text);
	for (size_t i = 0; i < phases.count; i++)
		assert_int_equal(phases.items[i].between_ns.median_ns, ns);
	free(text);
}

/* From a copy out, which takes 10 of 20, to the next round of the phase; no
 * time is behind the last one. */
TEST(test_time_between_rounds)
{
	check_between("aaa", 10);
	assert_int_equal(phases.items[0].mean_between_ns, 20 / 3);
	check_between("acaca", 0);
	check_between("a", 0);
}

/* Writes the calls or the copies of four rounds, 1000 apart: a copy in, a copy
 * out, and a wait after 900, which the last round has after wait_ns, if any. */
static void write_spaced(FILE *out, unsigned wait_ns, bool calls)
{
	for (unsigned n = 0; n < 4; n++) {
		const unsigned at = 1000 * n;

		for (unsigned copy = 0; copy < 2; copy++)
			fprintf(out,
				calls ? "copycall site=%u correlation=%u "
					"start=%u duration=10\n"
				      : "copy direction=%u correlation=%u "
					"start=%u duration=6 bytes=5000\n",
				copy + 1, 2 * n + copy + 1,
				at + 20 * copy + !calls);
		if (calls && (n < 3 || wait_ns))
			fprintf(out, "call site=3 start=%u duration=10\n",
				at + (n < 3 ? 900 : wait_ns));
	}
}

static uint64_t shortest_spaced_ns(unsigned wait_ns)
{
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	fprintf(out, "xferspy-text 1\nheader\nchunk thread=1\n"
		     "site call_class=1 site=1 offset=1\n"
		     "site call_class=1 site=2 offset=2\n"
		     "site call_class=13 site=3 offset=3\n");
	write_spaced(out, wait_ns, true);
	fprintf(out, "chunk\n");
	write_spaced(out, wait_ns, false);
	fclose(out);
	check_text(text, 4, 1);
	free(text);
	return phases.items[0].round_ns.p5_ns;
}

/* A last round whose host part is not recorded is not the shortest, unless it
 * takes half of that part of the others. */
TEST(test_a_cut_last_round)
{
	assert_int_equal(shortest_spaced_ns(900), 910);
	assert_int_equal(shortest_spaced_ns(0), 910);
	assert_int_equal(shortest_spaced_ns(600), 610);
}

TEST(test_iterations_of_several_rounds)
{
	check_rounds("ababab", 3, 1);
	check_rounds("abdabd", 2, 1);
	check_rounds("cbabab", 3, 2); /* the first one copies in elsewhere */
	check_rounds("ab", 2, 2);     /* not repeated */
	check_rounds("abbabb", 6, 2); /* how often b follows may vary */
	check_rounds("abaab", 5, 2);  /* so may whether it follows */
	check_rounds("abadab", 6, 3); /* or what follows */
	check_rounds("aeaeae", 3, 1);
	check_rounds("acacac", 6, 2); /* both copy in */
	check_rounds("babab", 5, 2);  /* b also begins */
}

/* Two rounds copy 4 MB in, as a function of Python in `file` asks for, from
 * pinned memory, and out 4 bytes. The host takes 1 ms before each. */
#define STAGED(file)                                                           \
	"xferspy-text 1\nheader\nchunk thread=1\n"                             \
	"string id=1 text=\"asarray\"\nstring id=2 text=\"" file "\"\n"        \
	"site call_class=0 site=1\nsource site=1 symbol=1 file=2 line=94\n"    \
	"site call_class=2 site=2 caller=1\nsite call_class=1 site=3\n"        \
	"copycall site=2 correlation=1 start=0 duration=1000 bytes=4000000\n"  \
	"copycall site=3 correlation=2 start=2000 duration=98000 bytes=4\n"    \
	"copycall site=2 correlation=3 start=1100000 duration=1000 "           \
	"bytes=4000000\n"                                                      \
	"copycall site=3 correlation=4 start=1102000 duration=98000 bytes=4\n" \
	"chunk\n"                                                              \
	"copy correlation=1 start=1000 duration=90000 bytes=4000000 "          \
	"direction=1 src_memory=2\n"                                           \
	"copy correlation=2 start=92000 duration=2000 bytes=4 direction=2\n"   \
	"copy correlation=3 start=1101000 duration=90000 bytes=4000000 "       \
	"direction=1 src_memory=2\n"                                           \
	"copy correlation=4 start=1192000 duration=2000 bytes=4 direction=2\n"

static void check_staged(const char *text, uint64_t longest_ns, bool staged)
{
	build(text);
	assert_int_equal(phases.count, 1);
	assert_int_equal(phases.items[0].round_ns.p95_ns, 100000);
	assert_int_equal(phases.items[0].total_ns, 100000 + longest_ns);
	assert_int_equal(phases.items[0].steps[0].staged, staged);
}

/* A round of CuPy's begins with its copy to pinned memory. */
TEST(test_cupy_stages_what_it_copies_in)
{
	check_staged(STAGED("/cupy/_creation/from_data.py"), 1100000, true);
	check_staged(STAGED("/my/from_data.py"), 100000, false);
}

/* Two rounds; the second one copies in from src, to the same address of the
 * device. */
#define TWO_SOURCES(src, out)                                                  \
	"xferspy-text 1\nheader\nchunk thread=1\n"                             \
	"site call_class=1 site=1\nsite call_class=1 site=2\n"                 \
	"copycall site=1 correlation=1 start=0 duration=10 src=64 dst=64 "     \
	"bytes=40\n"                                                           \
	"copycall site=2 correlation=2 start=20 duration=10 bytes=40 "         \
	"dst=256\n"                                                            \
	"copycall site=1 correlation=3 start=40 duration=10 bytes=40 "         \
	"src=" src " dst=" src "\n"                                            \
	"copycall site=2 correlation=4 start=60 duration=10 bytes=40 "         \
	"dst=" out "\n"                                                        \
	"chunk\n"                                                              \
	"copy correlation=1 start=1 duration=8 bytes=40 direction=1\n"         \
	"copy correlation=2 start=21 duration=8 bytes=40 direction=2\n"        \
	"copy correlation=3 start=41 duration=8 bytes=40 direction=1\n"        \
	"copy correlation=4 start=61 duration=8 bytes=40 direction=2\n"

static void check_same_host(const char *text, bool in, bool out)
{
	build(text);
	assert_int_equal(phases.rounds, 2);
	assert_int_equal(phases.count, 1);
	assert_int_equal(phases.items[0].steps[0].same_host, in);
	assert_int_equal(phases.items[0].in_sets, in ? 1 : 2);
	assert_int_equal(phases.items[0].steps[1].same_host, out);
}

/* Each iteration clears a counter, computes, and copies the counter out. */
TEST(test_iterations_that_begin_with_a_set)
{
	check_count(
	    "xferspy-text 1\nheader\nchunk thread=1\n"
	    "site call_class=4 site=1\nsite call_class=5 site=2\n"
	    "site call_class=1 site=3\n"
	    "call site=1 correlation=1 start=0 duration=2\n"
	    "call site=2 correlation=2 start=4 duration=2\n"
	    "copycall site=3 correlation=3 start=8 duration=12 bytes=4\n"
	    "call site=1 correlation=4 start=30 duration=2\n"
	    "call site=2 correlation=5 start=34 duration=2\n"
	    "copycall site=3 correlation=6 start=38 duration=12 bytes=4\n"
	    "chunk\n"
	    "set correlation=1 start=3 duration=2 bytes=4\n"
	    "kernel correlation=2 start=7 duration=6\n"
	    "copy correlation=3 start=15 duration=3 bytes=4 direction=2\n"
	    "set correlation=4 start=33 duration=2 bytes=4\n"
	    "kernel correlation=5 start=37 duration=6\n"
	    "copy correlation=6 start=45 duration=3 bytes=4 direction=2\n",
	    1);
}

/* Two pieces that are copied in and out, asynchronously from pageable memory,
 * and a wait: one round. The second piece goes to dst; to the same memory it is
 * the next iteration. */
#define TWO_PIECES(dst)                                                        \
	"xferspy-text 1\nheader\nchunk thread=1\n"                             \
	"site call_class=2 site=1\nsite call_class=2 site=2\n"                 \
	"site call_class=14 site=3\n"                                          \
	"copycall site=1 correlation=1 start=0 duration=10 bytes=40 dst=64\n"  \
	"copycall site=2 correlation=2 start=20 duration=10 bytes=40\n"        \
	"copycall site=1 correlation=3 start=40 duration=10 bytes=40 "         \
	"dst=" dst "\n"                                                        \
	"copycall site=2 correlation=4 start=60 duration=10 bytes=40\n"        \
	"waitcall site=3 start=80 duration=5\n"                                \
	"chunk\n"                                                              \
	"copy correlation=1 start=1 duration=8 bytes=40 direction=1 "          \
	"src_memory=1 dst_memory=3\n"                                          \
	"copy correlation=2 start=21 duration=8 bytes=40 direction=2 "         \
	"src_memory=3 dst_memory=1\n"                                          \
	"copy correlation=3 start=41 duration=8 bytes=40 direction=1 "         \
	"src_memory=1 dst_memory=3\n"                                          \
	"copy correlation=4 start=61 duration=8 bytes=40 direction=2 "         \
	"src_memory=3 dst_memory=1\n"

TEST(test_pieces_that_only_staging_orders)
{
	check_text(TWO_PIECES("128"), 1, 1);
	check_text(TWO_PIECES("64"), 2, 1);
}

/* Memory that is copied in is none that is copied out. */
TEST(test_copies_of_the_same_memory)
{
	check_same_host(TWO_SOURCES("64", "256"), true, true);
	check_same_host(TWO_SOURCES("128", "256"), false, true);
	check_same_host(TWO_SOURCES("64", "128"), true, false);
	check_same_host(TWO_SOURCES("256", "64"), false, false);
}

/* The hash does not depend on addresses, handles, times and the order of
 * tables. */
static const char *const texts[] = {
    "xferspy-text 1\nheader\nchunk thread=1 base_ns=1000\n"
    "string id=1 text=\"cudaMemcpy\"\nstring id=2 text=\"k\"\n"
    "string id=3 text=\"/bin/a\"\nstring id=4 text=\"0a0b\"\n"
    "module module=1 path=3 build_id=4\n"
    "site call_class=1 site=1 function=1 module=1 offset=5\n"
    "shape shape=1 name=2\n"
    "copycall site=1 correlation=1 start=0 duration=10 src=77 bytes=4096\n"
    "chunk base_ns=1000\n"
    "copy correlation=1 start=1 duration=8 bytes=4096 direction=1\n"
    "kernel start=12 duration=9 shape=1\n",
    "xferspy-text 1\nheader\nchunk thread=9 base_ns=5000\n"
    "shape shape=8 name=12\n"
    "string id=13 text=\"/moved/a\"\nstring id=14 text=\"0a0b\"\n"
    "module module=3 path=13 build_id=14\n"
    "string id=12 text=\"k\"\nstring id=11 text=\"cudaMemcpy\"\n"
    "site call_class=1 site=6 function=11 module=3 offset=5\n"
    "copycall site=6 correlation=99 start=0 duration=30 src=99 bytes=4096\n"
    "chunk base_ns=5000\n"
    "copy correlation=99 start=1 duration=20 bytes=4096 direction=1\n"
    "kernel start=42 duration=4 shape=8\n",
};

TEST(test_hash_is_stable)
{
	uint64_t hash[2][2];

	for (size_t i = 0; i < 2; i++) {

		build(texts[i]);
		assert_int_equal(phases.count, 2);
		for (size_t j = 0; j < 2; j++)
			hash[i][phases.items[j].h2d_ops] =
			    phases.items[j].signature_hash;
		drop(NULL);
	}
	assert_true(hash[0][0] == hash[1][0]);
	assert_true(hash[0][1] == hash[1][1]);
	assert_true(hash[0][0] != hash[0][1]);
}

/* One thread drives many devices in one round each. Its calls belong to all of
 * these rounds, but the number of steps stays proportional to the trace. */
TEST(test_shared_calls_are_bounded)
{
	enum { DEVICES = 12, CALLS = 500 };
	size_t steps = 0, size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	fprintf(out, "xferspy-text 1\nheader\nchunk thread=1\n");
	for (int i = 0; i < DEVICES; i++)
		fprintf(out, "queue queue=%d device=%d\n", i, i);
	for (int i = 0; i < 2 * DEVICES; i++)
		fprintf(out, "call site=1 correlation=%d start=%d duration=1\n",
			i + 1, i < DEVICES ? i * 10 : 90000 + i * 10);
	for (int i = 0; i < CALLS; i++)
		fprintf(out, "call site=2 start=%d duration=1\n",
			1000 + i * 10);
	fprintf(out, "chunk\n");
	for (int i = 0; i < 2 * DEVICES; i++)
		fprintf(out,
			"kernel queue=%d correlation=%d start=%d duration=1\n",
			i % DEVICES, i + 1, i < DEVICES ? i : 90000 + i);
	fclose(out);
	build(text);
	assert_int_equal(phases.count, DEVICES);
	for (size_t i = 0; i < phases.count; i++) {
		assert_int_equal(phases.items[i].kernel_ops, 2);
		steps += phases.items[i].step_count;
	}
	assert_true(steps > trace->call_count);
	assert_true(steps <= trace->op_count + 2 * trace->call_count);
	free(text);
}

static void check_signature(const char *name, const char *wanted)
{
	char text[600];

	snprintf(text, sizeof(text),
		 "xferspy-text 1\nheader\nchunk\nstring id=1 text=\"%s\"\n"
		 "shape shape=1 name=1\nkernel shape=1\n",
		 name);
	build(text);
	assert_string_equal(phases.items[0].signature, wanted);
}

TEST(test_kernel_names)
{
	check_signature("stencil7", "stencil7");
	check_signature("_Z8stencil7PKiPii", "stencil7");
	check_signature("_ZN3app6reduceIfEEvPKfPfi", "reduce");
	check_signature("void ns::f<a::b<int> >(int)", "f");
	check_signature("_ZN12_GLOBAL__N_13addEPi", "add");
	check_signature("", "kernel");
}

/* Expects the hardware queues of one round on a device of compute capability
 * cc, with those info records. */
static void expect_hw_queues(unsigned cc, const char *infos,
			     unsigned kernel_hw_queues, unsigned copy_hw_queues)
{
	char text[1024];

	snprintf(text, sizeof(text),
		 "xferspy-text 1\n"
		 "header pid=1 state=1 start_realtime_ns=1000000000 "
		 "end_realtime_ns=1000001000\n"
		 "chunk thread=0 base_ns=1000000000\n"
		 "%sdevice device=2 cc_major=%u name=\"GPU\"\n"
		 "queue queue=0 device=2 queue_kind=1 context=1 stream=7\n"
		 "copy queue=0 start=100 duration=100 bytes=1000 direction=1 "
		 "src_memory=2 dst_memory=3 copies=1\n",
		 infos, cc);
	build(text);
	assert_int_equal(phases.count, 1);
	assert_int_equal(phases.items[0].kernel_hw_queues, kernel_hw_queues);
	assert_int_equal(phases.items[0].copy_hw_queues, copy_hw_queues);
}

/* One variable applies to both; from compute capability 8.0 on, copies have
 * their own. */
TEST(test_hw_queues_are_those_requested)
{
#define ALL(number) "info text=\"CUDA_DEVICE_MAX_CONNECTIONS=" number "\"\n"
#define COPY(number)                                                           \
	"info text=\"CUDA_DEVICE_MAX_COPY_CONNECTIONS=" number "\"\n"
	expect_hw_queues(9, "", 0, 0);
	expect_hw_queues(9, ALL("1"), 1, 1);
	expect_hw_queues(9, COPY("16"), 0, 16);
	expect_hw_queues(8, ALL("32") COPY("4"), 32, 4);
	expect_hw_queues(7, ALL("32") COPY("4"), 32, 32);
	expect_hw_queues(7, COPY("4"), 0, 0);
	/* a file may contain any value */
	expect_hw_queues(9, ALL("33") COPY("-1"), 0, 0);
	expect_hw_queues(9, ALL("x") COPY("99999999999999999999"), 0, 0);
#undef COPY
#undef ALL
}

/* Two copies of adjacent memory: device memory that is allocated at once, and
 * pinned memory in two allocations. */
TEST(test_starts_of_allocations)
{
	static const char text[] =
	    "xferspy-text 1\nheader\nchunk thread=1\n"
	    "site call_class=7 site=1\nsite call_class=8 site=2\n"
	    "site call_class=1 site=3\n"
	    "memcall site=1 start=0 duration=1 address=4096 bytes=8000\n"
	    "memcall site=2 start=2 duration=1 address=65536 bytes=4000\n"
	    "memcall site=2 start=4 duration=1 address=69536 bytes=4000\n"
	    "copycall site=3 correlation=1 start=20 duration=10 dst=4096 "
	    "src=65536 bytes=4000 direction=1\n"
	    "copycall site=3 correlation=2 start=40 duration=10 dst=8096 "
	    "src=69536 bytes=4000 direction=1\n"
	    "chunk\n"
	    "copy correlation=1 start=21 duration=8 bytes=4000 direction=1\n"
	    "copy correlation=2 start=41 duration=8 bytes=4000 direction=1\n";
	const struct xs_step *step;
	unsigned copies = 0;

	build(text);
	for (size_t i = 0; i < phases.count; i++)
		for (size_t j = 0; j < phases.items[i].step_count; j++) {
			step = &phases.items[i].steps[j];
			if (step->kind != XS_STEP_H2D)
				continue;
			assert_true(step->src_starts);
			assert_int_equal(step->dst_starts, step->dst == 4096);
			copies++;
		}
	assert_true(copies > 0);
}

/* An array was freed; copies of the two halves of a larger one, at the same
 * place, are parts of one array. */
TEST(test_freed_memory_does_not_start)
{
	static const char text[] =
	    "xferspy-text 1\nheader\nchunk thread=1\n"
	    "site call_class=7 site=1\nsite call_class=10 site=2\n"
	    "site call_class=1 site=3\n"
	    "memcall site=1 start=0 duration=1 address=8096 bytes=4000\n"
	    "memcall site=2 start=2 duration=1 address=8096\n"
	    "memcall site=1 start=4 duration=1 address=4096 bytes=8000\n"
	    "copycall site=3 correlation=1 start=20 duration=10 dst=4096 "
	    "src=65536 bytes=4000 direction=1\n"
	    "copycall site=3 correlation=2 start=40 duration=10 dst=8096 "
	    "src=69536 bytes=4000 direction=1\n"
	    "chunk\n"
	    "copy correlation=1 start=21 duration=8 bytes=4000 direction=1\n"
	    "copy correlation=2 start=41 duration=8 bytes=4000 direction=1\n";
	unsigned copies = 0;

	build(text);
	for (size_t i = 0; i < phases.count; i++)
		for (size_t j = 0; j < phases.items[i].step_count; j++) {
			const struct xs_step *step = &phases.items[i].steps[j];

			if (step->kind != XS_STEP_H2D)
				continue;
			assert_int_equal(step->dst_starts, step->dst == 4096);
			assert_false(step->src_starts);
			copies++;
		}
	assert_int_equal(copies, 2);
}

/* Two copies of one buffer, and one of another: both are to be pinned. */
TEST(test_buffers_that_are_apart)
{
	build("xferspy-text 1\nheader\nchunk thread=1\n"
	      "site call_class=1 site=1\n"
	      "copycall site=1 correlation=1 start=0 duration=10 src=104 "
	      "bytes=40\n"
	      "copycall site=1 correlation=2 start=20 duration=10 src=64 "
	      "bytes=40\n"
	      "copycall site=1 correlation=3 start=40 duration=10 src=200 "
	      "bytes=40\nchunk\n"
	      "copy correlation=1 start=1 duration=8 bytes=40 direction=1\n"
	      "copy correlation=2 start=21 duration=8 bytes=40 direction=1\n"
	      "copy correlation=3 start=41 duration=8 bytes=40 direction=1\n");
	assert_int_equal(phases.count, 1);
	assert_int_equal(phases.items[0].h2d_buffer_bytes, 120);
	assert_int_equal(phases.items[0].h2d_buffers, 2);
}

/* A round that copies 40 bytes from 64 in, and from `out` to the host. */
static void check_both(const char *out, uint64_t bytes, uint64_t buffers)
{
	char text[1024];

	snprintf(text, sizeof(text),
		 "xferspy-text 1\nheader\nchunk thread=1\n"
		 "site call_class=1 site=1\nsite call_class=1 site=2\n"
		 "copycall site=1 correlation=1 start=0 duration=10 src=64 "
		 "bytes=40\n"
		 "copycall site=2 correlation=2 start=20 duration=10 dst=%s "
		 "bytes=40\nchunk\n"
		 "copy correlation=1 start=1 duration=8 bytes=40 direction=1\n"
		 "copy correlation=2 start=21 duration=8 bytes=40 "
		 "direction=2\n",
		 out);
	build(text);
	assert_int_equal(phases.count, 1);
	assert_int_equal(phases.items[0].h2d_buffers, 1);
	assert_int_equal(phases.items[0].d2h_buffers, strcmp(out, "0") != 0);
	assert_int_equal(phases.items[0].buffer_bytes, bytes);
	assert_int_equal(phases.items[0].buffers, buffers);
}

TEST(test_a_buffer_that_is_copied_in_and_out)
{
	check_both("64", 40, 1);
	check_both("84", 60, 1);
	check_both("200", 80, 2);
	/* unknown: another one */
	check_both("0", 80, 2);
}

/* Two equal rounds, whose copies out of 40 bytes touch pages of 8 bytes. */
#define TOUCHES(first, second)                                                 \
	"xferspy-text 1\nheader\nchunk thread=1\n"                             \
	"site call_class=1 site=1\nsite call_class=1 site=2\n"                 \
	"copycall site=1 correlation=1 start=0 duration=10 src=64 bytes=40\n"  \
	"copycall site=2 correlation=2 start=20 duration=10 bytes=40\n"        \
	"faults site=2 correlation=2 start=20 duration=10 minor=" first        \
	" page_bytes=8\n"                                                      \
	"copycall site=1 correlation=3 start=40 duration=10 src=64 bytes=40\n" \
	"copycall site=2 correlation=4 start=60 duration=10 bytes=40\n"        \
	"faults site=2 correlation=4 start=60 duration=10 minor=" second       \
	" page_bytes=8\nchunk\n"                                               \
	"copy correlation=1 start=1 duration=8 bytes=40 direction=1\n"         \
	"copy correlation=2 start=21 duration=8 bytes=40 direction=2\n"        \
	"copy correlation=3 start=41 duration=8 bytes=40 direction=1\n"        \
	"copy correlation=4 start=61 duration=8 bytes=40 direction=2\n"

static void check_touched(const char *text, uint64_t bytes)
{
	build(text);
	assert_int_equal(phases.count, 1);
	assert_int_equal(phases.items[0].rounds, 2);
	assert_int_equal(phases.items[0].touched_bytes, bytes);
}

/* What every round touches first, at most what it copies. */
TEST(test_memory_that_rounds_touch)
{
	check_touched(TOUCHES("4", "0"), 0);
	check_touched(TOUCHES("4", "3"), 24);
	check_touched(TOUCHES("100", "200"), 40);
}

/* A copy in was hashed before its call, copies out after theirs: the first of
 * them before the second, the second after the round. */
TEST(test_time_of_hashing)
{
	static const uint64_t hash_ns[] = {2, 0, 7};
	static const char *const text =
	    "xferspy-text 1\nheader\nchunk thread=1\n"
	    "site call_class=1 site=1\nsite call_class=1 site=2\n"
	    "copycall site=1 correlation=1 start=0 duration=10 bytes=40\n"
	    "content site=1 correlation=1 start=0 duration=10\n"
	    "hashing site=1 correlation=1 start=0 duration=2\n"
	    "copycall site=2 correlation=2 start=20 duration=10 bytes=40\n"
	    "content site=2 correlation=2 start=20 duration=10\n"
	    "hashing site=2 correlation=2 start=20 duration=7\n"
	    "copycall site=2 correlation=3 start=40 duration=10 bytes=40\n"
	    "content site=2 correlation=3 start=40 duration=10\n"
	    "hashing site=2 correlation=3 start=40 duration=3\n"
	    "chunk\n"
	    "copy correlation=1 start=1 duration=8 bytes=40 direction=1\n"
	    "copy correlation=2 start=21 duration=8 bytes=40 direction=2\n"
	    "copy correlation=3 start=41 duration=8 bytes=40 direction=2\n";

	build(text);
	assert_int_equal(phases.count, 1);
	assert_int_equal(phases.items[0].step_count, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(phases.items[0].steps[i].hash_ns, hash_ns[i]);
}

/* Of two rounds with a copy in, a kernel and a copy out each, the first five
 * are of one queue. */
TEST(test_queues_of_ops)
{
	static const char rounds[] =
	    "xferspy-text 1\nheader\nchunk\n"
	    "queue stream=7 context=1 queue_kind=1\n"
	    "queue queue=1 stream=8 context=1 queue_kind=1\n"
	    "chunk thread=1\n"
	    "copycall correlation=1 start=0 duration=10 bytes=4000\n"
	    "call correlation=2 start=11 duration=4\n"
	    "copycall correlation=3 start=20 duration=10 bytes=4000\n"
	    "copycall correlation=4 start=40 duration=10 bytes=4000\n"
	    "call correlation=5 start=51 duration=4\n"
	    "copycall correlation=6 start=60 duration=10 bytes=4000\n"
	    "chunk\n"
	    "copy correlation=1 start=1 duration=8 bytes=4000 direction=1\n"
	    "kernel correlation=2 start=14 duration=2 queue=%u\n"
	    "copy correlation=3 start=21 duration=8 bytes=4000 direction=2\n"
	    "copy correlation=4 start=41 duration=8 bytes=4000 direction=1\n"
	    "kernel correlation=5 start=54 duration=2\n"
	    "copy correlation=6 start=61 duration=8 bytes=4000 direction=2 "
	    "queue=%u\n";
	char text[sizeof(rounds)];

	for (unsigned i = 0; i < 4; i++) {
		snprintf(text, sizeof(text), rounds, i & 1, i >> 1);
		build(text);
		assert_int_equal(phases.count, 1);
		assert_int_equal(phases.items[0].queue == XS_NONE, i > 0);
		assert_int_equal(phases.items[0].copy_queue == XS_NONE, i > 1);
	}
}

/* Writes the calls or ops of a thread that allocates, has one round, and frees;
 * from its start in ns on. */
static void write_thread(FILE *out, unsigned thread, unsigned start, bool calls)
{
	const unsigned n = 10 * thread;

	if (calls)
		fprintf(out,
			"chunk thread=%u\n"
			"memcall site=1 correlation=%u start=%u duration=4 "
			"address=%u bytes=4\n"
			"copycall site=2 correlation=%u start=%u duration=10 "
			"bytes=4\n"
			"copycall site=3 correlation=%u start=%u duration=10 "
			"bytes=4\n"
			"memcall site=4 correlation=%u start=%u duration=4 "
			"address=%u\n",
			thread, n, start, 64 * thread, n + 1, start + 10, n + 2,
			start + 30, n + 3, start + 50, 64 * thread);
	else
		fprintf(out,
			"copy correlation=%u start=%u duration=6 bytes=4 "
			"direction=1\n"
			"copy correlation=%u start=%u duration=6 bytes=4 "
			"direction=2\n",
			n + 1, start + 11, n + 2, start + 31);
}

/* Returns the allocations and frees in a round of two such threads, from the
 * starts of both in ns. */
static unsigned made_by_threads(unsigned first, unsigned second)
{
	unsigned made = 0;
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	fprintf(out, "xferspy-text 1\nheader\nchunk\n"
		     "site call_class=7 site=1\nsite call_class=1 site=2\n"
		     "site call_class=1 site=3\nsite call_class=10 site=4\n");
	for (int calls = 1; calls >= 0; calls--) {
		if (!calls)
			fprintf(out, "chunk\n");
		write_thread(out, 1, first, calls);
		write_thread(out, 2, second, calls);
	}
	fclose(out);
	build(text);
	assert_int_equal(phases.count, 1);
	assert_int_equal(phases.rounds, 2);
	for (size_t i = 0; i < phases.items[0].step_count; i++)
		made += phases.items[0].steps[i].kind == XS_STEP_ALLOCATE ||
			phases.items[0].steps[i].kind == XS_STEP_FREE;
	free(text);
	return made;
}

/* What the first thread allocated could be used again, unless both need it.
 * Which thread is first, time says, not the ids. */
TEST(test_threads_of_one_round)
{
	assert_int_equal(made_by_threads(0, 1000), 2);
	assert_int_equal(made_by_threads(1000, 0), 2);
	assert_int_equal(made_by_threads(0, 5), 0);
}

/* Writes the calls or ops of a thread's three rounds, 100 ns apart, from
 * `start` on: each takes 26 ns. */
static void write_gaps(FILE *out, unsigned thread, unsigned start, bool calls)
{
	for (unsigned round = 0; round < 3; round++) {
		const unsigned n = 10 * thread + 2 * round;
		const unsigned at = start + 100 * round;

		if (calls)
			fprintf(out,
				"copycall site=1 correlation=%u start=%u "
				"duration=10 bytes=4\n"
				"copycall site=2 correlation=%u start=%u "
				"duration=10 bytes=4\n",
				n, at, n + 1, at + 16);
		else
			fprintf(out,
				"copy correlation=%u start=%u duration=6 "
				"bytes=4 direction=1\n"
				"copy correlation=%u start=%u duration=6 "
				"bytes=4 direction=2\n",
				n, at + 1, n + 1, at + 17);
	}
}

/* Of two threads with rounds in 78 of 226 ns each, 15 ns apart, a round runs in
 * 123 of 241 ns; each saves its own 78 of 226. */
TEST(test_threads_with_gaps)
{
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	fprintf(out, "xferspy-text 1\nheader\nchunk\n"
		     "site call_class=1 site=1\nsite call_class=1 site=2\n");
	for (int calls = 1; calls >= 0; calls--)
		for (unsigned thread = 1; thread <= 2; thread++) {
			fprintf(out, calls ? "chunk thread=%u\n" : "chunk\n",
				thread);
			write_gaps(out, thread, 985 + 15 * thread, calls);
		}
	fclose(out);
	build(text);
	free(text);
	assert_int_equal(phases.count, 1);
	assert_int_equal(phases.items[0].total_ns, 6 * 26);
	assert_int_equal(phases.items[0].wall_ns, 78 * 241 / 226);
	assert_int_equal(1000 * phases.items[0].at_once, 156000 / 123);
}

RUN_TESTS(NULL, drop)
