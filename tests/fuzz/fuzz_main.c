/* SPDX-License-Identifier: MIT */
/*
 * Runs a fuzz entry without libFuzzer, on mutations of seed files that are the
 * same in every run. Mutates both the files and the binary traces of those that
 * are texts of traces.
 *
 * xs_fuzz_TARGET ITERATIONS SEED...
 */
#include "analyzer/text/trace_text.h"
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct seed {
	char *data;
	size_t size;
};

static uint64_t random_state = 88172645463325252u;

static size_t below(size_t limit)
{
	random_state ^= random_state << 13; /* Marsaglia's xorshift64 */
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return limit ? (size_t)(random_state >> 11) % limit : 0;
}

/* Boundary values of fields. */
static uint32_t edge(void)
{
	static const uint32_t edges[] = {
	    0,		1,	    4,	    32,		255,
	    256,	4095,	    4096,   0x7fffffff, 0x80000000,
	    0xffffffff, 0xfffffffe, 0xffff, 0x4b435358};

	return edges[below(sizeof(edges) / sizeof(*edges))];
}

/* Most of a binary trace is zeros: mutate near the start of a page. */
static size_t position(size_t size)
{
	size_t page = below(size / 4096 + 1) * 4096;
	size_t at = page + below(below(2) ? 128 : 4096);

	return below(4) && at < size ? at : below(size);
}

static void mutate(char *data, size_t *size)
{
	size_t at = position(*size);
	uint32_t value = edge();

	switch (below(5)) {
	case 0:
		data[at] ^= (char)(1u << below(8));
		break;
	case 1:
		data[at] = (char)below(256);
		break;
	case 2:
		at &= ~(size_t)3;
		if (*size - at >= sizeof(value))
			memcpy(data + at, &value, sizeof(value));
		break;
	case 3: { /* copies one part over another */
		size_t from = position(*size), length = below(64);

		if (from + length <= *size && at + length <= *size)
			memmove(data + at, data + from, length);
		break;
	}
	default:
		if (below(8) == 0 && at > 0)
			*size = at;
		break;
	}
}

static void fuzz(const struct seed *seed)
{
	size_t size = seed->size, count = 1 + below(16);
	char *data = malloc(size + 1);

	if (!data)
		return;
	if (size)
		memcpy(data, seed->data, size);
	for (size_t i = 0; i < count && size > 0; i++)
		mutate(data, &size);
	LLVMFuzzerTestOneInput((const uint8_t *)data, size);
	free(data);
}

static int read_file(const char *path, struct seed *seed)
{
	FILE *in = fopen(path, "rb");
	FILE *out = open_memstream(&seed->data, &seed->size);
	int c;

	if (!in || !out)
		return -1;
	while ((c = getc(in)) != EOF)
		putc(c, out);
	fclose(in);
	return fclose(out);
}

/* Leaves *binary empty if the text is not that of a trace. */
static int parse(const char *path, const struct seed *text, struct seed *binary)
{
	struct xs_text_error error;
	FILE *in = fmemopen(text->data, text->size, "r");
	FILE *out = open_memstream(&binary->data, &binary->size);
	int rc = in && out ? xs_text_parse(in, out, &error) : -1;

	if (rc)
		fprintf(stderr, "%s: line %lu: %s\n", path, error.line,
			error.text);
	if (in)
		fclose(in);
	if (out && fclose(out))
		rc = -1;
	return rc;
}

static int load_seed(const char *path, struct seed *text, struct seed *binary)
{
	int rc = read_file(path, text);

	if (!rc && xs_text_is(text->data, text->size))
		rc = parse(path, text, binary);
	return rc;
}

int main(int argc, char **argv)
{
	size_t seed_count = argc > 2 ? 2 * ((size_t)argc - 2) : 0;
	struct seed *seeds = calloc(seed_count + 1, sizeof(*seeds));
	unsigned long iterations = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	int rc = 0;

	if (!seeds || seed_count == 0 || iterations == 0) {
		fprintf(stderr, "usage: %s ITERATIONS SEED...\n", argv[0]);
		free(seeds);
		return 1;
	}
	for (int i = 2; i < argc && !rc; i++)
		rc = load_seed(argv[i], &seeds[2 * (i - 2)],
			       &seeds[2 * (i - 2) + 1]);
	for (unsigned long i = 0; i < iterations && !rc; i++)
		fuzz(&seeds[below(seed_count)]);
	for (size_t i = 0; i < seed_count; i++)
		free(seeds[i].data);
	free(seeds);
	if (!rc)
		printf("%lu inputs, none crashed\n", iterations);
	return rc ? 2 : 0;
}
