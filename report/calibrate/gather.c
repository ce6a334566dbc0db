/* SPDX-License-Identifier: MIT */
/* Gathering: the host copies pieces of pageable memory, here every second one,
 * to one pinned buffer; alone, or with a thread on each processor. */
#include "report/calibrate/bench.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#define PIECE_BYTES ((size_t)64 << 10)
#define PIECES	    256u
#define THREADS_MAX 64

/* The calling thread is number 0. */
struct crew {
	struct xs_bench *bench;
	unsigned count;
	_Atomic unsigned turn, done; /* turn 0: not yet; LEAVE: the last one */
};

#define LEAVE UINT_MAX

struct member {
	struct crew *crew;
	unsigned number;
	pthread_t thread;
};

static void copy_share(const struct crew *crew, unsigned number)
{
	unsigned char *to = crew->bench->pinned[XS_BENCH_IN];
	const unsigned char *from = crew->bench->pageable;

	for (size_t i = number; i < PIECES; i += crew->count)
		memcpy(to + i * PIECE_BYTES, from + 2 * i * PIECE_BYTES,
		       PIECE_BYTES);
	/* Keeps the compiler from removing copies that the host never reads. */
	__asm__ volatile("" : : "r"(to) : "memory");
}

static void *take_turns(void *data)
{
	const struct member *member = data;
	struct crew *crew = member->crew;
	unsigned turn, seen = 0;

	while ((turn = atomic_load(&crew->turn)) != LEAVE) {
		if (turn == seen) {
			sched_yield();
			continue;
		}
		seen = turn;
		copy_share(crew, member->number);
		atomic_fetch_add(&crew->done, 1);
	}
	return NULL;
}

static double gather_ns(struct crew *crew)
{
	const double start = xs_bench_now_ns();

	atomic_store(&crew->done, 1);
	atomic_fetch_add(&crew->turn, 1);
	copy_share(crew, 0);
	while (atomic_load(&crew->done) < crew->count)
		sched_yield();
	return xs_bench_now_ns() - start;
}

static void measure(struct crew *crew, enum xs_param_id id)
{
	struct xs_samples samples = {0};
	struct xs_repeats repeats = xs_bench_repeats(20);

	gather_ns(crew);
	while (xs_bench_repeat(&repeats))
		xs_samples_add(&samples, gather_ns(crew) /
					     (double)(PIECES * PIECE_BYTES));
	xs_bench_set(crew->bench, id, &samples);
}

static unsigned processors(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	return CPU_COUNT(&set) < THREADS_MAX ? (unsigned)CPU_COUNT(&set)
					     : THREADS_MAX;
}

void xs_bench_gather(struct xs_bench *bench)
{
	struct crew crew = {.bench = bench, .count = 1};
	struct member members[THREADS_MAX];
	const unsigned most = processors();
	unsigned count = 1;

	measure(&crew, XS_PARAM_host_copy_byte_ns);
	atomic_store(&crew.turn, 0);
	for (; count < most; count++) {
		members[count] = (struct member){&crew, count, 0};
		if (pthread_create(&members[count].thread, NULL, take_turns,
				   &members[count]))
			break;
	}
	crew.count = count;
	measure(&crew, XS_PARAM_host_threads_byte_ns);
	atomic_store(&crew.turn, LEAVE);
	while (--count > 0)
		pthread_join(members[count].thread, NULL);
}
