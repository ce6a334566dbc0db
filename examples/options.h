/* SPDX-License-Identifier: MIT */
/*
 * Command line options of the example programs. --variant, --streams, --chunk
 * and --order take lists: every sensible combination is measured.
 */
#ifndef XS_EXAMPLES_OPTIONS_H
#define XS_EXAMPLES_OPTIONS_H

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <getopt.h>

/* How a round moves its data. */
enum variant {
	PAGEABLE,	  /* malloc, blocking copies */
	PINNED,		  /* the same calls, page-locked memory */
	STREAMS,	  /* page-locked, chunks over streams */
	PAGEABLE_STREAMS, /* the same on pageable memory */
	MAPPED,		  /* the kernel reads and writes host memory */
	HYBRID,		  /* chunks in over streams, results written mapped */
	DOUBLE_BUFFER,	  /* page-locked, the next round under this one */
	/* Only of programs that offer them: */
	REUSE,	  /* what rounds allocate is allocated once */
	BATCH,	  /* small copies become one, gathered by the host */
	RESIDENT, /* data that the device has already is not copied */
	RESIDENT_THROUGHOUT, /* copies before and after all rounds only */
	PREFETCH,	     /* the next layer's copy under a kernel */
	ASYNC,		     /* the host's work beside the GPU's */
	GRAPH,		     /* one launch of a graph a round */
	VARIANTS
};

#define COMMON_VARIANTS ((1u << REUSE) - 1)

static const char *const variant_names[VARIANTS] = {
    "pageable",
    "pinned",
    "streams",
    "pageable-streams",
    "mapped",
    "hybrid",
    "double-buffer",
    "reuse",
    "batch",
    "resident",
    "resident-throughout",
    "prefetch",
    "async",
    "graph",
};

/* One configuration. */
struct options {
	enum variant variant;
	unsigned offered; /* the program's variants, as bits; 0: the common */
	long n;		  /* size of the problem */
	long rounds;	  /* measured rounds, after one warm-up */
	long chunk;	  /* per stream, planes or elements; 0: from streams */
	long streams;	  /* requested number of streams */
	bool breadth;	  /* all copies in, all kernels, all copies out */
	bool touch;	  /* touch the host's result buffer beforehand */
	bool json;
};

#define CHOICES_MAX 32

/* The lists of those options that take one. */
struct choices {
	long variants[CHOICES_MAX], streams[CHOICES_MAX], chunks[CHOICES_MAX];
	long breadths[CHOICES_MAX];
	int variant_count, stream_count, chunk_count, breadth_count;
};

static inline bool is_offered(const struct options *options, long variant)
{
	unsigned offered =
	    options->offered != 0 ? options->offered : COMMON_VARIANTS;

	return (offered >> variant & 1) != 0;
}

static inline void usage(const char *program, const struct options *defaults)
{
	printf(
	    "Usage: %s [OPTION]...\n"
	    "  --variant V    %s (default), another of those below, or\n"
	    "                 all\n"
	    "  --n N          size of the problem (%ld)\n"
	    "  --rounds R     rounds after one to warm up (%ld); with --json\n"
	    "                 fewer where they are slow\n"
	    "  --streams S    number of streams (%ld)\n"
	    "  --chunk C      planes or elements a stream, instead\n"
	    "  --order O      depth (default) or breadth\n"
	    "  --no-touch     leave first-touch faults to the first round\n"
	    "  --json         print each measurement as a JSON object\n"
	    "V, S, C and O may be lists, as in --streams 2,4,8.\n"
	    "Variants:",
	    program, variant_names[defaults->variant], defaults->n,
	    defaults->rounds, defaults->streams);
	for (int i = 0; i < VARIANTS; i++)
		if (is_offered(defaults, i))
			printf(" %s", variant_names[i]);
	printf("\n");
}

/* Returns a number of at least 1, or exits. */
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

static inline long parse_variant(const char *text, const char *option)
{
	for (int i = 0; i < VARIANTS; i++)
		if (strcmp(text, variant_names[i]) == 0)
			return i;
	fprintf(stderr, "--%s: '%s' is not known; see --help\n", option, text);
	exit(1);
}

static inline long parse_breadth(const char *text, const char *option)
{
	if (strcmp(text, "breadth") != 0 && strcmp(text, "depth") != 0) {
		fprintf(stderr, "--%s: depth or breadth, not '%s'\n", option,
			text);
		exit(1);
	}
	return strcmp(text, "breadth") == 0;
}

/* Parses values separated by commas; returns their number. */
static inline int parse_list(char *text, const char *option,
			     long (*parse)(const char *, const char *),
			     long values[CHOICES_MAX])
{
	int count = 0;

	for (char *item; (item = strsep(&text, ",")) != NULL;) {
		if (count == CHOICES_MAX) {
			fprintf(stderr, "--%s: at most %d values\n", option,
				CHOICES_MAX);
			exit(1);
		}
		values[count++] = parse(item, option);
	}
	return count;
}

/* Parses --variant: a list of variants that the program has, or `all`. */
static inline void parse_variants(char *text, const struct options *options,
				  struct choices *choices)
{
	choices->variant_count = 0;
	if (strcmp(text, "all") == 0) {
		for (int i = 0; i < VARIANTS; i++)
			if (is_offered(options, i))
				choices->variants[choices->variant_count++] = i;
		return;
	}
	choices->variant_count =
	    parse_list(text, "variant", parse_variant, choices->variants);
	for (int i = 0; i < choices->variant_count; i++) {
		if (is_offered(options, choices->variants[i]))
			continue;
		fprintf(stderr, "--variant: this program has no '%s'\n",
			variant_names[choices->variants[i]]);
		exit(1);
	}
}

/* Parses the options into *options, which holds the defaults, and *choices.
 * Exits on wrong use. */
static inline void parse_options(int argc, char **argv, struct options *options,
				 struct choices *choices)
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
	int c;

	*choices = {{options->variant},
		    {options->streams},
		    {options->chunk},
		    {options->breadth},
		    1,
		    1,
		    1,
		    1};
	while ((c = getopt_long(argc, argv, "", names, NULL)) != -1) {
		switch (c) {
		case 'v':
			parse_variants(optarg, options, choices);
			break;
		case 'n':
			options->n = parse_count(optarg, "n");
			break;
		case 'r':
			options->rounds = parse_count(optarg, "rounds");
			break;
		case 'c':
			choices->chunk_count = parse_list(
			    optarg, "chunk", parse_count, choices->chunks);
			break;
		case 's':
			choices->stream_count = parse_list(
			    optarg, "streams", parse_count, choices->streams);
			break;
		case 'o':
			choices->breadth_count = parse_list(
			    optarg, "order", parse_breadth, choices->breadths);
			break;
		case 't':
			options->touch = false;
			break;
		case 'j':
			options->json = true;
			break;
		case 'h':
			usage(argv[0], options);
			exit(0);
		default:
			usage(argv[0], options);
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
	       variant == HYBRID || variant == DOUBLE_BUFFER;
}

/* Returns whether the order of issue matters. */
static inline bool has_order(enum variant variant)
{
	return uses_streams(variant) && variant != DOUBLE_BUFFER;
}

/* Returns the items per stream if `items` are divided as the options say. */
static inline long chunk_items(const struct options *options, long items)
{
	long chunk = options->chunk;

	if (options->variant == DOUBLE_BUFFER)
		return items;
	if (chunk == 0)
		chunk = (items + options->streams - 1) / options->streams;
	return chunk < items ? chunk : items;
}

#endif
