/* SPDX-License-Identifier: MIT */
/*
 * The phases in the ATGPU model: its metrics of a round, and its costs beside
 * the measured times.
 */
#include "report/render/text/sections.h"

#include "model/formulas/atgpu.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static struct xs_units_text bytes_of(int64_t words)
{
	return xs_units_bytes(
	    words == XS_UNKNOWN ? XS_UNKNOWN : words * XS_ATGPU_WORD_BYTES);
}

static struct xs_units_text percent(double share)
{
	return xs_units_percent(
	    isfinite(share) ? llround(share * 1e6) : XS_UNKNOWN, 1000000);
}

static int64_t sum(int64_t a, int64_t b)
{
	return a == XS_UNKNOWN || b == XS_UNKNOWN ? XS_UNKNOWN : a + b;
}

static void put_metrics_row(struct xs_text_table *table,
			    const struct xs_result_phase *phase)
{
	const struct xs_result_atgpu *in = &phase->atgpu;

	XS_TEXT_ROW(
	    table, xs_units_count(phase->id).s, xs_units_count(in->rounds).s,
	    xs_units_count(in->in_words).s, xs_units_count(in->out_words).s,
	    xs_units_count(sum(in->in_transactions, in->out_transactions)).s,
	    bytes_of(in->global_words).s, bytes_of(in->shared_words).s,
	    xs_units_count(in->blocks_per_sm).s,
	    xs_units_count(in->operations).s,
	    xs_units_count(in->memory_blocks).s);
}

static void put_metrics(const struct xs_terminal *terminal,
			const struct xs_result *result)
{
	static const struct xs_text_heading headings[] = {
	    {"#", XS_RIGHT | XS_BOLD}, {"R", XS_RIGHT},
	    {"words in", XS_RIGHT},    {"words out", XS_RIGHT},
	    {"copies", XS_RIGHT},      {"global", XS_RIGHT},
	    {"shared/blk", XS_RIGHT},  {"l", XS_RIGHT},
	    {"t", XS_RIGHT},	       {"q", XS_RIGHT}};
	struct xs_text_table table;

	xs_text_table_begin(&table, terminal, headings, 10);
	for (size_t i = 0; i < result->phase_count; i++)
		if (xs_render_text_has_phase(result, i))
			put_metrics_row(&table, &result->phases[i]);
	xs_text_table_end(&table, NULL, 0);
}

static void put_costs_row(struct xs_text_table *table,
			  const struct xs_result_phase *phase)
{
	const struct xs_result_atgpu *in = &phase->atgpu;

	XS_TEXT_ROW(
	    table, xs_units_count(phase->id).s,
	    xs_units_ns(sum(in->in_ns, in->out_ns)).s,
	    xs_units_ns(sum(phase->h2d_ns, phase->d2h_ns)).s,
	    xs_units_ns(in->swgpu_cost_ns).s, xs_units_ns(in->gpu_cost_ns).s,
	    xs_units_ns(phase->round_ns).s, percent(in->transfer_share).s,
	    percent(in->transfer_share_observed).s);
}

static void put_costs(const struct xs_terminal *terminal,
		      const struct xs_result *result)
{
	static const struct xs_text_heading headings[] = {
	    {"#", XS_RIGHT | XS_BOLD},
	    {"transfers", XS_RIGHT},
	    {"measured", XS_RIGHT | XS_DIM},
	    {"SWGPU", XS_RIGHT},
	    {"ATGPU", XS_RIGHT},
	    {"measured", XS_RIGHT | XS_DIM},
	    {"transfer %", XS_RIGHT},
	    {"measured", XS_RIGHT | XS_DIM}};
	struct xs_text_table table;

	xs_text_table_begin(&table, terminal, headings, 8);
	for (size_t i = 0; i < result->phase_count; i++)
		if (xs_render_text_has_phase(result, i))
			put_costs_row(&table, &result->phases[i]);
	xs_text_table_end(&table, NULL, 0);
}

static bool same_reason(const struct xs_result *result, size_t a, size_t b)
{
	const char *x = result->phases[a].atgpu.why;
	const char *y = result->phases[b].atgpu.why;

	return x && y && strcmp(x, y) == 0 &&
	       xs_render_text_has_phase(result, a) &&
	       xs_render_text_has_phase(result, b);
}

/* Why phases have no cost, each reason once: "phases 1, 3, no cost: ...". */
static void put_reasons(const struct xs_terminal *terminal,
			struct xs_result *result)
{
	struct xs_arena *arena = &result->arena;
	size_t count = result->phase_count;

	if (count > XS_TEXT_REASONS)
		count = XS_TEXT_REASONS;
	for (size_t i = 0; i < count; i++) {
		const char *ids =
		    xs_print(arena, "%" PRId64, result->phases[i].id);
		bool said = !same_reason(result, i, i);

		for (size_t j = 0; j < i; j++)
			said |= same_reason(result, i, j);
		for (size_t j = i + 1; j < count; j++)
			if (same_reason(result, i, j))
				ids = xs_print(arena, "%s, %" PRId64, ids,
					       result->phases[j].id);
		if (said)
			continue;
		xs_terminal_wrapf(terminal, XS_PLAIN, "  ",
				  "phase%s %s, no cost: %s",
				  strchr(ids, ',') ? "s" : "", ids,
				  result->phases[i].atgpu.why);
	}
}

void xs_render_text_atgpu(const struct xs_terminal *terminal,
			  struct xs_result *result)
{
	xs_terminal_heading(
	    terminal, "ATGPU",
	    "Carroll and Wong 2017; one round, words of 4 bytes");
	put_metrics(terminal, result);
	xs_terminal_print(terminal, XS_PLAIN, "\n");
	put_costs(terminal, result);
	put_reasons(terminal, result);
	xs_terminal_wrap(terminal, XS_DIM, "  ",
			 "R rounds; l blocks on a multiprocessor at a time; t "
			 "operations of a block; q memory blocks of 128 bytes; "
			 "transfer %: share of transfers in the cost");
}
