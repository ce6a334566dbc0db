/* SPDX-License-Identifier: MIT */
/*
 * Messages from one GPU to another: staged through the host, by a copy between
 * GPUs before and after peer access is enabled, by loads and stores of a
 * kernel in the other GPU's memory with a flag behind each message, and by
 * NCCL and NVSHMEM if they are installed. Prints times as JSON.
 */
#include "putget/mailbox.h"
#include "putget/nccl.h"
#include "putget/nvshmem.h"

#define GPUS	     2
#define COPY_TURNS   51
#define PING_ROUNDS  64
#define MOST_SECONDS 300

/* One GPU and its memory. */
struct end {
	int gpu;
	char *buffer, *from; /* from: what its kernels store */
	unsigned *flags;     /* a line for each block; the other one sets it */
	cudaStream_t stream;
};

static struct end ends[GPUS];
static char *staging;	/* host memory */
static unsigned *late;	/* host memory: a GPU gave up */
static double *took_ns; /* host memory */

/* Loads from the other GPU, or stores to it. */
static __global__ void sweep_peer(char *to, const char *from, size_t bytes)
{
	move_part(to, from, bytes, blockIdx.x, gridDim.x);
}

/* What a kernel of one of the two does in turn: it stores its message and sets
 * the other one's flag, or waits for its own. */
struct turn {
	char *to;
	const char *from;
	size_t bytes;
	unsigned *mine, *other, *late;
	bool first;
	double *took; /* each round */
};

static __global__ void play(struct turn t)
{
	__shared__ bool stop;
	const unsigned at = blockIdx.x * FLAG_WORDS;

	for (unsigned i = 1; i <= PING_ROUNDS; i++) {
		const unsigned long long start = gpu_ns();

		for (int half = 0; half < 2; half++) {
			const bool sends = (half == 0) == t.first;

			if (sends)
				move_part(t.to, t.from, t.bytes, blockIdx.x,
					  gridDim.x);
			__syncthreads();
			if (threadIdx.x == 0 && sends)
				store_flag(t.other + at, i);
			if (threadIdx.x == 0)
				stop =
				    !sends && !wait_for(t.mine + at, i, t.late);
			__syncthreads();
			if (stop)
				return;
		}
		if (t.first && blockIdx.x == 0 && threadIdx.x == 0)
			t.took[i - 1] = (double)(gpu_ns() - start);
	}
}

static void use(const struct end *end)
{
	CHECK(cudaSetDevice(end->gpu));
}

static bool printed; /* a row, which a comma follows */

static void print_row(const char *way, const char *peer_access, unsigned blocks,
		      size_t bytes, double *ns, long count)
{
	qsort(ns, (size_t)count, sizeof(*ns), compare_doubles);
	printf("%s\n  {\"way\": \"%s\", \"peer_access\": %s, \"blocks\": %u, "
	       "\"bytes\": %zu, \"median_ns\": %.6g, \"low_ns\": %.6g, "
	       "\"high_ns\": %.6g}",
	       printed ? "," : "", way, peer_access, blocks, bytes,
	       ns[count / 2], ns[count / 4], ns[count * 3 / 4]);
	fflush(stdout);
	printed = true;
}

static void open_end(struct end *end, int gpu)
{
	cudaFuncAttributes unused;

	end->gpu = gpu;
	use(end);
	CHECK(cudaMalloc((void **)&end->buffer, BUFFER_BYTES));
	CHECK(cudaMalloc((void **)&end->from, BUFFER_BYTES));
	CHECK(cudaMalloc((void **)&end->flags, FLAGS_BYTES));
	CHECK(cudaStreamCreateWithFlags(&end->stream, cudaStreamNonBlocking));
	CHECK(cudaMemset(end->from, OUT_BYTE, BUFFER_BYTES));
	/* none can be loaded while another one waits */
	CHECK(cudaFuncGetAttributes(&unused, play));
	CHECK(cudaFuncGetAttributes(&unused, sweep_peer));
	CHECK(cudaDeviceSynchronize());
}

static void clear_ends(void)
{
	for (int i = 0; i < GPUS; i++) {
		use(&ends[i]);
		CHECK(cudaMemset(ends[i].flags, 0, FLAGS_BYTES));
		CHECK(cudaMemset(ends[i].buffer, 0, 1));
		CHECK(cudaDeviceSynchronize());
	}
}

static void check_byte(const char *what, size_t bytes)
{
	char last = 0;

	use(&ends[1]);
	CHECK(cudaMemcpy(&last, ends[1].buffer + bytes - 1, 1,
			 cudaMemcpyDeviceToHost));
	if (last == OUT_BYTE)
		return;
	fprintf(stderr, "peer: %s, %zu bytes: WRONG data\n", what, bytes);
	exit(EXIT_NO_ANSWER);
}

/* The program's own way through the host: out, a wait, in. */
static void stage(size_t bytes)
{
	use(&ends[0]);
	CHECK(cudaMemcpyAsync(staging, ends[0].from, bytes,
			      cudaMemcpyDeviceToHost, ends[0].stream));
	CHECK(cudaStreamSynchronize(ends[0].stream));
	use(&ends[1]);
	CHECK(cudaMemcpyAsync(ends[1].buffer, staging, bytes,
			      cudaMemcpyHostToDevice, ends[1].stream));
	CHECK(cudaStreamSynchronize(ends[1].stream));
}

static void copy(size_t bytes)
{
	use(&ends[0]);
	CHECK(cudaMemcpyPeerAsync(ends[1].buffer, 1, ends[0].from, 0, bytes,
				  ends[0].stream));
	CHECK(cudaStreamSynchronize(ends[0].stream));
}

static nccl_comm comms[GPUS];

/* NCCL's kernels on both GPUs. */
static void send(size_t bytes)
{
	NCCL(ncclGroupStart);
	NCCL(ncclSend, ends[0].from, bytes, NCCL_BYTE, 1, comms[0],
	     ends[0].stream);
	NCCL(ncclRecv, ends[1].buffer, bytes, NCCL_BYTE, 0, comms[1],
	     ends[1].stream);
	NCCL(ncclGroupEnd);
	for (int i = 0; i < GPUS; i++) {
		use(&ends[i]);
		CHECK(cudaStreamSynchronize(ends[i].stream));
	}
}

static void measure_host(const char *way, void (*move)(size_t bytes),
			 const char *peer_access, size_t bytes)
{
	double ns[COPY_TURNS];

	clear_ends();
	for (int i = -2; i < COPY_TURNS; i++) {
		const double start = now_ns();

		move(bytes);
		if (i >= 0)
			ns[i] = now_ns() - start;
	}
	check_byte(way, bytes);
	print_row(way, peer_access, 0, bytes, ns, COPY_TURNS);
}

/* The host's time of a kernel that moves all bytes. */
static void measure_sweep(bool loads, unsigned blocks, size_t bytes)
{
	const struct end *by = &ends[loads ? 1 : 0];
	double ns[COPY_TURNS];

	clear_ends();
	use(by);
	for (int i = -2; i < COPY_TURNS; i++) {
		const double start = now_ns();

		sweep_peer<<<blocks, THREADS, 0, by->stream>>>(
		    ends[1].buffer, ends[0].from, bytes);
		CHECK(cudaGetLastError());
		CHECK(cudaStreamSynchronize(by->stream));
		if (i >= 0)
			ns[i] = now_ns() - start;
	}
	check_byte(loads ? "load" : "store", bytes);
	print_row(loads ? "load" : "store", "true", blocks, bytes, ns,
		  COPY_TURNS);
}

static void check_late(void)
{
	if (*late == 0)
		return;
	fprintf(stderr,
		"peer: a GPU did not see the other one's flag within "
		"%.0f s; is one in use?\n",
		GPU_DEADLINE_NS / 1e9);
	exit(EXIT_NO_ANSWER);
}

/* Half of the round trip of messages both ways: flags are polled locally. */
static void measure_ping(unsigned blocks, size_t bytes)
{
	double ns[PING_ROUNDS];

	clear_ends();
	for (int i = GPUS - 1; i >= 0; i--) {
		const struct end *me = &ends[i], *other = &ends[1 - i];
		const struct turn turn = {.to = other->buffer,
					  .from = me->from,
					  .bytes = bytes,
					  .mine = me->flags,
					  .other = other->flags,
					  .late = late,
					  .first = i == 0,
					  .took = took_ns};

		use(me);
		play<<<blocks, THREADS, 0, me->stream>>>(turn);
		CHECK(cudaGetLastError());
	}
	for (int i = 0; i < GPUS; i++) {
		use(&ends[i]);
		CHECK(cudaStreamSynchronize(ends[i].stream));
	}
	check_late();
	check_byte("ping-pong", bytes);
	for (int i = 0; i < PING_ROUNDS; i++)
		ns[i] = took_ns[i] / 2;
	print_row("flag", "true", blocks, bytes, ns + 1, PING_ROUNDS - 1);
}

static bool enable_access(void)
{
	int can[GPUS] = {0};

	for (int i = 0; i < GPUS; i++)
		CHECK(cudaDeviceCanAccessPeer(&can[i], i, 1 - i));
	for (int i = 0; i < GPUS && can[0] && can[1]; i++) {
		use(&ends[i]);
		CHECK(cudaDeviceEnablePeerAccess(1 - i, 0));
	}
	return can[0] && can[1];
}

/* By kernels of one GPU in the other one's memory. */
static void measure_direct(size_t bytes)
{
	for (unsigned blocks = 1; blocks <= BLOCKS_MAX; blocks *= 2) {
		measure_ping(blocks, bytes);
		if (bytes < 1 << 16)
			continue;
		measure_sweep(false, blocks, bytes);
		measure_sweep(true, blocks, bytes);
	}
}

static bool start_nccl(void)
{
	if (!load_nccl()) {
		fprintf(stderr, "peer: without NCCL: no libnccl.so.2\n");
		return true;
	}
	if (nccl.ncclCommInitAll(comms, GPUS, NULL) == 0)
		return true;
	fprintf(stderr, "peer: NCCL does not start\n");
	return false;
}

/* Returns an exit code. */
static int measure_sizes(size_t most)
{
	for (size_t bytes = 8; bytes <= most; bytes *= 8) {
		measure_host("staged", stage, "false", bytes);
		measure_host("copy", copy, "false", bytes);
	}
	if (!enable_access()) {
		fprintf(stderr, "peer: the GPUs have no access to each "
				"other's memory\n");
		return 0;
	}
	for (size_t bytes = 8; bytes <= most; bytes *= 8) {
		measure_host("copy", copy, "true", bytes);
		measure_direct(bytes);
	}
	if (!start_nccl())
		return EXIT_NO_ANSWER;
	for (size_t bytes = 8; comms[0] != NULL && bytes <= most; bytes *= 8)
		measure_host("nccl", send, "true", bytes);
	return 0;
}

/* Of another process: this one's rows precede it. */
static void print_last_row(const char *way, const char *peer_access,
			   unsigned blocks, size_t bytes, double *ns,
			   long count)
{
	printed = true;
	print_row(way, peer_access, blocks, bytes, ns, count);
}

static int measure_all(size_t most)
{
	int code, nvshmem_code;

	printf("{\"rows\": [");
	code = measure_sizes(most);
	fflush(stdout);
	nvshmem_code = measure_nvshmem();
	printf("]}\n");
	return end_output("peer", code != 0 ? code : nvshmem_code);
}

int main(int argc, char **argv)
{
	const long most = argc > 1 ? strtol(argv[1], NULL, 10) : BUFFER_BYTES;
	int count = 0;

	end_within(MOST_SECONDS, "peer");
	if (most >= 8 && most <= (long)BUFFER_BYTES)
		fork_nvshmem((size_t)most, print_last_row);
	CHECK(cudaGetDeviceCount(&count));
	if (argc > 2 || most < 8 || most > (long)BUFFER_BYTES || count < GPUS) {
		fprintf(stderr,
			"Usage: %s [LARGEST BYTES] > OUT.json, on two GPUs "
			"(here: %d)\n",
			argv[0], count);
		return 1;
	}
	for (int i = 0; i < GPUS; i++)
		open_end(&ends[i], i);
	CHECK(cudaMallocHost((void **)&staging, BUFFER_BYTES));
	CHECK(cudaMallocHost((void **)&late, sizeof(*late)));
	CHECK(cudaMallocHost((void **)&took_ns, PING_ROUNDS * sizeof(double)));
	*late = 0;
	return measure_all((size_t)most);
}
