/* SPDX-License-Identifier: MIT */
/*
 * Measures all configurations of a program: combines its parts for each
 * variant, measures, checks and prints.
 */
#ifndef XS_EXAMPLES_MEASURE_H
#define XS_EXAMPLES_MEASURE_H

#include "common.h"

#include <time.h>

/* The parts of a program. Its struct job begins with job_base. */
template <class Job> struct program {
	void (*set_up)(Job *job); /* memory, streams and result */
	void (*tear_down)(Job *job);
	void (*serial)(const Job *job); /* blocking copies; or NULL */
	void (*mapped)(const Job *job); /* its work ends with the kernel */
	/* for one chunk, on its stream */
	void (*in)(const Job *job, long chunk);
	void (*compute)(const Job *job, long chunk);
	void (*out)(const Job *job, long chunk);
	void (*finish)(const Job *job); /* the host's work, or NULL */
	bool (*is_right)(const Job *job);
	/* replaces in, compute and out, for all chunks; or NULL */
	void (*issue)(const Job *job) = NULL;
};

static inline double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

struct timing {
	double warmup_ns; /* first round, not in the others */
	double median_ns, min_ns, max_ns;
	double spread_ns; /* between the quartiles */
};

static inline int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static inline void summarize(double *ns, long count, struct timing *timing)
{
	qsort(ns, (size_t)count, sizeof(*ns), compare_doubles);
	timing->median_ns = (ns[(count - 1) / 2] + ns[count / 2]) / 2;
	timing->min_ns = ns[0];
	timing->max_ns = ns[count - 1];
	timing->spread_ns = ns[count * 3 / 4] - ns[count / 4];
}

/* Issues every chunk's copies and kernel, in the requested order. */
template <class Job>
static void issue_chunks(const struct program<Job> *program, const Job *job)
{
	if (program->issue != NULL) {
		program->issue(job);
	} else if (job->options.breadth) {
		for (long i = 0; i < job->chunks; i++)
			program->in(job, i);
		for (long i = 0; i < job->chunks; i++)
			program->compute(job, i);
		for (long i = 0; i < job->chunks; i++)
			program->out(job, i);
	} else {
		for (long i = 0; i < job->chunks; i++) {
			program->in(job, i);
			program->compute(job, i);
			program->out(job, i);
		}
	}
}

/* Runs one round of one job, from its first call to the result. */
template <class Job>
static void run_round(const struct program<Job> *program, const Job *job)
{
	if (job->options.variant == MAPPED) {
		program->mapped(job);
	} else if (uses_streams(job->options.variant)) {
		issue_chunks(program, job);
		CHECK(cudaDeviceSynchronize());
	} else {
		program->serial(job);
	}
	if (program->finish != NULL)
		program->finish(job);
}

/*
 * Runs rounds on two sets of buffers alternately, each set with its own stream:
 * a round is issued, then the host waits for the previous one. Returns the time
 * of the rounds, from the end of one to the end of another, with further rounds
 * before and after.
 */
#define FILL_ROUNDS 2

template <class Job>
static double double_buffered_ns(const struct program<Job> *program, Job *sets,
				 long rounds)
{
	const long last = FILL_ROUNDS + rounds;
	double start = 0, end = 0;

	for (long i = 0; i <= last + 1; i++) {
		Job *before = &sets[(i + 1) % 2];

		issue_chunks(program, &sets[i % 2]);
		if (i == 0)
			continue;
		CHECK(cudaStreamSynchronize(before->stream[0]));
		if (program->finish != NULL)
			program->finish(before);
		if (i == FILL_ROUNDS)
			start = now_ns();
		if (i == last)
			end = now_ns();
	}
	CHECK(cudaDeviceSynchronize());
	return end - start;
}

/* Runs rounds that wait for nothing; returns their time. */
template <class Job>
static double unbroken_ns(const struct program<Job> *program, const Job *job,
			  long rounds)
{
	double start = now_ns();

	for (long i = 0; i < rounds; i++)
		run_round(program, job);
	CHECK(cudaDeviceSynchronize());
	return now_ns() - start;
}

/* With --json, slow configurations run fewer rounds: this long in total, with a
 * minimum. */
#define MEASURE_NS 2e9
#define ROUNDS_MIN 3
#define REPEATS	   5 /* of all rounds, if they are not timed singly */

/* Measures the host's time of each round; the second of `sets` is for double
 * buffering. Results are cleared after the warm-up, so that a measured round
 * produces what is checked. */
template <class Job>
static struct timing measure(const struct program<Job> *program, Job *sets)
{
	const struct options *options = &sets->options;
	const bool twofold = options->variant == DOUBLE_BUFFER;
	const bool unbroken = options->variant == RESIDENT_THROUGHOUT;
	const long most = twofold || unbroken ? REPEATS : options->rounds;
	double *ns = (double *)malloc((size_t)most * sizeof(*ns));
	struct timing timing = {};
	double start = now_ns(), begin;
	long count = 0;

	if (ns == NULL) {
		fprintf(stderr, "no memory for %ld rounds\n", most);
		exit(2);
	}
	for (int i = 0; i <= (int)twofold; i++)
		run_round(program, &sets[i]);
	timing.warmup_ns = now_ns() - start;
	for (int i = 0; i <= (int)twofold; i++)
		memset(sets[i].result, 0, sets[i].result_bytes);
	start = now_ns();
	while (count < most && (!options->json || count < ROUNDS_MIN ||
				now_ns() - start < MEASURE_NS)) {
		begin = now_ns();
		if (twofold)
			ns[count++] =
			    double_buffered_ns(program, sets, options->rounds) /
			    (double)options->rounds;
		else if (unbroken)
			ns[count++] =
			    unbroken_ns(program, sets, options->rounds) /
			    (double)options->rounds;
		else {
			run_round(program, sets);
			ns[count++] = now_ns() - begin;
		}
	}
	summarize(ns, count, &timing);
	free(ns);
	return timing;
}

/* Prints the measurement; returns the program's exit code. */
static inline int print_result(const char *workload,
			       const struct options *options, long streams,
			       const struct timing *timing, bool right)
{
	const char *variant = variant_names[options->variant];
	const char *order = !has_order(options->variant) ? NULL
			    : options->breadth		 ? "breadth"
							 : "depth";

	if (!options->json) {
		printf("%s %s n=%ld rounds=%ld", workload, variant, options->n,
		       options->rounds);
		if (order != NULL)
			printf(" streams=%ld order=%s", streams, order);
		printf(": median %.3f ms (min %.3f, max %.3f), "
		       "warm-up %.3f ms: %s\n",
		       timing->median_ns / 1e6, timing->min_ns / 1e6,
		       timing->max_ns / 1e6, timing->warmup_ns / 1e6,
		       right ? "ok" : "WRONG");
	} else if (right) {
		printf("{\"workload\": \"%s\", \"size\": %ld, "
		       "\"strategy\": \"%s\", \"n_streams\": %ld, "
		       "\"order\": %s%s%s, \"measured_ns\": %.0f, "
		       "\"spread_ns\": %.0f}\n",
		       workload, options->n, variant,
		       order != NULL ? streams : 0, order != NULL ? "\"" : "",
		       order != NULL ? order : "null",
		       order != NULL ? "\"" : "", timing->median_ns,
		       timing->spread_ns);
	} else {
		fprintf(stderr, "%s %s n=%ld: WRONG\n", workload, variant,
			options->n);
	}
	fflush(stdout);
	return right ? 0 : 3;
}

/* Configurations measured so far: rounding may map different numbers of streams
 * to the same chunks. */
struct seen {
	struct {
		enum variant variant;
		long chunks;
		bool breadth;
	} items[VARIANTS * CHOICES_MAX * CHOICES_MAX];
	int count;
};

static inline bool is_new(struct seen *seen, const struct job_base *job)
{
	for (int i = 0; i < seen->count; i++)
		if (seen->items[i].variant == job->options.variant &&
		    seen->items[i].chunks == job->chunks &&
		    seen->items[i].breadth == job->options.breadth)
			return false;
	seen->items[seen->count++] = {job->options.variant, job->chunks,
				      job->options.breadth};
	return true;
}

/* Measures one configuration. Returns the program's exit code. */
template <class Job>
static int measure_one(const struct program<Job> *program, const char *workload,
		       const Job *job, struct seen *seen)
{
	const int count = job->options.variant == DOUBLE_BUFFER ? 2 : 1;
	Job sets[2] = {*job, *job};
	struct timing timing;
	bool right = true;
	int code = 0;

	for (int i = 0; i < count; i++)
		program->set_up(&sets[i]);
	if (is_new(seen, &sets[0])) {
		timing = measure(program, sets);
		for (int i = 0; i < count; i++)
			right = right && program->is_right(&sets[i]);
		code = print_result(workload, &job->options, sets[0].chunks,
				    &timing, right);
	}
	for (int i = 0; i < count; i++)
		program->tear_down(&sets[i]);
	return code;
}

/* Measures every combination of the choices; *job has the program's own
 * settings and the other options. Returns the program's exit code. */
template <class Job>
static int measure_all(const struct program<Job> *program, const char *workload,
		       const struct choices *choices, Job *job)
{
	static struct seen seen;
	struct options *options = &job->options;
	int code = 0;

	for (int v = 0; v < choices->variant_count; v++) {
		options->variant = (enum variant)choices->variants[v];
		bool ordered = has_order(options->variant);
		int sizes = choices->stream_count * choices->chunk_count;

		drop_kept(false, memory_kind_of(options->variant));
		for (int s = 0; s < (ordered ? sizes : 1); s++)
			for (int o = 0;
			     o < (ordered ? choices->breadth_count : 1); o++) {
				options->streams =
				    choices->streams[s / choices->chunk_count];
				options->chunk =
				    choices->chunks[s % choices->chunk_count];
				options->breadth = choices->breadths[o];
				int failed =
				    measure_one(program, workload, job, &seen);
				code = code != 0 ? code : failed;
			}
	}
	drop_kept(true, MEMORY_PAGEABLE);
	return code;
}

#endif
