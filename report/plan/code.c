/* SPDX-License-Identifier: MIT */
#include "report/plan/code.h"

#include "model/strategies/strategies.h"
#include "report/plan/advice_text.h"
#include "report/result/driver_words.h"

#include <ctype.h>
#include <string.h>

static bool is_python(const char *file)
{
	const size_t length = strlen(file);

	return length > 3 && strcmp(file + length - 3, ".py") == 0;
}

/* The language of the lines to change. Where no line is known, the framework's
 * own libraries call CUDA, if there is one. */
static enum xs_language language_of(const struct xs_result *result,
				    const struct xs_result_phase *phase,
				    const struct xs_result_estimate *row,
				    const struct xs_strategy *strategy)
{
	bool is_known = false;

	/* the runtime's calls stand at a pragma; the program can pin itself */
	if (phase->offloads && strategy->changes != XS_CHANGES_PINNING)
		return XS_LANGUAGE_OPENMP;
	XS_EACH(site, phase->sites, phase->site_count) {
		if (!site->file || !xs_advice_is_about(phase, row, site))
			continue;
		if (is_python(site->file))
			return result->run.python;
		is_known = true;
	}
	return is_known ? XS_LANGUAGE_CUDA : xs_result_language(&result->run);
}

static bool is_copied(int64_t bytes, const char *memory)
{
	return bytes > 0 && !(memory && strcmp(memory, "pinned") == 0);
}

/* The lines for which something holds. */
struct condition {
	const char *mark; /* in front of them */
	bool holds;
};

/* Removes the first mark of a line. Returns its condition; NULL: no mark. */
static const struct condition *take_mark(const struct condition *conditions,
					 const char **line, size_t *length)
{
	for (; conditions->mark; conditions++) {
		const size_t skip = strlen(conditions->mark);

		if (strncmp(*line, conditions->mark, skip) != 0)
			continue;
		*line += skip;
		*length -= skip;
		return conditions;
	}
	return NULL;
}

/* Removes the marks of a line. Returns whether all their conditions hold. */
static bool is_needed(const struct condition *conditions, const char **line,
		      size_t *length)
{
	const struct condition *one;
	bool all = true;

	while ((one = take_mark(conditions, line, length)))
		all &= one->holds;
	return all;
}

/* The calls that make the copies which the row is about. */
struct calls {
	bool any, any_async, any_of_host;
	/* false: or there is none */
	bool all_pitched, all_of_host, all_of_driver;
};

static struct calls calls_of(const struct xs_result_phase *phase,
			     const struct xs_result_estimate *row)
{
	struct calls of = {false, false, false, true, true, true};

	XS_EACH(site, phase->sites, phase->site_count) {
		const char *call = site->call ? site->call : "";

		if (!site->bytes || !xs_advice_is_about(phase, row, site))
			continue;
		of.any_async |= strstr(call, "Async") != NULL;
		of.all_pitched &= strstr(call, "Memcpy2D") != NULL;
		of.all_of_host &= strstr(call, "Host") != NULL;
		of.any_of_host |= strstr(call, "Host") != NULL;
		of.all_of_driver &= strncmp(call, "cu", 2) == 0 &&
				    isupper((unsigned char)call[2]);
		of.any = true;
	}
	of.all_pitched &= of.any;
	of.all_of_host &= of.any;
	of.all_of_driver &= of.any;
	return of;
}

static const char *const pitched[][2] = {
    {"cudaMemcpyAsync(", "cudaMemcpy2DAsync("},
    {"cudaMemcpy(", "cudaMemcpy2D("},
    {NULL, NULL}};

static const char *const async[][2] = {
    {"cudaMemcpy(", "cudaMemcpyAsync("},
    {"cudaMemcpyDefault)", "cudaMemcpyDefault, s)"},
    {"// each part", "// after a wait: each part"},
    {NULL, NULL}};

static const char *const of_host[][2] = {{"cudaMalloc(", "cudaMallocHost("},
					 {"cudaFree(", "cudaFreeHost("},
					 {NULL, NULL}};

/* Those of a strategy's lines that the copies of the phase need. */
static const char *lines_of(struct xs_arena *arena,
			    const struct xs_result_phase *phase,
			    const struct xs_result_estimate *row,
			    const struct xs_strategy *strategy,
			    const char *lines)
{
	const int64_t least = strategy->least_copies;
	const bool in = is_copied(phase->h2d_bytes, phase->src_memory);
	const bool out = is_copied(phase->d2h_bytes, phase->dst_memory);
	const struct condition conditions[] = {
	    {"{in}", in},
	    {"{only_in}", in && !out},
	    {"{out}", out},
	    {"{register}", (in || out) && !row->pins_new},
	    {"{allocate}", (in || out) && row->pins_new},
	    {"{results}", phase->d2h_bytes > 0},
	    {"{many_in}", phase->h2d_ops >= least},
	    {"{many_out}", phase->d2h_ops >= least},
	    {"{apart}", row->setup_ns != 0},
	    {"{joined}", row->setup_ns == 0},
	    {NULL, false}};
	const char *code = NULL;

	while (*lines) {
		size_t length = strcspn(lines, "\n");
		const char *line = lines;

		lines += length + (lines[length] == '\n');
		if (is_needed(conditions, &line, &length))
			code = xs_print(arena, "%s%s%.*s", code ? code : "",
					code ? "\n" : "", (int)length, line);
	}
	return code;
}

const char *xs_code_in_api(struct xs_arena *arena,
			   const struct xs_result_phase *phase,
			   const struct xs_result_estimate *row,
			   const char *text)
{
	return calls_of(phase, row).all_of_driver ? xs_driver_words(arena, text)
						  : text;
}

#define MIXED_MEMORY                                                           \
	"// before the rounds, once: allocate what the largest of them needs"

const char *xs_code_of(struct xs_result *result,
		       const struct xs_result_phase *phase,
		       const struct xs_result_estimate *row)
{
	const struct xs_strategy *strategy = xs_strategy_find(row->strategy);
	const enum xs_language language =
	    strategy ? language_of(result, phase, row, strategy) : XS_LANGUAGES;
	const struct calls calls = calls_of(phase, row);
	struct xs_arena *arena = &result->arena;
	const char *code;

	if (language >= XS_LANGUAGES || !strategy->code[language])
		return NULL;
	code = lines_of(arena, phase, row, strategy, strategy->code[language]);
	if (strategy->changes & XS_CHANGES_SIZES && calls.any_async)
		code = xs_words_replace(arena, code, async);
	/* of streams and events, or of both kinds of memory */
	if (strategy->changes_allocations &&
	    (!calls.any || calls.any_of_host != calls.all_of_host))
		return language == XS_LANGUAGE_CUDA ? MIXED_MEMORY : NULL;
	if (strategy->changes_allocations && calls.all_of_host)
		code = xs_words_replace(arena, code, of_host);
	if (calls.all_pitched && calls.all_of_driver)
		return NULL; /* cuMemcpy2D takes a struct */
	if (calls.all_pitched)
		code = xs_words_replace(arena, code, pitched);
	return xs_code_in_api(arena, phase, row, code);
}
