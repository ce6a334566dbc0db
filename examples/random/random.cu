/* SPDX-License-Identifier: MIT */
/*
 * A program of rounds that its seed chooses: threads, buffers, copies, kernels,
 * waits and the host's work. Each thread does the same with memory of its own.
 * A variant changes how the data moves; its last round has the same result.
 */
#include "expected.h"

#define BLOCK 256

struct sources {
	const unsigned *data[BUFFERS];
	unsigned words[BUFFERS];
};

__global__ void round_kernel(struct sources from, unsigned *out, unsigned first,
			     unsigned words, struct step step, int work,
			     bool adds)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned x;

	if (i >= words)
		return;
	i += first;
	x = adds ? out[i] : 0;
#pragma unroll
	for (int k = 0; k < BUFFERS; k++)
		if (from.words[k] > 0)
			x += from.data[k][i % from.words[k]];
	out[i] = take_steps(x, step, work);
}

/* What a kernel reads, of buffers at these addresses. */
static struct sources sources_of(const struct shape *s, const struct kernel *k,
				 unsigned *const *data)
{
	struct sources from = {};

	for (int i = 0; i < s->ins; i++) {
		from.data[i] = data[i];
		if (k->input == i || k->input == BUFFERS)
			from.words[i] = s->in[i].words;
	}
	return from;
}

/* A part of a buffer. */
struct part {
	unsigned first, words;
};

static struct part part_of(const struct buffer *b, int chunk, int chunks)
{
	const unsigned all = b->words / (unsigned)chunks;

	return {all * (unsigned)chunk,
		chunk + 1 < chunks ? all : b->words - all * (unsigned)chunk};
}

static void copy(const struct worker *w, unsigned *to, const unsigned *from,
		 size_t words, cudaMemcpyKind kind, cudaStream_t stream)
{
	const size_t bytes = words * sizeof(unsigned);

	if (w->blocking)
		CHECK(cudaMemcpy(to, from, bytes, kind));
	else
		CHECK(cudaMemcpyAsync(to, from, bytes, kind, stream));
}

/* Pieces lie twice their size apart in the host's memory. */
static void copy_in(const struct worker *w, int set, int i, struct part part,
		    cudaStream_t stream)
{
	const struct buffer *b = &w->shape->in[i];
	const unsigned words = b->words / b->pieces;

	if (b->pieces == 1)
		copy(w, w->in[set][i] + part.first,
		     w->host_in[set][i] + part.first, part.words,
		     cudaMemcpyHostToDevice, stream);
	for (unsigned p = 0; b->pieces > 1 && p < b->pieces; p++)
		copy(w, w->in[set][i] + p * words,
		     w->host_in[set][i] + 2 * p * words, words,
		     cudaMemcpyHostToDevice, stream);
}

/* All pieces of all inputs as one copy. */
static void copy_gathered(const struct worker *w, cudaStream_t stream)
{
	unsigned *to = w->gathered;

	for (int i = 0; i < w->shape->ins; i++) {
		const struct buffer *b = &w->shape->in[i];
		const unsigned words = b->words / b->pieces;

		for (unsigned p = 0; p < b->pieces; p++, to += words)
			memcpy(to, w->host_in[0][i] + 2 * p * words,
			       words * sizeof(unsigned));
	}
	copy(w, w->in[0][0], w->gathered, (size_t)(to - w->gathered),
	     cudaMemcpyHostToDevice, stream);
}

static void launch(const struct worker *w, int set, const struct kernel *k,
		   struct part part, cudaStream_t stream)
{
	round_kernel<<<(part.words + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(
	    sources_of(w->shape, k, w->in[set]), w->out[set][k->output],
	    part.first, part.words, one_step, k->work, k->adds);
	CHECK(cudaGetLastError());
}

static void launch_after(const struct worker *w, int set, int input, int chunk,
			 int chunks, cudaStream_t stream)
{
	const struct shape *s = w->shape;

	for (int i = 0; i < s->launches; i++) {
		const struct kernel *k = &s->kernels[i];

		if (k->after == input)
			launch(w, set, k,
			       part_of(&s->out[k->output], chunk, chunks),
			       stream);
	}
}

static void issue(const struct worker *w, long round, int set, int chunk,
		  int chunks, cudaStream_t stream)
{
	const struct shape *s = w->shape;

	if (w->variant == BATCH)
		copy_gathered(w, stream);
	for (int i = 0; i < s->ins; i++) {
		if (w->variant != BATCH &&
		    (w->variant != RESIDENT || !s->in[i].constant || !round))
			copy_in(w, set, i, part_of(&s->in[i], chunk, chunks),
				stream);
		if (w->graph == NULL)
			launch_after(w, set, i, chunk, chunks, stream);
	}
	if (w->graph != NULL)
		CHECK(cudaGraphLaunch(w->graph, stream));
	for (int i = 0; i < s->outs; i++) {
		struct part part = part_of(&s->out[i], chunk, chunks);

		copy(w, w->host_out[set][i] + part.first,
		     w->out[set][i] + part.first, part.words,
		     cudaMemcpyDeviceToHost, stream);
	}
}

/* Waits for what the round before, or this one, has in the set's stream. */
static void await(const struct worker *w, int set)
{
	if (w->blocking)
		return;
	if (w->variant == STREAMS)
		for (int i = 0; i < CHUNKS; i++)
			CHECK(cudaStreamSynchronize(w->streams[i]));
	else if (w->variant == DOUBLE_BUFFER || w->shape->wait == 0)
		CHECK(cudaStreamSynchronize(w->streams[set]));
	else if (w->shape->wait == 1)
		CHECK(cudaDeviceSynchronize());
	else {
		CHECK(cudaEventRecord(w->event, w->streams[0]));
		CHECK(cudaEventSynchronize(w->event));
	}
}

static void work_for(double ns)
{
	for (double end = ns > 0 ? now_ns() + ns : 0; end > 0;)
		if (now_ns() >= end)
			break;
}

/* The host's input of a round: the first word of what changes. */
static void fill(const struct worker *w, long round, int set)
{
	for (int i = 0; i < w->shape->ins; i++)
		if (!w->shape->in[i].constant)
			w->host_in[set][i][0] = (unsigned)round;
	work_for(w->shape->before_ns);
}

static void run_rounds(struct worker *w)
{
	const int chunks = w->variant == STREAMS ? CHUNKS : 1;

	for (long round = 0; round < w->shape->rounds; round++) {
		fill(w, round, 0);
		if (w->allocates)
			allocate(w, 0);
		for (int i = 0; i < chunks; i++)
			issue(w, round, 0, i, chunks, w->streams[i]);
		await(w, 0);
		if (w->allocates)
			release(w, 0);
		work_for(w->shape->after_ns);
	}
}

/* A round is issued, then the host waits for the one before. */
static void run_double_buffered(const struct worker *w)
{
	const long rounds = w->shape->rounds;

	for (long round = 0; round <= rounds; round++) {
		const int set = (int)(round % SETS), before = 1 - set;

		if (round < rounds) {
			fill(w, round, set);
			issue(w, round, set, 0, 1, w->streams[set]);
		}
		if (round == 0)
			continue;
		await(w, before);
		work_for(w->shape->after_ns);
	}
}

static void *run_worker(void *data)
{
	struct worker *w = (struct worker *)data;

	pthread_barrier_wait(w->start);
	w->begin_ns = now_ns();
	if (w->variant == DOUBLE_BUFFER)
		run_double_buffered(w);
	else
		run_rounds(w);
	w->end_ns = now_ns();
	return NULL;
}

/* One launch for the round's kernels. */
static void make_graph(struct worker *w)
{
	cudaGraph_t graph;
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	launch_after(w, 0, w->shape->ins - 1, 0, 1, stream);
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&w->graph, graph, 0));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(stream));
}

/* Returns the time from the first thread's start to the last one's end. */
static double loop_ns(struct worker *workers, int threads)
{
	pthread_t ids[THREADS];
	double begin_ns = HUGE_VAL, end_ns = 0;

	for (int i = 0; i < threads; i++)
		if (pthread_create(&ids[i], NULL, run_worker, &workers[i])) {
			fprintf(stderr, "no thread\n");
			exit(2);
		}
	for (int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	for (int i = 0; i < threads; i++) {
		begin_ns = fmin(begin_ns, workers[i].begin_ns);
		end_ns = fmax(end_ns, workers[i].end_ns);
	}
	return end_ns - begin_ns;
}

/* What a link carries in the 3 us that a copy takes besides its bytes. */
#define COPY_BYTES 160000.0

/* The part of the time of all copies in that those of constant inputs take. */
static double constant_part(const struct shape *s)
{
	double constant = 0, all = 0;

	for (int i = 0; i < s->ins; i++) {
		const double cost =
		    (double)bytes_of(&s->in[i]) + s->in[i].pieces * COPY_BYTES;

		all += cost;
		if (s->in[i].constant)
			constant += cost;
	}
	return constant / all;
}

/* Returns the exit code. */
static int measure_variant(const struct shape *s, enum variant variant,
			   unsigned *const *expected)
{
	struct worker workers[THREADS];
	pthread_barrier_t start;
	bool right = true;
	double ns;

	pthread_barrier_init(&start, NULL, (unsigned)s->threads);
	for (int i = 0; i < s->threads; i++) {
		set_up(&workers[i], s, variant, &start);
		if (variant == GRAPH)
			make_graph(&workers[i]);
	}
	CHECK(cudaDeviceSynchronize());
	ns = loop_ns(workers, s->threads);
	for (int i = 0; i < s->threads; i++) {
		right = right && is_right(&workers[i], expected);
		tear_down(&workers[i]);
	}
	pthread_barrier_destroy(&start);
	if (!right) {
		fprintf(stderr, "seed %ld, %s: WRONG\n", s->seed,
			name_of(variant));
		return 3;
	}
	printf("{\"seed\": %ld, \"variant\": \"%s\", \"rounds\": %ld, "
	       "\"round_ns\": %.0f, \"share_kept\": %.4f}\n",
	       s->seed, name_of(variant), s->rounds, ns / (double)s->rounds,
	       constant_part(s));
	fflush(stdout);
	return 0;
}

static int measure_variants(const struct shape *s, const char *wanted)
{
	unsigned *expected[BUFFERS];
	int code = 0, found = 0;

	for (int i = 0; i < s->outs; i++)
		expected[i] = expect(s, i);
	for (int v = 0; v < VARIANTS && code == 0; v++) {
		const enum variant variant = (enum variant)v;

		if (!has(s, variant) || (strcmp(wanted, "all") != 0 &&
					 strcmp(wanted, name_of(variant)) != 0))
			continue;
		found++;
		code = measure_variant(s, variant, expected);
	}
	for (int i = 0; i < s->outs; i++)
		free(expected[i]);
	if (found == 0)
		fprintf(stderr, "seed %ld has no variant '%s'; see --list\n",
			s->seed, wanted);
	return found == 0 ? 1 : code;
}

static int print_usage(const char *program)
{
	fprintf(stderr,
		"Usage: %s [--seed N] [--variant NAME|all] [--rounds R] "
		"[--list]\n"
		"Measures variants of the program that the seed chooses; "
		"--list prints them, and it.\n",
		program);
	return 1;
}

int main(int argc, char **argv)
{
	static const struct option names[] = {
	    {"seed", required_argument, NULL, 's'},
	    {"variant", required_argument, NULL, 'v'},
	    {"rounds", required_argument, NULL, 'r'},
	    {"list", no_argument, NULL, 'l'},
	    {NULL, 0, NULL, 0},
	};
	const char *wanted = name_of(BASELINE);
	long seed = 1, rounds = 0;
	bool list = false;
	struct shape s;
	int c;

	while ((c = getopt_long(argc, argv, "", names, NULL)) != -1) {
		if (c == 's')
			seed = parse_count(optarg, "seed");
		else if (c == 'v')
			wanted = optarg;
		else if (c == 'r')
			rounds = parse_count(optarg, "rounds");
		else if (c == 'l')
			list = true;
		else
			return print_usage(argv[0]);
	}
	if (optind < argc)
		return print_usage(argv[0]);
	s = choose(seed);
	s.rounds = rounds > 0 ? rounds : s.rounds;
	if (list)
		return print_shape(&s);
	/* the first launch of a kernel would load it */
	setenv("CUDA_MODULE_LOADING", "EAGER", 0);
	return measure_variants(&s, wanted);
}
