/* SPDX-License-Identifier: MIT */
/*
 * Messages by NVSHMEM, where it is installed: its host library is loaded at run
 * time with our own prototypes, so that building needs no NVSHMEM. Each GPU has
 * a process of its own; the two exchange the unique id through a pipe.
 */
#ifndef XS_EXAMPLES_PUTGET_NVSHMEM_H
#define XS_EXAMPLES_PUTGET_NVSHMEM_H

#include "mailbox.h"

#include <dlfcn.h>

#define NVSHMEM_PES	  2
#define NVSHMEM_TURNS	  51
#define NVSHMEM_S	  40 /* the longest that its processes take */
#define NVSHMEM_BY_ID	  (1u << 3)
#define NVSHMEM_V1(bytes) (int)((1u << 16) + (bytes))

struct nvshmem_id {
	int version;
	char internal[124];
};

/* Version 1 of its arguments. */
struct nvshmem_attributes {
	int version;
	void *mpi_comm;
	struct {
		int version;
		struct {
			int version;
			struct nvshmem_id *id;
			int pe, pes;
		} by_id;
		char content[96];
	} args;
};

static struct {
	int (*nvshmemx_get_uniqueid)(struct nvshmem_id *id);
	int (*nvshmemx_set_attr_uniqueid_args)(
	    int pe, int pes, const struct nvshmem_id *id,
	    struct nvshmem_attributes *attributes);
	int (*nvshmemx_hostlib_init_attr)(
	    unsigned flags, struct nvshmem_attributes *attributes);
	void *(*nvshmem_malloc)(size_t bytes); /* by all, in the same order */
	int (*nvshmemx_putmem_on_stream)(void *to, const void *from,
					 size_t bytes, int pe,
					 cudaStream_t stream);
	void (*nvshmemx_quiet_on_stream)(cudaStream_t stream);
} nvshmem;

/* Returns false without NVSHMEM. */
static inline bool load_nvshmem(void)
{
	void *library = dlopen("libnvshmem_host.so.3", RTLD_NOW | RTLD_GLOBAL);
	bool found = library != NULL;

#define NVSHMEM_FIND(function)                                                 \
	do {                                                                   \
		void *at = found ? dlsym(library, #function) : NULL;           \
                                                                               \
		found = at != NULL;                                            \
		memcpy((void *)&nvshmem.function, &at, sizeof(at));            \
	} while (0)
	NVSHMEM_FIND(nvshmemx_get_uniqueid);
	NVSHMEM_FIND(nvshmemx_set_attr_uniqueid_args);
	NVSHMEM_FIND(nvshmemx_hostlib_init_attr);
	NVSHMEM_FIND(nvshmem_malloc);
	NVSHMEM_FIND(nvshmemx_putmem_on_stream);
	NVSHMEM_FIND(nvshmemx_quiet_on_stream);
#undef NVSHMEM_FIND
	return found;
}

/* Joins as one of two; the id is that of the first. Returns false if it does
 * not start. */
static inline bool join_nvshmem(int pe, struct nvshmem_id *id)
{
	struct nvshmem_attributes a;

	memset(&a, 0, sizeof(a));
	a.version = NVSHMEM_V1(sizeof(a));
	a.args.version = NVSHMEM_V1(sizeof(a.args));
	a.args.by_id.version = NVSHMEM_V1(sizeof(a.args.by_id));
	return nvshmem.nvshmemx_set_attr_uniqueid_args(pe, NVSHMEM_PES, id,
						       &a) == 0 &&
	       nvshmem.nvshmemx_hostlib_init_attr(NVSHMEM_BY_ID, &a) == 0;
}

/* One of the two processes, with pipes from and to the other one. */
static struct {
	int pe, go, in, out;
	char *buffer, *from; /* at the same place for both */
	cudaStream_t stream;
} process;

/* A byte each way. Return false if the other side has ended. */
static inline bool tell(int pipe)
{
	return write(pipe, "", 1) == 1;
}

static inline bool wait_told(int pipe)
{
	char byte;

	return read(pipe, &byte, 1) == 1;
}

static inline bool exchange_id(struct nvshmem_id *id)
{
	if (process.pe != 0)
		return read(process.in, id, sizeof(*id)) == sizeof(*id);
	id->version = NVSHMEM_V1(sizeof(*id));
	return nvshmem.nvshmemx_get_uniqueid(id) == 0 &&
	       write(process.out, id, sizeof(*id)) == sizeof(*id);
}

static inline bool start_nvshmem(void)
{
	struct nvshmem_id id = {0, {0}};

	if (cudaSetDevice(process.pe) != cudaSuccess || !exchange_id(&id) ||
	    !join_nvshmem(process.pe, &id))
		return false;
	process.buffer = (char *)nvshmem.nvshmem_malloc(BUFFER_BYTES);
	process.from = (char *)nvshmem.nvshmem_malloc(BUFFER_BYTES);
	if (process.buffer == NULL || process.from == NULL)
		return false;
	CHECK(
	    cudaStreamCreateWithFlags(&process.stream, cudaStreamNonBlocking));
	CHECK(cudaMemset(process.buffer, 0, BUFFER_BYTES));
	CHECK(cudaMemset(process.from, OUT_BYTE, BUFFER_BYTES));
	CHECK(cudaDeviceSynchronize());
	return tell(process.out) && wait_told(process.in);
}

/* From the call until the host knows that the other GPU's memory has it. */
static inline double put_ns(size_t bytes)
{
	const double start = now_ns();

	if (nvshmem.nvshmemx_putmem_on_stream(process.buffer, process.from,
					      bytes, 1, process.stream) != 0) {
		fprintf(stderr, "peer: NVSHMEM cannot put %zu bytes\n", bytes);
		exit(EXIT_NO_ANSWER);
	}
	nvshmem.nvshmemx_quiet_on_stream(process.stream);
	CHECK(cudaStreamSynchronize(process.stream));
	return now_ns() - start;
}

/* Prints a row of measured times. */
typedef void (*row_printer)(const char *way, const char *peer_access,
			    unsigned blocks, size_t bytes, double *ns,
			    long count);

/* One puts, the other one looks. Returns false if the data is wrong, or the
 * other process has ended. */
static inline bool measure_puts(size_t bytes, row_printer print)
{
	double ns[NVSHMEM_TURNS];
	char last = 0;

	if (process.pe != 0) {
		if (!wait_told(process.in))
			return false;
		CHECK(cudaMemcpy(&last, process.buffer + bytes - 1, 1,
				 cudaMemcpyDeviceToHost));
		if (last != OUT_BYTE)
			fprintf(stderr,
				"peer: NVSHMEM, %zu bytes: WRONG data\n",
				bytes);
		return last == OUT_BYTE && tell(process.out);
	}
	for (int i = -2; i < NVSHMEM_TURNS; i++) {
		const double took = put_ns(bytes);

		if (i >= 0)
			ns[i] = took;
	}
	if (!tell(process.out) || !wait_told(process.in))
		return false;
	print("nvshmem", "true", 0, bytes, ns, NVSHMEM_TURNS);
	return true;
}

static inline int run_process(size_t most, row_printer print)
{
	if (!wait_told(process.go))
		return 1;
	end_within(NVSHMEM_S, "peer: NVSHMEM");
	if (!load_nvshmem()) {
		if (process.pe == 0)
			fprintf(stderr, "peer: without NVSHMEM: no "
					"libnvshmem_host.so.3\n");
		return 0;
	}
	if (!start_nvshmem()) {
		fprintf(stderr, "peer: NVSHMEM does not start\n");
		return EXIT_NO_ANSWER;
	}
	for (size_t bytes = 8; bytes <= most; bytes *= 8)
		if (!measure_puts(bytes, print))
			return EXIT_NO_ANSWER;
	return 0;
}

static int nvshmem_go = -1; /* the pipe that lets the processes begin */
static pid_t nvshmem_processes[NVSHMEM_PES];

static inline void no_processes(void)
{
	perror("peer: no process for NVSHMEM");
	exit(2);
}

/* Makes the processes, which wait: a process that uses a GPU must not fork. */
static inline void fork_nvshmem(size_t most, row_printer print)
{
	int pipes[NVSHMEM_PES][2], go[2];

	if (pipe(pipes[0]) != 0 || pipe(pipes[1]) != 0 || pipe(go) != 0)
		no_processes();
	nvshmem_go = go[1];
	for (int pe = 0; pe < NVSHMEM_PES; pe++) {
		nvshmem_processes[pe] = fork();
		if (nvshmem_processes[pe] < 0)
			no_processes();
		if (nvshmem_processes[pe] > 0)
			continue;
		process.pe = pe;
		process.go = go[0];
		process.in = pipes[1 - pe][0];
		process.out = pipes[pe][1];
		close(go[1]);
		close(pipes[pe][0]);
		close(pipes[1 - pe][1]);
		pe = run_process(most, print);
		fflush(stdout);
		_exit(pe);
	}
	close(go[0]);
	for (int pe = 0; pe < NVSHMEM_PES; pe++) {
		close(pipes[pe][0]);
		close(pipes[pe][1]);
	}
}

/* Lets them measure and print, and waits for their ends. What this process has
 * printed must have been flushed. Returns an exit code. */
static inline int measure_nvshmem(void)
{
	for (int pe = 0; pe < NVSHMEM_PES; pe++)
		(void)!tell(nvshmem_go);
	return wait_processes("peer: NVSHMEM", nvshmem_processes, NVSHMEM_PES);
}

#endif
