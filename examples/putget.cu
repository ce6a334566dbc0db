/* SPDX-License-Identifier: MIT */
/*
 * Who starts a transfer between the GPU and the host: the host by copies, a
 * host thread that the GPU asks, or a kernel by its own loads and stores.
 * Prints the times of messages as JSON; putget/predict.py compares them.
 *
 * Ping-pong: one message at a time, from the host's answer to the last one
 * until the host has seen the next. Streaming: many messages, each over its own
 * block.
 */
#include "putget/counted.h"

#define MOST_SECONDS   600
#define PASSES	       5 /* over all rows: a launch may have another state */
#define ROWS_MAX       1024
#define STREAM_REPEATS 7
#define TURNS_MAX      201
#define TURNS_MIN      9
#define STREAM_ROUNDS  64
#define DIRECT_ROUNDS  1024		   /* until the blocks' state lasts */
#define PINGPONG_BYTES ((size_t)128 << 20) /* of all rounds together */

enum control { HOST, ASSISTED, DIRECT };

static const char *const control_names[] = {"host", "assisted", "direct"};

/* One configuration. */
struct row {
	enum control control;
	bool streaming;
	enum direction direction;
	bool device; /* the GPU polls device memory, else host memory */
	unsigned blocks;
	size_t bytes;
	bool kernels; /* each block is a kernel of its own */
};

/* What the passes measured of a row: their medians and quartiles. */
static struct result {
	struct row row;
	double median_ns[PASSES], low_ns[PASSES], high_ns[PASSES];
	long samples; /* of a pass */
} results[ROWS_MAX];

/* Of the pass: its number, and its rows so far. */
static int pass;
static size_t result_count;

static void keep_result(const struct row *row, double *ns, long count)
{
	struct result *result = &results[result_count++];

	qsort(ns, (size_t)count, sizeof(*ns), compare_doubles);
	result->row = *row;
	result->median_ns[pass] = ns[count / 2];
	result->low_ns[pass] = ns[count / 4];
	result->high_ns[pass] = ns[count * 3 / 4];
	result->samples = count;
}

static void print_passes(const char *name, const double *ns)
{
	double sorted[PASSES];

	memcpy(sorted, ns, sizeof(sorted));
	qsort(sorted, PASSES, sizeof(*sorted), compare_doubles);
	printf(", \"%s\": %.6g", name, sorted[PASSES / 2]);
}

/* Prints the medians over the passes, and each pass's. */
static void print_result(const struct mailbox *box, const struct result *result)
{
	const struct row *row = &result->row;
	const bool polls = row->control != HOST;

	printf("%s\n  {\"pattern\": \"%s\", \"control\": \"%s\", \"polled\": "
	       "%s, \"direction\": \"%s\", \"%s\": %u, \"bytes\": %zu",
	       result > results ? "," : "",
	       row->streaming ? "streaming" : "ping-pong",
	       control_names[row->control],
	       !polls	     ? "null"
	       : row->device ? "\"device\""
			     : "\"system\"",
	       box->paths[row->direction].name,
	       row->kernels ? "kernels" : "blocks", row->blocks, row->bytes);
	print_passes("median_ns", result->median_ns);
	print_passes("low_ns", result->low_ns);
	print_passes("high_ns", result->high_ns);
	printf(", \"samples\": %ld, \"passes_ns\": [", result->samples);
	for (int p = 0; p < PASSES; p++)
		printf("%s%.6g", p > 0 ? ", " : "", result->median_ns[p]);
	printf("]");
	printf("}");
}

static void launch(const struct mailbox *box, const struct row *row,
		   unsigned rounds, unsigned stagger_ns)
{
	const bool moves = row->control == DIRECT;
	const struct path *path = &box->paths[row->direction];
	struct work w = {.to = moves ? path->to : NULL,
			 .from = path->from,
			 .bytes = row->bytes,
			 .stride = stride_of(row->bytes),
			 .rounds = rounds,
			 .first = 0,
			 .parts = row->blocks,
			 .shared = !row->streaming,
			 .answered = !row->streaming || !moves,
			 .request = box->request,
			 .answer =
			     row->device ? box->answer_device : box->answer,
			 .late = box->late,
			 .stagger_ns = stagger_ns};

	clear_flags(box);
	if (!row->kernels)
		worker<<<row->blocks, moves ? THREADS : 32, 0, box->kernels>>>(
		    w);
	for (; row->kernels && w.first < row->blocks; w.first++)
		worker<<<1, THREADS, 0, box->each[w.first]>>>(w);
	CHECK(cudaGetLastError());
}

/* Clears the first and the last byte of what a row moves. */
static void clear_target(const struct path *path, size_t bytes)
{
	static const char zero = 0;

	CHECK(cudaMemcpy(path->to, &zero, 1, cudaMemcpyDefault));
	CHECK(cudaMemcpy(path->to + bytes - 1, &zero, 1, cudaMemcpyDefault));
	CHECK(cudaDeviceSynchronize());
}

static void check_target(const struct path *path, const struct row *row,
			 size_t bytes)
{
	char first, last;

	CHECK(cudaMemcpy(&first, path->to, 1, cudaMemcpyDefault));
	CHECK(cudaMemcpy(&last, path->to + bytes - 1, 1, cudaMemcpyDefault));
	if (first == path->byte && last == first)
		return;
	fprintf(stderr, "putget: %s, %s, %zu bytes, %u blocks: WRONG data\n",
		control_names[row->control], path->name, row->bytes,
		row->blocks);
	exit(EXIT_NO_ANSWER);
}

/* The host copies, waits, and launches a kernel, which tells the host. */
static void host_round(const struct mailbox *box, const struct row *row,
		       unsigned i)
{
	copy_async(box, row->direction, 0, row->bytes);
	CHECK(cudaStreamSynchronize(box->copies));
	tell_host<<<1, 1, 0, box->kernels>>>(box->request, i);
	wait_request(box, 0, i, "host control");
}

/* The GPU asks, or moves the message, and tells the host. */
static void gpu_round(const struct mailbox *box, const struct row *row,
		      unsigned i)
{
	answer_all(box, row->blocks, i, row->device);
	wait_requests(box, row->blocks, i, control_names[row->control]);
	if (row->control == DIRECT)
		return;
	copy_async(box, row->direction, 0, row->bytes);
	CHECK(cudaStreamSynchronize(box->copies));
}

static void ping_pong(const struct mailbox *box, const struct row *row)
{
	static double ns[TURNS_MAX];
	const size_t fit = PINGPONG_BYTES / row->bytes;
	const unsigned rounds = fit > TURNS_MAX	  ? TURNS_MAX
				: fit < TURNS_MIN ? TURNS_MIN
						  : (unsigned)fit;

	clear_target(&box->paths[row->direction], row->bytes);
	if (row->control == HOST)
		clear_flags(box);
	else
		launch(box, row, rounds, 0);
	for (unsigned i = 1; i <= rounds; i++) {
		const double start = now_ns();

		if (row->control == HOST)
			host_round(box, row, i);
		else
			gpu_round(box, row, i);
		ns[i - 1] = now_ns() - start;
	}
	CHECK(cudaDeviceSynchronize());
	check_target(&box->paths[row->direction], row, row->bytes);
	keep_result(row, ns + 1, rounds - 1);
}

/* Copies for each block as it asks. Returns after the last request. */
static void serve(const struct mailbox *box, const struct row *row,
		  unsigned rounds)
{
	unsigned served[BLOCKS_MAX] = {0};
	double seen = now_ns();

	for (unsigned left = rounds * row->blocks; left > 0;) {
		bool idle = true;

		for (unsigned b = 0; b < row->blocks; b++) {
			const unsigned at = b * FLAG_WORDS;

			if (__atomic_load_n(box->request + at,
					    __ATOMIC_ACQUIRE) <= served[b])
				continue;
			copy_async(box, row->direction,
				   b * stride_of(row->bytes), row->bytes);
			CHECK(cudaStreamSynchronize(box->copies));
			served[b]++;
			__atomic_store_n(box->answer + at, served[b] + 1,
					 __ATOMIC_RELEASE);
			left--;
			idle = false;
		}
		if (!idle)
			seen = now_ns();
		else if (now_ns() - seen > HOST_DEADLINE_NS)
			no_answer("assisted");
	}
}

/* Returns the time of all messages of one run. */
static double stream_once(const struct mailbox *box, const struct row *row,
			  unsigned rounds, unsigned stagger_ns)
{
	double start;

	if (row->control != HOST)
		launch(box, row, rounds, stagger_ns);
	start = now_ns();
	if (row->control == HOST) {
		for (unsigned i = 0; i < rounds; i++)
			copy_async(box, row->direction, 0, row->bytes);
		CHECK(cudaStreamSynchronize(box->copies));
		return now_ns() - start;
	}
	answer_all(box, row->blocks, 1, false);
	if (row->control == ASSISTED)
		serve(box, row, rounds);
	else
		wait_requests(box, row->blocks, rounds, "direct");
	return now_ns() - start;
}

static void stream(const struct mailbox *box, const struct row *row)
{
	const unsigned most =
	    row->control == DIRECT ? DIRECT_ROUNDS : STREAM_ROUNDS;
	double ns[STREAM_REPEATS + 1], sum = 0;
	const size_t message =
	    (row->blocks - 1) * stride_of(row->bytes) + row->bytes;
	const size_t fit = PINGPONG_BYTES / message;
	const unsigned rounds = fit > most ? most : fit < 2 ? 2 : (unsigned)fit;

	if (message > BUFFER_BYTES)
		return;
	clear_target(&box->paths[row->direction], message);
	for (int r = 0; r <= STREAM_REPEATS; r++) {
		const unsigned stagger_ns =
		    (unsigned)(r * STAGGER_NS / (STREAM_REPEATS + 1));

		ns[r] = stream_once(box, row, rounds, stagger_ns) / rounds /
			row->blocks;
		CHECK(cudaDeviceSynchronize());
		sum += r > 0 ? ns[r] : 0;
	}
	check_target(&box->paths[row->direction], row, message);
	keep_result(row, ns + 1, STREAM_REPEATS);
	/* of all launches, whose blocks began at other times */
	results[result_count - 1].median_ns[pass] = sum / STREAM_REPEATS;
}

/* All rows of one size and direction. */
static void measure_size(const struct mailbox *box, enum direction direction,
			 size_t bytes)
{
	struct row row = {HOST, false, direction, false, 1, bytes, false};

	ping_pong(box, &row);
	row.control = ASSISTED;
	ping_pong(box, &row);
	row.control = DIRECT;
	for (row.blocks = 1; row.blocks <= BLOCKS_MAX; row.blocks *= 2)
		for (int device = 0; device < 2; device++) {
			row.device = device != 0;
			ping_pong(box, &row);
		}
	row = (struct row){HOST, true, direction, false, 1, bytes, false};
	stream(box, &row);
	for (row.blocks = 1; row.blocks <= BLOCKS_MAX; row.blocks *= 2) {
		row.control = ASSISTED;
		stream(box, &row);
		row.control = DIRECT;
		stream(box, &row);
		row.kernels = row.blocks > 1;
		if (row.kernels)
			stream(box, &row);
		row.kernels = false;
	}
}

/* Loads all kernels: none can be loaded while another one waits. */
static void load_kernels(void)
{
	cudaFuncAttributes unused;

	CHECK(cudaFuncGetAttributes(&unused, worker));
	CHECK(cudaFuncGetAttributes(&unused, tell_host));
}

static void measure_both(const struct mailbox *box, bool peers, size_t bytes)
{
	measure_size(box, peers ? PUT : IN, bytes);
	measure_size(box, peers ? GET : OUT, bytes);
}

/* Prints the medians of all rows. */
static void measure_rows(const struct mailbox *box, bool peers)
{
	for (pass = 0; pass < PASSES; pass++) {
		result_count = 0;
		for (size_t bytes = 8; bytes <= BUFFER_BYTES; bytes *= 4)
			measure_both(box, peers, bytes);
		measure_both(box, peers, BUFFER_BYTES);
	}
	for (size_t i = 0; i < result_count; i++)
		print_result(box, &results[i]);
}

static int usage(const char *program)
{
	fprintf(stderr,
		"Usage: %s [peers|system|device|assisted] > OUT.json\n"
		"peers: between two GPUs with access to each other's memory\n",
		program);
	return 1;
}

int main(int argc, char **argv)
{
	const bool peers = argc == 2 && strcmp(argv[1], "peers") == 0;
	struct cudaDeviceProp device;
	struct mailbox box;

	end_within(MOST_SECONDS, "putget");
	/* a queue of the GPU for each kernel that stays */
	setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 1);
	CHECK(cudaGetDeviceProperties(&device, 0));
	load_kernels();
	open_mailbox(&box);
	if (argc == 2 && !peers)
		return count_kernel(&box, argv[1]) == 0
			   ? end_output("putget", 0)
			   : usage(argv[0]);
	if (argc > 2 || (peers && !open_peer(box.paths)))
		return usage(argv[0]);
	printf("{\"gpu\": \"%s\", \"l2_bytes\": %d, \"rows\": [", device.name,
	       device.l2CacheSize);
	fflush(stdout);
	measure_rows(&box, peers);
	printf("]}\n");
	return end_output("putget", 0);
}
