/* SPDX-License-Identifier: MIT */
/* Answers of `xferspy model --control`: who should start a transfer, by Klenk
 * 2014. */
#include "report/formulas/answers.h"

#include "report/result/number.h"

/* Bytes: the terms of puts were right up to here, by peers.json of putget. */
#define PEER_MEASURED ((int64_t)32 << 20)

/* The rows of a direction, or NULL. */
static const struct xs_control_estimate *
control_rows(const struct xs_formulas_result *result, bool to_host)
{
	for (size_t i = 0; i < result->control_count; i += XS_CONTROL_ROWS)
		if (result->control[i].to_host == to_host)
			return &result->control[i];
	return NULL;
}

/* Whether a way of more effort is worth it for one message. */
static bool is_shorter(const struct xs_control_estimate *row,
		       const struct xs_control_estimate *than)
{
	return row->ns * XS_CONTROL_EQUAL < than->ns &&
	       xs_control_is_faster(row, than);
}

/* The same for many messages. */
static bool has_more(const struct xs_control_estimate *row,
		     const struct xs_control_estimate *than)
{
	return row->rate > than->rate * XS_CONTROL_EQUAL;
}

/* The way of the least effort that none of more effort is better than. */
static const struct xs_control_estimate *
best_control(const struct xs_control_estimate rows[XS_CONTROL_ROWS],
	     bool (*is_better)(const struct xs_control_estimate *,
			       const struct xs_control_estimate *))
{
	const struct xs_control_estimate *best = rows;

	for (size_t i = 1; i < XS_CONTROL_ROWS; i++)
		if (is_better(&rows[i], best))
			best = &rows[i];
	return best;
}

/* "4.13 us"; times of messages are shorter than 36 years, or "decades" */
static struct xs_units_text message_time(const struct xs_control_estimate *row)
{
	const int64_t ns = xs_number_round(row->ns);
	const struct xs_units_text decades = {"decades"};

	return ns == XS_UNKNOWN ? decades : xs_units_ns(ns);
}

/* "the GPU start it by 16 blocks (direct, polls system memory)"; what: "it" */
static const char *way_text(struct xs_formulas_result *result,
			    const struct xs_control_estimate *row,
			    double blocks, const char *what)
{
	struct xs_arena *arena = &result->base.arena;

	if (row->control == XS_CONTROL_HOST)
		return xs_print(arena, "the host start %s", what);
	if (row->control == XS_CONTROL_ASSISTED)
		return xs_print(arena,
				"a host thread that the GPU asks start "
				"%s (assisted, polls %s memory)",
				what, row->polled);
	return xs_print(
	    arena, "the GPU start %s by %.0f block%s (direct, polls %s memory)",
	    what, blocks, blocks > 1 ? "s" : "", row->polled);
}

/* Who should start one message, from the host's answer until it has seen it. */
static const char *answer_one(struct xs_formulas_result *result,
			      const struct xs_control_estimate *rows)
{
	const struct xs_control_estimate *best = best_control(rows, is_shorter);
	const struct xs_control_estimate *least = rows;
	struct xs_arena *arena = &result->base.arena;
	const char *text;

	for (size_t i = 1; i < XS_CONTROL_ROWS; i++)
		if (rows[i].ns < least->ns)
			least = &rows[i];
	text = xs_print(arena, "let %s: %s",
			way_text(result, best, best->blocks, "it"),
			message_time(best).s);
	if (best != rows)
		return xs_print(arena, "%s, against %s if the host does", text,
				message_time(rows).s);
	if (least->ns * XS_CONTROL_EQUAL < best->ns)
		return xs_print(
		    arena, "%s; %s by the %s way is not faster for certain",
		    text, message_time(least).s, least->name);
	return xs_print(arena, "%s; no way is faster by more than 3 %%", text);
}

/* Who should start many messages, of which each block sends its own. */
static const char *answer_many(struct xs_formulas_result *result,
			       const struct xs_control_estimate *rows)
{
	const struct xs_control_estimate *best = best_control(rows, has_more);

	return xs_print(&result->base.arena, "let %s: %s%s",
			way_text(result, best, best->rate_blocks, "them"),
			xs_units_per_s(best->rate).s,
			best == rows ? ""
				     : xs_print(&result->base.arena,
						", against %s if the host does",
						xs_units_per_s(rows->rate).s));
}

static void answer_direction(struct xs_formulas_result *result, bool to_host)
{
	const struct xs_control_estimate *rows = control_rows(result, to_host);
	const char *name = !result->peer ? to_host ? "out" : "in"
			   : to_host	 ? "put to the other GPU"
					 : "got from the other GPU";
	struct xs_arena *arena = &result->base.arena;

	/* rows are of --control alone, for each direction with bytes */
	if (!rows)
		return;
	for (size_t i = 0; i < XS_CONTROL_ROWS; i++)
		if (rows[i].unknown) {
			say(result,
			    xs_print(arena,
				     "A message %s: not known who should "
				     "start it: the profile lacks %s, "
				     "which xferspy calibrate measures.",
				     name, rows[i].unknown));
			return;
		}
	say(result, xs_print(arena, "A message %s, one at a time: %s.", name,
			     answer_one(result, rows)));
	say(result, xs_print(arena, "Many messages %s: %s.", name,
			     answer_many(result, rows)));
}

void xs_formulas_answer_control(struct xs_formulas_result *result)
{
	if (result->control_count == 0)
		return;
	answer_direction(result, false);
	answer_direction(result, true);
	if (result->connections > 1)
		say(result,
		    "Each block has flags of its own, which the times leave "
		    "out: up to 1 us was measured. Without --connections a "
		    "message has no more blocks than its bytes need.");
	if (result->connections > XS_CONTROL_MEASURED)
		say(result, "Blocks were measured up to 32 only; the times and "
			    "rates of more are those of the equations.");
	if (result->peer && result->d2h_bytes > PEER_MEASURED)
		say(result, "A put of 64 MiB by the GPU was measured 25 % "
			    "slower than by a host thread: of more than 32 MiB "
			    "do not rely on the GPU's time.");
	say(result, "The code: examples/putget/flags.h has the flags, "
		    "examples/initiated/advised.cu a kernel that stays.");
}
