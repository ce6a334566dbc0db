/* SPDX-License-Identifier: MIT */
/*
 * Who starts a transfer (Klenk 2014): the parts of messages that kernels send
 * and receive by their own loads and stores, with flags instead of copies and
 * launches.
 */
#include "report/calibrate/bench.h"

#include <math.h>
#include <sched.h>
#include <string.h>

#define FLAGS	     32		/* pairs of flags of the mailbox */
#define FLAG_WORDS   16		/* a line of 64 bytes for each */
#define LATE_AT	     FLAG_WORDS /* words of bench->flag */
#define REQUESTS_AT  (4096 / 4)
#define ANSWERS_AT   (8192 / 4)
#define MESSAGES_AT  (12288 / 4)
#define HOST_MOST_NS 1e9
#define GPU_MOST_NS  500000000ULL /* before the host gives up */
#define POLLS	     16 /* of the host between two looks at the clock */
#define YIELD_NS                                                               \
	5e4 /* far more than a GPU needs: a simulated one needs the core */

/* Time of a kernel that reads the flag so many times. */
static double poll_ns(struct xs_bench *bench, const void *flag, size_t count)
{
	xs_bench_begin(bench, bench->stream[0]);
	xs_cuda_poll(&bench->gpu, *(const xs_cuda_address *)flag,
		     (uint32_t)count, bench->stream[0]);
	return xs_bench_end_ns(bench, bench->stream[0]);
}

static void measure_slope(struct xs_bench *bench, enum xs_param_id id,
			  xs_bench_time *time_ns, const void *what, size_t most)
{
	const struct xs_sweep sweep = {time_ns, what, most, 3};

	xs_bench_set_slope(bench, id, &sweep, 20);
}

/* The host reads a flag that nobody writes. */
static double host_poll_ns(const struct xs_bench *bench)
{
	const int reads = 20000;
	const double start = xs_bench_now_ns();

	for (int i = 0; i < reads; i++)
		(void)bench->flag[REQUESTS_AT];
	return (xs_bench_now_ns() - start) / reads;
}

void xs_bench_polls(struct xs_bench *bench)
{
	const xs_cuda_address host = bench->flag_address + 4 * ANSWERS_AT;
	const xs_cuda_address device = bench->device[XS_BENCH_IN];
	struct xs_samples samples = {0};

	bench->flag[ANSWERS_AT] = 0;
	memset(bench->pinned[XS_BENCH_IN], 0, FLAG_WORDS);
	xs_bench_copy_async(bench, XS_BENCH_IN, 0, FLAG_WORDS,
			    bench->stream[0]);
	measure_slope(bench, XS_PARAM_poll_system_ns, poll_ns, &host, 512);
	measure_slope(bench, XS_PARAM_poll_device_ns, poll_ns, &device, 2048);
	for (int i = 0; i < 20; i++)
		xs_samples_add(&samples, host_poll_ns(bench));
	xs_bench_set(bench, XS_PARAM_poll_host_ns, &samples);
}

/* The flags that the host sees: of one pair, by its number. */
static volatile uint32_t *request(struct xs_bench *bench, unsigned flag)
{
	return bench->flag + REQUESTS_AT + flag * FLAG_WORDS;
}

static volatile uint32_t *answer(struct xs_bench *bench, unsigned flag)
{
	return bench->flag + ANSWERS_AT + flag * FLAG_WORDS;
}

static void start_mailbox(struct xs_bench *bench, unsigned flags,
			  uint32_t turns)
{
	const struct xs_cuda_mailbox box = {
	    .request = bench->flag_address + 4 * REQUESTS_AT,
	    .answer = bench->flag_address + 4 * ANSWERS_AT,
	    .late = bench->flag_address + 4 * LATE_AT,
	    .most_ns = GPU_MOST_NS};

	bench->flag[LATE_AT] = 0;
	for (unsigned f = 0; f < flags; f++)
		*request(bench, f) = *answer(bench, f) = 0;
	xs_cuda_mailbox(&bench->gpu, &box, turns, flags, bench->stream[0]);
}

/* Waits until a kernel has set its flag to the turn; fails after the deadline,
 * or if the kernel gave up. */
static void wait_turn(struct xs_bench *bench, unsigned flag, uint32_t turn)
{
	volatile uint32_t *at = request(bench, flag);
	double start = 0, now;

	for (unsigned polls = 1; !xs_cuda_failed(&bench->gpu); polls++) {
		if (*at >= turn)
			return;
		if (polls % POLLS != 0)
			continue;
		now = xs_bench_now_ns();
		start = start > 0 ? start : now;
		if (bench->flag[LATE_AT] != 0)
			xs_cuda_fail(&bench->gpu,
				     "a kernel did not see a flag of the host "
				     "within half a second");
		else if (now - start > HOST_MOST_NS)
			xs_cuda_fail(&bench->gpu,
				     "a kernel did not answer a flag within a "
				     "second");
		else if (now - start > YIELD_NS)
			sched_yield();
	}
}

/* One turn at a time of one pair: from the answer to the next request. */
static void take_turns(struct xs_bench *bench, uint32_t turns,
		       struct xs_samples *samples)
{
	double start;

	start_mailbox(bench, 1, turns);
	for (uint32_t i = 1; i <= turns; i++) {
		start = xs_bench_now_ns();
		*answer(bench, 0) = i;
		wait_turn(bench, 0, i);
		if (i > 1 && !xs_cuda_failed(&bench->gpu))
			xs_samples_add(samples, xs_bench_now_ns() - start);
	}
	XS_CUDA(&bench->gpu, cuStreamSynchronize, bench->stream[0]);
}

/* One thread of the host answers all pairs. Returns its time of a request. */
static double proxy_ns(struct xs_bench *bench)
{
	const uint32_t turns = 32;
	double start = 0;

	start_mailbox(bench, FLAGS, turns);
	for (uint32_t i = 1; i <= turns; i++) {
		if (i == 2)
			start = xs_bench_now_ns();
		for (unsigned f = 0; f < FLAGS; f++) {
			wait_turn(bench, f, i - 1);
			*answer(bench, f) = i;
		}
	}
	for (unsigned f = 0; f < FLAGS; f++)
		wait_turn(bench, f, turns);
	start = xs_bench_now_ns() - start;
	XS_CUDA(&bench->gpu, cuStreamSynchronize, bench->stream[0]);
	return start / ((turns - 1) * FLAGS);
}

/* w_flag is what a round trip has beside the polls of both sides. */
void xs_bench_mailbox(struct xs_bench *bench)
{
	const double polls_ns = bench->machine->poll_system_ns.value +
				bench->machine->poll_host_ns.value;
	struct xs_samples trips = {0}, flags = {0}, proxy = {0};

	if (isnan(polls_ns))
		xs_cuda_fail(&bench->gpu,
			     "needs the times of polls, which are missing");
	take_turns(bench, 128, &trips);
	for (size_t i = 0; i < trips.count; i++)
		xs_samples_add(&flags, trips.values[i] - polls_ns);
	xs_bench_set(bench, XS_PARAM_flag_ns, &flags);
	for (int i = 0; i < 15 && !xs_cuda_failed(&bench->gpu); i++)
		xs_samples_add(&proxy, proxy_ns(bench));
	xs_bench_set(bench, XS_PARAM_proxy_ns, &proxy);
}

/* Messages of 64 bytes. */
struct messages {
	xs_cuda_address to, from;
	unsigned blocks;
};

static double messages_ns(struct xs_bench *bench, const void *what,
			  size_t count)
{
	const struct messages *m = what;

	xs_bench_begin(bench, bench->stream[0]);
	xs_cuda_message(&bench->gpu, m->to, m->from,
			bench->flag_address + 4 * MESSAGES_AT, (uint32_t)count,
			m->blocks, bench->stream[0]);
	return xs_bench_end_ns(bench, bench->stream[0]);
}

/* g is that of a block beside others, which it depends on. */
#define MESSAGE_BLOCKS 8

void xs_bench_messages(struct xs_bench *bench)
{
	const struct messages stored = {bench->mapped[XS_BENCH_OUT], 0, 1};
	const struct messages in = {bench->device[XS_BENCH_IN],
				    bench->mapped[XS_BENCH_IN], MESSAGE_BLOCKS};
	const struct messages out = {bench->mapped[XS_BENCH_OUT],
				     bench->device[XS_BENCH_OUT],
				     MESSAGE_BLOCKS};

	measure_slope(bench, XS_PARAM_store_64_ns, messages_ns, &stored, 256);
	measure_slope(bench, XS_PARAM_g_load_ns, messages_ns, &in, 256);
	measure_slope(bench, XS_PARAM_g_store_ns, messages_ns, &out, 256);
}

/* 1 to 4 MiB, which the L2 cache holds as it does results. */
#define BLOCK_MOST (4 * XS_MIB)

static double block_ns(struct xs_bench *bench, const void *what, size_t bytes)
{
	const struct messages *m = what;

	xs_bench_begin(bench, bench->stream[0]);
	xs_cuda_sweep_block(&bench->gpu, m->to, m->from, bytes,
			    bench->stream[0]);
	return xs_bench_end_ns(bench, bench->stream[0]);
}

/* The same of memory that was not moved since the L2 cache was filled with
 * others: sizes are powers of two, and each begins where the one before has
 * ended. */
static double far_ns(struct xs_bench *bench, const void *what, size_t bytes)
{
	struct messages far = *(const struct messages *)what;

	far.from += bytes;
	return block_ns(bench, &far, bytes);
}

static void measure_far(struct xs_bench *bench, const struct messages *out)
{
	const struct messages far = {out->to, out->from + XS_BENCH_EVICTED, 1};
	const struct xs_sweep sweep = {far_ns, &far, BLOCK_MOST, 3};
	struct xs_samples samples = {0};
	struct xs_repeats repeats = xs_bench_repeats(20);

	while (xs_bench_repeat(&repeats)) {
		xs_bench_evict(bench);
		xs_samples_add(&samples, xs_bench_line(bench, &sweep).slope);
	}
	xs_bench_set(bench, XS_PARAM_block_store_far, &samples);
}

void xs_bench_blocks(struct xs_bench *bench)
{
	const struct messages in = {bench->device[XS_BENCH_IN],
				    bench->mapped[XS_BENCH_IN], 1};
	const struct messages out = {bench->mapped[XS_BENCH_OUT],
				     bench->device[XS_BENCH_OUT], 1};

	measure_slope(bench, XS_PARAM_block_load, block_ns, &in, BLOCK_MOST);
	measure_slope(bench, XS_PARAM_block_store, block_ns, &out, BLOCK_MOST);
	measure_far(bench, &out);
}
