/* SPDX-License-Identifier: MIT */
/*
 * The text report, one screen: losses, where the time went, waits, phases,
 * what to change, and the table of strategies.
 */
#include "report/render/text/text.h"

#include "report/render/text/sections.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The command line without the program's folder; NULL: not known. */
static const char *command(const char *app)
{
	const char *end = app ? app + strcspn(app, " ") : NULL, *start = end;

	while (start && start > app && start[-1] != '/')
		start--;
	return start;
}

/* The rest of the line takes up to so many columns: a long command gets its own
 * line. */
static void put_command(const struct xs_terminal *terminal,
			const char *command_line, int rest)
{
	const int length = (int)strnlen(command_line, INT_MAX);
	const int columns = terminal->display.columns;

	xs_terminal_print(terminal, XS_BOLD, "%.*s%s", columns - 4,
			  command_line, length > columns - 4 ? "..." : "");
	if (length > columns - rest)
		xs_terminal_print(terminal, XS_PLAIN, "\n ");
}

/* Whether a calibration of the traced GPU can be found by its UUID. */
static bool is_found(const struct xs_result_run *run)
{
	return run->device_count && run->devices[0].uuid &&
	       run->devices[0].uuid[0];
}

/* Which profile it is, why, and what calibrating would improve. */
static const char *profile(struct xs_result *result)
{
	const struct xs_machine *machine = &result->machine;
	const struct xs_result_machine_choice *choice = &result->machine_choice;
	struct xs_arena *arena = &result->arena;
	const bool is_published = strcmp(machine->source, "published") == 0;
	const bool found = is_found(&result->run);
	const char *text, *of = "";

	if (!is_published && choice->origin && machine->date[0] &&
	    strcmp(choice->origin, "given") == 0)
		of = xs_print(arena, ", %.10s", machine->date);
	if (strcmp(machine->source, "fitted-from-trace") == 0)
		text = "profile fitted from the trace";
	else
		text =
		    xs_print(arena, "profile %s (%s%s)", machine->name,
			     is_published || !choice->origin ? machine->source
							     : choice->origin,
			     of);
	if (choice->reason)
		text = xs_print(arena, "%s: %s", text, choice->reason);
	if (choice->calibrating && !result->verdict.missing)
		text = xs_print(
		    arena, "%s; `xferspy calibrate%s` on %.12s%s would %s",
		    text, found ? "" : " -o FILE",
		    result->run.host ? result->run.host : "that machine",
		    found ? "" : ", and --machine FILE,", choice->calibrating);
	return text;
}

/* "filter (pid 4713, rank 3 of 8) on node7 2026-01-02T03:04:05Z": what is known
 * of it; the file of a program without a name. */
static void put_process(const struct xs_terminal *terminal,
			struct xs_arena *arena, const struct xs_result_run *run)
{
	const char *path = run->path ? run->path : "";
	const char *last = strrchr(path, '/'), *line = "", *rank = "";

	if (run->rank != XS_UNKNOWN && run->ranks > 1)
		rank = xs_print(arena, ", rank %" PRId64 " of %" PRId64,
				run->rank, run->ranks);
	if (run->pid != XS_UNKNOWN)
		line = xs_print(arena, " (pid %" PRId64 "%s)", run->pid, rank);
	if (run->host)
		line = xs_print(arena, "%s on %.12s", line, run->host);
	if (run->started_utc)
		line = xs_print(arena, "%s %.20s", line, run->started_utc);
	put_command(terminal,
		    run->app ? command(run->app)
		    : last   ? last + 1
			     : path,
		    50 + (int)strlen(rank));
	xs_terminal_print(terminal, XS_PLAIN, "%s\n", line);
}

/* "13.0" is the version of CUDA that the driver is for; "580.82.07" its own. */
static bool is_of_cuda(const char *version)
{
	return strtol(version, NULL, 10) < 100;
}

static void put_run(const struct xs_terminal *terminal,
		    struct xs_result *result)
{
	const struct xs_result_run *run = &result->run;
	struct xs_arena *arena = &result->arena;
	const char *line = xs_render_text_devices_name(result);

	put_process(terminal, arena, run);
	if (run->driver_version)
		line = xs_print(arena, "%s, %s %s", line,
				is_of_cuda(run->driver_version) ? "CUDA"
								: "driver",
				run->driver_version);
	if (run->cupti_version)
		line =
		    xs_print(arena, "%s, CUPTI %s", line, run->cupti_version);
	line = xs_print(arena, "%s; %s", line, profile(result));
	xs_terminal_wrap(terminal, XS_DIM, "", line);
}

static void put_notes(const struct xs_terminal *terminal,
		      const struct xs_result *result)
{
	for (size_t i = 0; i < result->coverage.note_count; i++)
		xs_terminal_wrap(terminal, XS_WARN, "! ",
				 result->coverage.notes[i]);
}

/* The unchanged run on other machines. */
static void put_other_machines(const struct xs_terminal *terminal,
			       struct xs_result *result)
{
	struct xs_arena *arena = &result->arena;

	XS_EACH(run, result->other_machines, result->other_machine_count) {
		const char *text =
		    result->rest.phases ? "not predicted for all phases (--all)"
		    : result->all_asked ? "not predicted; the reasons are below"
					: "not predicted; --all says why";

		if (run->app_wall_ns != XS_UNKNOWN)
			text = xs_print(
			    arena, "the run takes %s, %.2f times as long",
			    xs_units_in_range_ns(run->app_wall_ns, run->low_ns,
						 run->high_ns)
				.s,
			    (double)run->app_wall_ns /
				(double)xs_result_untraced_wall_ns(result));
		xs_terminal_wrapf(terminal, XS_PLAIN, "  ",
				  "unchanged on %s: %s",
				  strchr(run->strategy, ':') + 1, text);
	}
}

static void put_report(const struct xs_terminal *terminal,
		       struct xs_result *result)
{
	put_run(terminal, result);
	xs_render_text_verdict(terminal, result);
	put_notes(terminal, result);
	if (result->runs)
		xs_render_text_runs(terminal, result);
	xs_render_text_plan(terminal, result);
	xs_render_text_coverage(terminal, result);
	xs_render_text_totals(terminal, result);
	xs_render_text_devices(terminal, result);
	xs_render_text_waits(terminal, result);
	if (result->nvtx)
		xs_render_text_nvtx(terminal, result);
	xs_render_text_phase_table(terminal, result);
	if (result->phase_count) {
		put_other_machines(terminal, result);
		xs_render_text_strategies(terminal, result);
	}
	if (result->phase_count && result->atgpu_asked)
		xs_render_text_atgpu(terminal, result);
	if (result->pinned_budget)
		xs_render_text_pinned_budget(terminal, result);
	if (result->dataflow_asked)
		xs_render_text_dataflow(terminal, result);
}

int xs_render_text_report(struct xs_result *const *results, size_t count,
			  const struct xs_display *display, FILE *out)
{
	const struct xs_terminal terminal = {.out = out, .display = *display};
	bool first = true;

	for (size_t i = 0; i < count; i++) {
		if (!results[i])
			continue;
		if (!first)
			xs_terminal_print(&terminal, XS_PLAIN, "\n");
		first = false;
		if (count > 1)
			xs_terminal_print(&terminal, XS_DIM, "== %s ==\n",
					  results[i]->run.path);
		put_report(&terminal, results[i]);
	}
	return 0;
}
