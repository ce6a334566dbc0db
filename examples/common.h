/* SPDX-License-Identifier: MIT */
/*
 * What the example programs share: options, error checks, the host clock,
 * host memory by variant, and the loop over rounds. C-like C++ for nvcc.
 */
#ifndef XS_EXAMPLES_COMMON_H
#define XS_EXAMPLES_COMMON_H

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <getopt.h>
#include <time.h>

#define CHECK(call) check((call), #call, __FILE__, __LINE__)

static inline void check(cudaError_t error, const char *call, const char *file,
			 int line)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "%s:%d: %s: %s\n", file, line, call,
		cudaGetErrorString(error));
	exit(2);
}

/* How a round moves its data. */
enum variant {
	PAGEABLE,	  /* malloc, blocking copies */
	PINNED,		  /* the same calls, page-locked memory */
	STREAMS,	  /* page-locked, chunks over streams */
	PAGEABLE_STREAMS, /* the same on pageable memory */
	MAPPED,		  /* the kernel reads and writes host memory */
	HYBRID,		  /* chunks in over streams, results written mapped */
	VARIANTS
};

static const char *const variant_names[VARIANTS] = {
    "pageable", "pinned", "streams", "pageable-streams", "mapped", "hybrid",
};

struct options {
	enum variant variant;
	long n;	      /* size of the problem */
	long rounds;  /* measured rounds, after one that warms up */
	long chunk;   /* planes or elements a stream; 0: from streams */
	long streams; /* wanted number of streams */
	bool breadth; /* all copies in, all kernels, all copies out */
	bool touch;   /* touch the host's result buffer beforehand */
	bool json;
};

static inline void usage(const char *program, const struct options *defaults)
{
	printf("Usage: %s [OPTION]...\n"
	       "  --variant V    pageable (default), pinned, streams,\n"
	       "                 pageable-streams, mapped or hybrid\n"
	       "  --n N          size of the problem (%ld)\n"
	       "  --rounds R     measured rounds (%ld)\n"
	       "  --streams S    number of streams (%ld)\n"
	       "  --chunk C      planes or elements a stream, instead\n"
	       "  --order O      depth (default) or breadth\n"
	       "  --no-touch     leave first-touch faults to the first round\n"
	       "  --json         print the measurement as a JSON object\n",
	       program, defaults->n, defaults->rounds, defaults->streams);
}

/* A whole number of at least 1, or the end of the program. */
static inline long parse_count(const char *text, const char *option)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (*text == '\0' || *end != '\0' || value < 1) {
		fprintf(stderr, "--%s: '%s' is not a number above 0\n", option,
			text);
		exit(1);
	}
	return value;
}

static inline enum variant parse_variant(const char *text)
{
	for (int i = 0; i < VARIANTS; i++)
		if (strcmp(text, variant_names[i]) == 0)
			return (enum variant)i;
	fprintf(stderr, "--variant: '%s' is not known; see --help\n", text);
	exit(1);
}

static inline bool parse_breadth(const char *text)
{
	if (strcmp(text, "breadth") != 0 && strcmp(text, "depth") != 0) {
		fprintf(stderr, "--order: depth or breadth, not '%s'\n", text);
		exit(1);
	}
	return strcmp(text, "breadth") == 0;
}

/* Fills *options, which holds the defaults. Ends the program on wrong use. */
static inline void parse_options(int argc, char **argv, struct options *options)
{
	static const struct option names[] = {
	    {"variant", required_argument, NULL, 'v'},
	    {"n", required_argument, NULL, 'n'},
	    {"rounds", required_argument, NULL, 'r'},
	    {"chunk", required_argument, NULL, 'c'},
	    {"streams", required_argument, NULL, 's'},
	    {"order", required_argument, NULL, 'o'},
	    {"no-touch", no_argument, NULL, 't'},
	    {"json", no_argument, NULL, 'j'},
	    {"help", no_argument, NULL, 'h'},
	    {NULL, 0, NULL, 0},
	};
	const struct options defaults = *options;
	int c;

	while ((c = getopt_long(argc, argv, "", names, NULL)) != -1) {
		switch (c) {
		case 'v':
			options->variant = parse_variant(optarg);
			break;
		case 'n':
			options->n = parse_count(optarg, "n");
			break;
		case 'r':
			options->rounds = parse_count(optarg, "rounds");
			break;
		case 'c':
			options->chunk = parse_count(optarg, "chunk");
			break;
		case 's':
			options->streams = parse_count(optarg, "streams");
			break;
		case 'o':
			options->breadth = parse_breadth(optarg);
			break;
		case 't':
			options->touch = false;
			break;
		case 'j':
			options->json = true;
			break;
		case 'h':
			usage(argv[0], &defaults);
			exit(0);
		default:
			usage(argv[0], &defaults);
			exit(1);
		}
	}
	if (optind < argc) {
		fprintf(stderr, "'%s' is not an option; see --help\n",
			argv[optind]);
		exit(1);
	}
}

static inline bool uses_streams(enum variant variant)
{
	return variant == STREAMS || variant == PAGEABLE_STREAMS ||
	       variant == HYBRID;
}

/* Items a stream, where `items` are shared out as the options say. */
static inline long chunk_items(const struct options *options, long items)
{
	long chunk = options->chunk;

	if (chunk == 0)
		chunk = (items + options->streams - 1) / options->streams;
	return chunk < items ? chunk : items;
}

/* Host memory as the variant wants it; not touched where it is pageable. */
static inline void *host_alloc(enum variant variant, size_t bytes)
{
	void *memory = NULL;

	switch (variant) {
	case PAGEABLE:
	case PAGEABLE_STREAMS:
		memory = malloc(bytes);
		if (memory == NULL) {
			fprintf(stderr, "no memory for %zu bytes\n", bytes);
			exit(2);
		}
		break;
	case MAPPED:
	case HYBRID:
		CHECK(cudaHostAlloc(&memory, bytes, cudaHostAllocMapped));
		break;
	default:
		CHECK(cudaMallocHost(&memory, bytes));
		break;
	}
	return memory;
}

static inline void host_free(enum variant variant, void *memory)
{
	if (variant == PAGEABLE || variant == PAGEABLE_STREAMS)
		free(memory);
	else
		CHECK(cudaFreeHost(memory));
}

/*
 * The device's address for a host buffer: memory of its own that copies fill
 * or drain, or, where `mapped`, the host buffer itself.
 */
static inline void *device_side(void *host, size_t bytes, bool mapped)
{
	void *device = NULL;

	if (mapped) {
		CHECK(cudaHostGetDevicePointer(&device, host, 0));
	} else {
		CHECK(cudaMalloc(&device, bytes));
		CHECK(cudaMemset(device, 0, bytes));
	}
	return device;
}

static inline double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* One stream for each chunk. */
static inline cudaStream_t *create_streams(long count)
{
	cudaStream_t *streams =
	    (cudaStream_t *)calloc((size_t)count, sizeof(*streams));

	if (count > 0 && streams == NULL) {
		fprintf(stderr, "no memory for %ld streams\n", count);
		exit(2);
	}
	for (long i = 0; i < count; i++)
		CHECK(cudaStreamCreate(&streams[i]));
	return streams;
}

static inline void destroy_streams(cudaStream_t *streams, long count)
{
	for (long i = 0; i < count; i++)
		CHECK(cudaStreamDestroy(streams[i]));
	free(streams);
}

/* Each program's own; what follows only hands it on. */
struct job;

/* Issues every chunk's copies and kernel in the wanted order, then waits. */
static inline void issue_chunks(const struct job *job, long chunks,
				bool breadth,
				void (*in)(const struct job *, long),
				void (*compute)(const struct job *, long),
				void (*out)(const struct job *, long))
{
	if (breadth) {
		for (long i = 0; i < chunks; i++)
			in(job, i);
		for (long i = 0; i < chunks; i++)
			compute(job, i);
		for (long i = 0; i < chunks; i++)
			out(job, i);
	} else {
		for (long i = 0; i < chunks; i++) {
			in(job, i);
			compute(job, i);
			out(job, i);
		}
	}
	CHECK(cudaDeviceSynchronize());
}

/* One round, by kind of variant. */
struct rounds {
	void (*serial)(const struct job *job);
	void (*streams)(const struct job *job);
	void (*mapped)(const struct job *job);
};

struct timing {
	double warmup_ns; /* the first round, which is not in the rest */
	double median_ns, min_ns, max_ns;
	double spread_ns; /* between the quartiles */
};

static inline int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The host's time around each round. The result buffer is cleared after the
 * warm-up, so that what is checked in the end was made by a measured round. */
static inline struct timing measure(const struct options *options,
				    const struct rounds *rounds,
				    const struct job *job, void *result,
				    size_t bytes)
{
	const long count = options->rounds;
	double *ns = (double *)malloc((size_t)count * sizeof(*ns));
	void (*round)(const struct job *) =
	    options->variant == MAPPED	     ? rounds->mapped
	    : uses_streams(options->variant) ? rounds->streams
					     : rounds->serial;
	struct timing timing = {};
	double start = now_ns();

	if (ns == NULL) {
		fprintf(stderr, "no memory for %ld rounds\n", count);
		exit(2);
	}
	round(job);
	timing.warmup_ns = now_ns() - start;
	memset(result, 0, bytes);
	for (long i = 0; i < count; i++) {
		start = now_ns();
		round(job);
		ns[i] = now_ns() - start;
	}
	qsort(ns, (size_t)count, sizeof(*ns), compare_doubles);
	timing.median_ns = (ns[(count - 1) / 2] + ns[count / 2]) / 2;
	timing.min_ns = ns[0];
	timing.max_ns = ns[count - 1];
	timing.spread_ns = ns[count * 3 / 4] - ns[count / 4];
	free(ns);
	return timing;
}

/* Prints the measurement; returns the program's exit code. */
static inline int print_result(const char *workload,
			       const struct options *options, long streams,
			       const struct timing *timing, bool right)
{
	const char *variant = variant_names[options->variant];
	const char *order = !uses_streams(options->variant) ? NULL
			    : options->breadth		    ? "breadth"
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
	return right ? 0 : 3;
}

#endif
