/* SPDX-License-Identifier: MIT */
/*
 * Messages between two GPUs by puts of NVSHMEM in a kernel, with a signal
 * behind each, to be held against the stores and flags of examples/peer.cu.
 * Prints half of the round trip as JSON, a line for each size. With NVSHMEM in
 * $NVSHMEM:
 *
 *   nvcc -O2 -rdc=true -arch=sm_90 -I $NVSHMEM/include device_put.cu \
 *        -o device_put -L $NVSHMEM/lib -lnvshmem_host -lnvshmem_device
 */
#include "flags.h"

#include <nvshmem.h>
#include <nvshmemx.h>

#define PES	     2
#define ROUNDS	     64
#define THREADS	     512
#define LARGEST	     ((size_t)64 << 20)
#define MOST_SECONDS 30 /* no wait has a deadline of its own */

/* What a kernel of one of the two does in turn: it puts, or waits. */
struct turn {
	char *to;
	const char *from;
	size_t bytes;
	uint64_t *signal, before; /* signals of the sizes before */
	int pe;
	double *took; /* each round */
};

static __global__ void play(struct turn t)
{
	for (int i = 1; i <= ROUNDS; i++) {
		const unsigned long long start = gpu_ns();

		for (int half = 0; half < PES; half++) {
			if (half == t.pe)
				nvshmemx_putmem_signal_nbi_block(
				    t.to, t.from, t.bytes, t.signal,
				    t.before + i, NVSHMEM_SIGNAL_SET, 1 - t.pe);
			else if (threadIdx.x == 0)
				nvshmem_signal_wait_until(
				    t.signal, NVSHMEM_CMP_GE, t.before + i);
			__syncthreads();
		}
		if (threadIdx.x == 0)
			t.took[i - 1] = (double)(gpu_ns() - start) / PES;
	}
}

/* The id is that of the first, which writes it to the pipe. */
static void join(int pe, const int pipe[2])
{
	nvshmemx_uniqueid_t id = NVSHMEMX_UNIQUEID_INITIALIZER;
	nvshmemx_init_attr_t attributes = NVSHMEMX_INIT_ATTR_INITIALIZER;
	const bool known =
	    pe == 0 ? nvshmemx_get_uniqueid(&id) == 0 &&
			  write(pipe[1], &id, sizeof(id)) == sizeof(id)
		    : read(pipe[0], &id, sizeof(id)) == sizeof(id);

	if (known &&
	    nvshmemx_set_attr_uniqueid_args(pe, PES, &id, &attributes) == 0 &&
	    nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attributes) == 0)
		return;
	fprintf(stderr, "device_put: NVSHMEM does not start\n");
	_exit(EXIT_NO_ANSWER);
}

static void run_process(int pe, const int pipe[2])
{
	struct turn t = {.to = NULL,
			 .from = NULL,
			 .bytes = 8,
			 .signal = NULL,
			 .before = 0,
			 .pe = pe,
			 .took = NULL};

	close(pipe[pe == 0 ? 0 : 1]);
	end_within(MOST_SECONDS, "device_put");
	CHECK(cudaSetDevice(pe));
	join(pe, pipe);
	t.to = (char *)nvshmem_malloc(LARGEST);
	t.from = (char *)nvshmem_malloc(LARGEST);
	t.signal = (uint64_t *)nvshmem_calloc(1, sizeof(*t.signal));
	if (t.to == NULL || t.from == NULL || t.signal == NULL) {
		fprintf(stderr, "device_put: NVSHMEM has no memory\n");
		_exit(EXIT_NO_ANSWER);
	}
	CHECK(cudaMallocHost((void **)&t.took, ROUNDS * sizeof(*t.took)));
	for (; t.bytes <= LARGEST; t.bytes *= 8, t.before += ROUNDS) {
		nvshmem_barrier_all();
		play<<<1, THREADS>>>(t);
		CHECK(cudaDeviceSynchronize());
		qsort(t.took + 1, ROUNDS - 1, sizeof(*t.took), compare_doubles);
		if (pe == 0)
			printf("{\"way\": \"nvshmem-device\", \"blocks\": 1, "
			       "\"bytes\": %zu, \"median_ns\": %.6g}\n",
			       t.bytes, t.took[1 + ROUNDS / 2]);
	}
	_exit(end_output("device_put", 0));
}

int main(void)
{
	pid_t processes[PES] = {0};
	int ends[2];
	bool made = pipe(ends) == 0;

	end_within(2 * MOST_SECONDS, "device_put");
	for (int pe = 0; made && pe < PES; pe++) {
		processes[pe] = fork();
		made = processes[pe] >= 0;
		if (processes[pe] == 0)
			run_process(pe, ends);
	}
	if (!made) {
		perror("device_put: no process");
		return 2;
	}
	close(ends[0]);
	close(ends[1]);
	return wait_processes("device_put", processes, PES);
}
