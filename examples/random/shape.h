/* SPDX-License-Identifier: MIT */
/* The program that a seed chooses, and the variants that it has. */
#ifndef XS_EXAMPLES_SHAPE_H
#define XS_EXAMPLES_SHAPE_H

#include "../options.h"

#include <cmath>

#define BUFFERS	 6
#define LAUNCHES 8
#define THREADS	 4
#define CHUNKS	 4 /* of the variant streams, each with its own stream */
/* The first of the variants is the program as it is. */
#define BASELINE PAGEABLE

struct buffer {
	unsigned words;
	unsigned pieces; /* each copied by itself, from a place of its own */
	bool constant;	 /* the host fills it once */
};

struct kernel {
	int input; /* BUFFERS: all of them */
	int after; /* the input after whose copy it is launched */
	int output;
	bool adds; /* to what an earlier kernel wrote there */
	int work;
};

struct shape {
	long seed, rounds;
	int threads, ins, outs, launches;
	struct buffer in[BUFFERS], out[BUFFERS];
	struct kernel kernels[LAUNCHES];
	bool pinned, async, own_stream, allocates, aligned;
	int wait; /* async: for 0 its stream, 1 the device, 2 an event */
	double before_ns, after_ns; /* of the host's work in a round */
};

static unsigned long long state;

static unsigned long long draw(void) /* splitmix64 */
{
	unsigned long long x = state += 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static int between(int least, int most)
{
	return least + (int)(draw() % (unsigned)(most - least + 1));
}

static bool chance(int percent)
{
	return between(1, 100) <= percent;
}

static double log_between(double least, double most)
{
	return least * pow(most / least, (double)(draw() >> 11) * 0x1p-53);
}

static size_t bytes_of(const struct buffer *buffer)
{
	return buffer->words * sizeof(unsigned);
}

static size_t all_bytes(const struct shape *s)
{
	size_t bytes = 0;

	for (int i = 0; i < s->ins; i++)
		bytes += bytes_of(&s->in[i]);
	for (int i = 0; i < s->outs; i++)
		bytes += bytes_of(&s->out[i]);
	return bytes * (size_t)s->threads;
}

static void choose_buffers(struct shape *s)
{
	const bool small = chance(25), constants = chance(40);
	const double most = 16777216; /* 64 MiB */
	struct buffer same = {(unsigned)log_between(16, most), 1, false};

	s->aligned = !small && chance(50);
	for (int i = 0; i < s->ins; i++) {
		s->in[i] = same;
		if (!s->aligned)
			s->in[i].words = (unsigned)log_between(16, most);
		if (small) { /* pieces of 64 B to 16 KiB */
			s->in[i].pieces = (unsigned)between(8, 32);
			s->in[i].words = s->in[i].pieces * 16 *
					 (unsigned)log_between(1, 256);
		}
		s->in[i].constant = constants && chance(50);
	}
	if (small)
		s->outs = 1; /* batch merges the copies in alone */
	for (int i = 0; i < s->outs; i++) {
		s->out[i] = same;
		if (!s->aligned)
			s->out[i].words =
			    (unsigned)log_between(16, small ? 16384 : most);
	}
	while (all_bytes(s) > 256u << 20) {
		s->threads = s->threads > 1 ? s->threads - 1 : 1;
		s->ins = s->ins > 1 ? s->ins - 1 : 1;
		s->outs = s->outs > 1 ? s->outs - 1 : 1;
	}
}

/* Some kernels need one input alone and are launched after its copy. */
static void choose_kernels(struct shape *s, bool small)
{
	const bool each = !small && s->ins > 1 && chance(40);
	const bool computes = chance(50);

	if (each && s->launches < s->ins)
		s->launches = s->ins;
	if (s->outs > s->launches)
		s->outs = s->launches;
	for (int i = 0; i < s->launches; i++) {
		struct kernel *k = &s->kernels[i];

		/* those of an input are next to each other */
		k->after = each ? i * s->ins / s->launches : s->ins - 1;
		k->input = each ? k->after : BUFFERS;
		k->output = i % s->outs;
		k->adds = i >= s->outs;
		k->work = computes ? (int)log_between(50, 2000) : between(1, 4);
	}
}

static struct shape choose(long seed)
{
	struct shape s = {};
	long ops;

	state = (unsigned long long)seed;
	s.seed = seed;
	s.threads = chance(55) ? 1 : between(2, THREADS);
	s.ins = between(1, BUFFERS);
	s.outs = chance(50) ? 1 : between(1, BUFFERS);
	s.launches = chance(40) ? 1 : between(1, LAUNCHES);
	choose_buffers(&s);
	choose_kernels(&s, s.in[0].pieces > 1);
	s.pinned = chance(25);
	s.async = chance(50);
	s.own_stream = chance(40);
	s.allocates = chance(20);
	s.wait = between(0, 2);
	s.before_ns = chance(40) ? log_between(5e3, 2e6) : 0;
	s.after_ns = chance(25) ? log_between(5e3, 1e6) : 0;
	ops = s.ins * (long)s.in[0].pieces + s.launches + s.outs;
	s.rounds = (long)fmin((double)(1ul << 30) / (double)all_bytes(&s),
			      20000 / (double)(ops * s.threads));
	s.rounds = s.rounds < 10 ? 10 : s.rounds > 1000 ? 1000 : s.rounds;
	return s;
}

static bool has(const struct shape *s, enum variant variant)
{
	switch (variant) {
	case BASELINE:
	case DOUBLE_BUFFER:
		return true;
	case PINNED:
		return !s->pinned;
	case STREAMS:
		return s->aligned && s->in[0].words >= CHUNKS * 1024;
	case REUSE:
		return s->allocates;
	case RESIDENT:
		for (int i = 0; i < s->ins; i++)
			if (s->in[i].constant)
				return true;
		return false;
	case BATCH:
		return s->in[0].pieces > 1;
	case GRAPH: /* of kernels between copies, on memory that stays */
		return s->launches > 1 && s->kernels[0].input == BUFFERS &&
		       !s->allocates;
	default:
		return false;
	}
}

static const char *name_of(enum variant variant)
{
	return variant == BASELINE ? "baseline" : variant_names[variant];
}

/* Prints the variants in a line, and the program. Returns the exit code. */
static int print_shape(const struct shape *s)
{
	static const char *const waits[] = {"stream", "device", "event"};
	const char *separator = "";

	for (int v = 0; v < VARIANTS; v++)
		if (has(s, (enum variant)v)) {
			printf("%s%s", separator, name_of((enum variant)v));
			separator = " ";
		}
	printf("\n%ld rounds, %d thread%s%s%s, %s memory, ", s->rounds,
	       s->threads, s->threads > 1 ? "s" : "",
	       s->own_stream ? " with a stream each" : "",
	       s->allocates ? ", allocates in rounds" : "",
	       s->pinned ? "pinned" : "pageable");
	if (s->async)
		printf("cudaMemcpyAsync and a wait for the %s", waits[s->wait]);
	else
		printf("cudaMemcpy");
	printf("; host %.0f us before and %.0f us after", s->before_ns / 1e3,
	       s->after_ns / 1e3);
	for (int i = 0; i < s->ins; i++) {
		printf("\nin %zu B", bytes_of(&s->in[i]));
		if (s->in[i].pieces > 1)
			printf(" in %u copies", s->in[i].pieces);
		printf("%s", s->in[i].constant ? ", the same each round" : "");
	}
	for (int i = 0; i < s->launches; i++)
		printf("\nkernel of %d steps after input %d, to output %d",
		       s->kernels[i].work, s->kernels[i].after,
		       s->kernels[i].output);
	for (int i = 0; i < s->outs; i++)
		printf("\nout %zu B", bytes_of(&s->out[i]));
	printf("\n");
	return 0;
}

#endif
