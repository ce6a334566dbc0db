/* SPDX-License-Identifier: MIT */
/*
 * Breadth-first search, after the pattern of Rodinia's bfs: for each level a
 * flag is copied in, two kernels run, and the flag is copied out. Node i has
 * edges to some of the next REACH nodes, so that there are many levels.
 */
#include "rounds.h"

#include <vector>

#define NODES (64u << 10)
#define EDGES 6
#define REACH 256u

struct search {
	unsigned *edges, *level, *active, *updated, *over;
};

static struct search search;
static unsigned *host_over; /* one of the host's, in and out */
static std::vector<unsigned> edges;

static __device__ void visit(const struct search *s, unsigned round)
{
	const unsigned threads = gridDim.x * blockDim.x;

	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < NODES;
	     i += threads) {
		if (!s->active[i])
			continue;
		s->active[i] = 0;
		for (unsigned e = 0; e < EDGES; e++) {
			const unsigned to = s->edges[i * EDGES + e];

			if (s->level[to] == 0) {
				s->level[to] = round + 1;
				s->updated[to] = 1;
			}
		}
	}
}

static __device__ void update(const struct search *s)
{
	const unsigned threads = gridDim.x * blockDim.x;

	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < NODES;
	     i += threads)
		if (s->updated[i]) {
			s->updated[i] = 0;
			s->active[i] = 1;
			*s->over = 0;
		}
}

static __global__ void visit_once(struct search s, unsigned round)
{
	visit(&s, round);
}

static __global__ void update_once(struct search s)
{
	update(&s);
}

static __global__ void staying(struct flags f, unsigned rounds, struct search s,
			       unsigned *host_over)
{
	for (unsigned round = 1; round <= rounds; round++) {
		if (!begin_round(&f, round))
			return;
		if (blockIdx.x == 0 && threadIdx.x == 0)
			*s.over = fetch(host_over);
		visit(&s, round);
		if (!meet(&f, 2 * round - 1))
			return;
		update(&s);
		if (is_last(&f, 2 * round)) {
			*host_over = fetch(s.over);
			end_round(&f, round);
		}
	}
}

static void set_up(void)
{
	unsigned random = 1, one = 1;

	edges.resize((size_t)NODES * EDGES);
	for (size_t i = 0; i < edges.size(); i++) {
		random = random * 1664525u + 1013904223u;
		edges[i] = (unsigned)(i / EDGES + 1 + (random >> 16) % REACH);
		edges[i] = edges[i] < NODES ? edges[i] : NODES - 1;
	}
	search.edges = device_array<unsigned>(edges.size());
	search.level = device_array<unsigned>(NODES);
	search.active = device_array<unsigned>(NODES);
	search.updated = device_array<unsigned>(NODES);
	search.over = device_array<unsigned>(1);
	host_over = host_array<unsigned>(1);
	CHECK(cudaMemcpy(search.edges, edges.data(),
			 edges.size() * sizeof(unsigned),
			 cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(search.level, &one, sizeof(one),
			 cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(search.active, &one, sizeof(one),
			 cudaMemcpyHostToDevice));
}

static void before(unsigned)
{
	*host_over = 1;
}

static void copies(unsigned round, cudaStream_t stream)
{
	const unsigned blocks = staying_blocks(NODES);

	CHECK(cudaMemcpyAsync(search.over, host_over, sizeof(*host_over),
			      cudaMemcpyHostToDevice, stream));
	visit_once<<<blocks, ROUND_THREADS, 0, stream>>>(search, round);
	update_once<<<blocks, ROUND_THREADS, 0, stream>>>(search);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpyAsync(host_over, search.over, sizeof(*host_over),
			      cudaMemcpyDeviceToHost, stream));
}

static void stay(const struct flags *f, unsigned rounds, cudaStream_t stream)
{
	staying<<<staying_blocks(NODES), ROUND_THREADS, 0, stream>>>(
	    *f, rounds, search, host_over);
	CHECK(cudaGetLastError());
}

static bool after(unsigned)
{
	return *host_over == 0;
}

/* The same on the host. */
static bool is_right(unsigned rounds)
{
	std::vector<unsigned> level(NODES), got(NODES), now(1, 0), next;

	level[0] = 1;
	for (unsigned round = 1; round <= rounds; round++, now.swap(next)) {
		next.clear();
		for (unsigned from : now)
			for (unsigned e = 0; e < EDGES; e++) {
				const unsigned to = edges[from * EDGES + e];

				if (level[to] == 0) {
					level[to] = round + 1;
					next.push_back(to);
				}
			}
	}
	CHECK(cudaMemcpy(got.data(), search.level, NODES * sizeof(unsigned),
			 cudaMemcpyDeviceToHost));
	return got == level;
}

int main(int argc, char **argv)
{
	struct workload work = {"levels", 1000, set_up, before,
				copies,	  stay, after,	is_right};

	return run_workload(&work, argc, argv);
}
