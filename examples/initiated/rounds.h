/* SPDX-License-Identifier: MIT */
/*
 * Rounds of a program in two ways: by copies and a kernel launched in each, or
 * by one kernel that stays on the GPU. That kernel polls a flag of the host,
 * loads and stores host memory itself, and sets a flag when its round is done.
 * Both ways use the same buffers of host memory and the same device functions.
 */
#ifndef XS_EXAMPLES_INITIATED_ROUNDS_H
#define XS_EXAMPLES_INITIATED_ROUNDS_H

#include "../putget/flags.h"

#define ROUND_THREADS 256
#define ROUNDS_MOST   2000
#define MOST_SECONDS  300

/* Of the kernel that stays. */
struct flags {
	unsigned *go, *done, *late; /* host memory: rounds begun and done */
	unsigned *gate, *arrived;   /* device memory */
};

/* The parts of a program. Rounds count from 1. */
struct workload {
	const char *name;
	unsigned rounds; /* at most ROUNDS_MOST */
	void (*set_up)(void);
	/* The host fills what goes in, before each round. */
	void (*before)(unsigned round);
	void (*copies)(unsigned round, cudaStream_t stream);
	/* Launches the kernel for all rounds. */
	void (*stay)(const struct flags *flags, unsigned rounds,
		     cudaStream_t stream);
	/* The host uses what came out. Returns whether there is a next round.
	 */
	bool (*after)(unsigned round);
	bool (*is_right)(unsigned rounds);
};

/* Returns false after the deadline. All threads of all blocks call it. */
static __device__ inline bool begin_round(const struct flags *f, unsigned round)
{
	__shared__ bool stop;

	if (threadIdx.x == 0 && blockIdx.x == 0) {
		stop = !wait_for(f->go, round, f->late);
		store_flag(f->gate, stop ? ~0u : round);
	} else if (threadIdx.x == 0) {
		stop = !wait_for(f->gate, round, f->late) ||
		       load_flag(f->gate) == ~0u;
	}
	__syncthreads();
	return !stop;
}

/* Counts the block as arrived for the nth time. */
static __device__ inline void arrive(const struct flags *f)
{
	__syncthreads();
	if (threadIdx.x == 0) {
		__threadfence_system();
		atomicAdd(f->arrived, 1);
	}
}

/* All blocks wait for each other, for the nth time. Returns false after the
 * deadline. */
static __device__ inline bool meet(const struct flags *f, unsigned nth)
{
	__shared__ bool stop;

	arrive(f);
	if (threadIdx.x == 0)
		stop = !wait_for(f->arrived, nth * gridDim.x, f->late);
	__syncthreads();
	return !stop;
}

/* Returns true in one thread, after all blocks have arrived for the nth time:
 * it ends the round by end_round(). */
static __device__ inline bool is_last(const struct flags *f, unsigned nth)
{
	arrive(f);
	return threadIdx.x == 0 && blockIdx.x == 0 &&
	       wait_for(f->arrived, nth * gridDim.x, f->late);
}

static __device__ inline void end_round(const struct flags *f, unsigned round)
{
	store_flag(f->done, round);
}

/* The host may have changed it since the last round. */
template <class T> static __device__ inline T fetch(const T *from)
{
	return __ldcv(from);
}

static inline unsigned blocks_for(size_t threads)
{
	return (unsigned)((threads + ROUND_THREADS - 1) / ROUND_THREADS);
}

/* The most blocks, of those that a kernel asks for, that run at once: one for
 * each SM. */
static inline unsigned staying_blocks(size_t threads)
{
	int sms;

	CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
	return blocks_for(threads) < (unsigned)sms ? blocks_for(threads)
						   : (unsigned)sms;
}

/* Pinned and mapped memory for a number of items, set to zero. */
template <class T> static inline T *host_array(size_t count)
{
	T *array;

	CHECK(cudaMallocHost((void **)&array, count * sizeof(T)));
	memset(array, 0, count * sizeof(T));
	return array;
}

template <class T> static inline T *device_array(size_t count)
{
	T *array;

	CHECK(cudaMalloc((void **)&array, count * sizeof(T)));
	CHECK(cudaMemset(array, 0, count * sizeof(T)));
	return array;
}

static inline void wait_done(const struct workload *work,
			     const struct flags *flags, unsigned round)
{
	double start = 0;

	for (unsigned polls = 1;; polls++) {
		if (__atomic_load_n(flags->done, __ATOMIC_ACQUIRE) >= round)
			return;
		if (polls % POLLS_A_DEADLINE != 0)
			continue;
		if (start == 0)
			start = now_ns();
		if (now_ns() - start < HOST_DEADLINE_NS &&
		    __atomic_load_n(flags->late, __ATOMIC_RELAXED) == 0)
			continue;
		fprintf(stderr,
			"%s: the kernel did not end round %u within %.0f s; is "
			"the GPU in use?\n",
			work->name, round, HOST_DEADLINE_NS / 1e9);
		exit(EXIT_NO_ANSWER);
	}
}

static inline void open_flags(struct flags *flags)
{
	/* a line of 64 bytes for each */
	flags->go = host_array<unsigned>(48);
	flags->done = flags->go + 16;
	flags->late = flags->go + 32;
	flags->gate = device_array<unsigned>(32);
	flags->arrived = flags->gate + 16;
	CHECK(cudaDeviceSynchronize());
}

/* Of each round, in ns, by its number less 1. */
struct times {
	double round[ROUNDS_MOST]; /* from the first call or the flag to the
				      wait's end */
	double host[ROUNDS_MOST];  /* before and after that */
	double all[ROUNDS_MOST];
};

/* Runs all rounds and returns their number. */
static inline unsigned run_rounds(const struct workload *work, bool stays,
				  struct times *ns)
{
	struct flags flags;
	cudaStream_t stream;
	unsigned round = 0;
	bool more = true;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	open_flags(&flags);
	if (stays)
		work->stay(&flags, work->rounds, stream);
	while (more && round < work->rounds) {
		const double before = now_ns();
		double start, end;

		work->before(++round);
		start = now_ns();
		if (stays) {
			__atomic_store_n(flags.go, round, __ATOMIC_RELEASE);
			wait_done(work, &flags, round);
		} else {
			work->copies(round, stream);
			CHECK(cudaStreamSynchronize(stream));
		}
		end = now_ns();
		more = work->after(round);
		ns->all[round - 1] = now_ns() - before;
		ns->round[round - 1] = end - start;
		ns->host[round - 1] = ns->all[round - 1] - ns->round[round - 1];
	}
	/* a kernel whose rounds have ended early runs the others at once */
	__atomic_store_n(flags.go, ~0u, __ATOMIC_RELEASE);
	CHECK(cudaDeviceSynchronize());
	return round;
}

/* The quantile of the rounds after the first; sorts them. */
static inline double after_first(double *ns, unsigned count, double quantile)
{
	qsort(ns + 1, count - 1, sizeof(*ns), compare_doubles);
	return ns[1 + (unsigned)((count - 1) * quantile)];
}

static inline int run_workload(struct workload *work, int argc, char **argv)
{
	static struct times ns;
	const bool stays = argc > 1 && strcmp(argv[1], "flags") == 0;
	const bool known =
	    stays || (argc > 1 && strcmp(argv[1], "copies") == 0);
	const long most = argc > 2 ? strtol(argv[2], NULL, 10) : work->rounds;
	unsigned count;

	if (!known || argc > 3 || most < 3 || most > (long)work->rounds) {
		fprintf(stderr, "Usage: %s copies|flags [ROUNDS (3 to %u)]\n",
			argv[0], work->rounds);
		return 1;
	}
	work->rounds = (unsigned)most;
	end_within(MOST_SECONDS, work->name);
	work->set_up();
	CHECK(cudaDeviceSynchronize());
	count = run_rounds(work, stays, &ns);
	if (!work->is_right(count)) {
		fprintf(stderr, "%s %s: WRONG result\n", work->name, argv[1]);
		return 2;
	}
	printf("{\"program\": \"%s\", \"way\": \"%s\", \"rounds\": %u, "
	       "\"median_ns\": %.0f, \"low_ns\": %.0f, \"high_ns\": %.0f, "
	       "\"round_ns\": %.0f, \"host_ns\": %.0f}\n",
	       work->name, argv[1], count, after_first(ns.all, count, 0.5),
	       after_first(ns.all, count, 0.25),
	       after_first(ns.all, count, 0.75),
	       after_first(ns.round, count, 0.5),
	       after_first(ns.host, count, 0.5));
	return end_output(work->name, 0);
}

#endif
