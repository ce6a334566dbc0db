/* SPDX-License-Identifier: MIT */
#include "report/diff/comparable.h"

#include "analyzer/util/hash.h"
#include "report/diff/match.h"

#include <math.h>
#include <string.h>

#define ARGUMENTS_MAX 120

/* Returns the next word of a command line, NULL at its end. */
static const char *next_word(struct xs_arena *arena, const char **line)
{
	const char *word = *line + strspn(*line, " ");
	const size_t length = strcspn(word, " ");

	*line = word + length;
	return length ? xs_print(arena, "%.*s", (int)length, word) : NULL;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Returns whether the next word belongs to this option of Python. */
static bool has_value(const char *option)
{
	return strcmp(option, "-W") == 0 || strcmp(option, "-X") == 0 ||
	       strcmp(option, "--check-hash-based-pycs") == 0;
}

const char *xs_program_name(struct xs_arena *arena, const char **app)
{
	const char *name = *app ? next_word(arena, app) : NULL, *word;

	if (!name)
		return NULL;
	name = base_name(name);
	if (strncmp(name, "python", 6) != 0)
		return name;
	while ((word = next_word(arena, app))) {
		if (word[0] != '-')
			return base_name(word);
		if (strcmp(word, "-c") == 0)
			break;
		if (has_value(word))
			next_word(arena, app);
	}
	return "python";
}

/* Returns "NVIDIA H200, NVIDIA H200", NULL if no GPU is known. */
static const char *gpu_names(struct xs_diff *diff,
			     const struct xs_result_run *run)
{
	const char *names = NULL;

	for (size_t i = 0; i < run->device_count; i++)
		if (run->devices[i].name)
			names =
			    xs_print(&diff->arena, "%s%s%s", names ? names : "",
				     names ? ", " : "", run->devices[i].name);
	return names;
}

/* Returns a warning if both are known and differ, NULL otherwise. */
static const char *warn(struct xs_diff *diff, const char *what,
			const char *before, const char *after)
{
	if (!before || !after || strcmp(before, after) == 0)
		return NULL;
	return diff->warnings[diff->warning_count++] =
		   xs_print(&diff->arena, "%s: %s before, %s after", what,
			    before, after);
}

/* Returns the arguments as they are printed. */
static const char *arguments(struct xs_diff *diff, const char *line)
{
	if (!line)
		return NULL;
	line += strspn(line, " ");
	if (!*line)
		return "none";
	return strlen(line) <= ARGUMENTS_MAX
		   ? line
		   : xs_print(&diff->arena, "%.*s...", ARGUMENTS_MAX, line);
}

/* Returns the sign of a change by more than a quarter, as by one round more of
 * a warm-up it is not; 0: it is less, or unknown. */
static int change(int64_t before, int64_t after)
{
	const int64_t most = before > after ? before : after;

	if (before == XS_UNKNOWN || after == XS_UNKNOWN)
		return 0;
	return (after - before > most / 4) - (before - after > most / 4);
}

/* Warns of other arguments by which the runs copy and compute more, or less,
 * and returns that. Less is copied alone by what a report advises. */
static const char *warn_of_work(struct xs_diff *diff)
{
	const struct xs_result_totals *before = &diff->before->totals;
	const struct xs_result_totals *after = &diff->after->totals;
	const int bytes = change(before->h2d_bytes, after->h2d_bytes);

	if (!bytes || bytes != change(before->kernel_ns, after->kernel_ns))
		return NULL;
	return warn(diff, "they copy other amounts in",
		    xs_units_bytes(before->h2d_bytes).s,
		    xs_units_bytes(after->h2d_bytes).s);
}

static const char *tool(const struct xs_result *result)
{
	return result->coverage.imported ? result->coverage.imported
					 : "xferspy";
}

/* Whether the first words differ: versions of a tool are no other tool. */
static bool are_other_tools(const struct xs_diff *diff)
{
	const char *before = tool(diff->before), *after = tool(diff->after);
	const size_t length = strcspn(before, " ");

	return length != strcspn(after, " ") ||
	       strncmp(before, after, length) != 0;
}

/* A tool may record from before the process starts, or only what it was asked
 * to profile. */
static void warn_of_tools(struct xs_diff *diff)
{
	if (!are_other_tools(diff))
		return;
	diff->uncompared = xs_print(
	    &diff->arena,
	    "recorded by different tools (%s before, %s after), so the run "
	    "times are of different spans: compare rounds of a phase",
	    tool(diff->before), tool(diff->after));
	diff->warnings[diff->warning_count++] = diff->uncompared;
	diff->wall.change = XS_UNKNOWN;
	diff->change_percent = NAN;
}

/* Warns if a trace names no program: its kernels tell whether it may be of the
 * other's. */
static void warn_of_unnamed(struct xs_diff *diff)
{
	const bool alike = xs_match_any(diff->before, diff->after);

	diff->unnamed = alike ? "a trace names no program: only their kernels "
				"tell that these are of one"
			      : "a trace names no program, and they have no "
				"kernel in common: these may be different "
				"programs";
	diff->warnings[diff->warning_count++] = diff->unnamed;
	if (!alike)
		diff->different = diff->unnamed;
}

void xs_diff_check(struct xs_diff *diff)
{
	const struct xs_result_run *before = &diff->before->run;
	const struct xs_result_run *after = &diff->after->run;
	const char *before_line = before->app, *after_line = after->app;

	const char *before_name = xs_program_name(&diff->arena, &before_line);
	const char *after_name = xs_program_name(&diff->arena, &after_line);
	const char *programs =
	    warn(diff, "these are different programs", before_name, after_name);
	const char *gpus =
	    warn(diff, "these are different GPUs", gpu_names(diff, before),
		 gpu_names(diff, after));

	diff->different = programs ? programs : gpus;
	if (!before_name || !after_name)
		warn_of_unnamed(diff);
	if (!programs)
		diff->other_arguments =
		    warn(diff, "the arguments differ",
			 arguments(diff, before_line),
			 arguments(diff, after_line)) != NULL;
	if (diff->other_arguments && !gpus)
		diff->different = warn_of_work(diff);
	warn_of_tools(diff);
	warn(diff, "the driver's versions differ", before->driver_version,
	     after->driver_version);
}

uint64_t xs_trace_hash(const struct xs_result *result)
{
	const struct xs_result_run *run = &result->run;
	const int64_t numbers[] = {run->pid,
				   run->wall_ns,
				   result->totals.h2d_bytes,
				   result->totals.kernels,
				   result->totals.kernel_ns,
				   result->coverage.api_calls_seen};
	uint64_t hash = xs_hash_text(0, run->host ? run->host : "");

	hash = xs_hash_text(hash, run->started_utc ? run->started_utc : "");
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		hash = xs_hash_mix(hash, (uint64_t)numbers[i]);
	return hash;
}
