/* SPDX-License-Identifier: MIT */
#include "report/plan/code.h"

#include "model/strategies/strategies.h"
#include "report/plan/advice_text.h"

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
				    const struct xs_result_estimate *row)
{
	bool is_known = false;

	for (size_t i = 0; i < phase->site_count; i++) {
		const struct xs_result_site *site = &phase->sites[i];

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

/* Removes the mark of a line. Returns whether its condition holds. */
static bool is_needed(const struct condition *conditions, const char **line,
		      size_t *length)
{
	for (; conditions->mark; conditions++) {
		const size_t skip = strlen(conditions->mark);

		if (strncmp(*line, conditions->mark, skip) != 0)
			continue;
		*line += skip;
		*length -= skip;
		return conditions->holds;
	}
	return true;
}

/* Whether all copies that the row changes are of rows with a pitch. */
static bool is_pitched(const struct xs_result_phase *phase,
		       const struct xs_result_estimate *row)
{
	bool any = false;

	for (size_t i = 0; i < phase->site_count; i++) {
		const struct xs_result_site *site = &phase->sites[i];

		if (!site->bytes || !xs_advice_is_about(phase, row, site))
			continue;
		if (!site->call || !strstr(site->call, "Memcpy2D"))
			return false;
		any = true;
	}
	return any;
}

/* The lines with calls for rows with a pitch. */
static const char *pitched(struct xs_arena *arena, const char *code)
{
	static const char *const words[][2] = {
	    {"cudaMemcpyAsync(", "cudaMemcpy2DAsync("},
	    {"cudaMemcpy(", "cudaMemcpy2D("}};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		for (const char *at; code && (at = strstr(code, words[i][0]));)
			code = xs_arena_print(
			    arena, "%.*s%s%s", (int)(at - code), code,
			    words[i][1], at + strlen(words[i][0]));
	return code;
}

/* Those of a strategy's lines that the copies of the phase need. */
static const char *lines_of(struct xs_arena *arena,
			    const struct xs_result_phase *phase,
			    const struct xs_result_estimate *row,
			    const char *lines)
{
	const struct condition conditions[] = {
	    {"{in}", is_copied(phase->h2d_bytes, phase->src_memory)},
	    {"{out}", is_copied(phase->d2h_bytes, phase->dst_memory)},
	    {"{apart}", row->setup_ns != 0},
	    {"{joined}", row->setup_ns == 0},
	    {NULL, false}};
	const char *code = NULL;

	while (*lines) {
		size_t length = strcspn(lines, "\n");
		const char *line = lines;

		lines += length + (lines[length] == '\n');
		if (is_needed(conditions, &line, &length))
			code =
			    xs_arena_print(arena, "%s%s%.*s", code ? code : "",
					   code ? "\n" : "", (int)length, line);
	}
	return code;
}

const char *xs_code_of(struct xs_result *result,
		       const struct xs_result_phase *phase,
		       const struct xs_result_estimate *row)
{
	const struct xs_strategy *strategy = xs_strategy_find(row->strategy);
	const enum xs_language language = language_of(result, phase, row);
	const char *code;

	if (!strategy || language >= XS_LANGUAGES || !strategy->code[language])
		return NULL;
	code = lines_of(&result->arena, phase, row, strategy->code[language]);
	return is_pitched(phase, row) ? pitched(&result->arena, code) : code;
}
