/* SPDX-License-Identifier: MIT */
/* The section on coverage. */
#include "report/render/text/sections.h"

#include <inttypes.h>
#include <string.h>

/* "1 call", "12 calls", "no call" */
static const char *number_of(struct xs_arena *arena, int64_t count,
			     const char *what)
{
	if (count <= 0)
		return xs_print(arena, "no %s", what);
	return xs_print(arena, "%" PRId64 " %s%s", count, what,
			count == 1 ? "" : "s");
}

/* Returns how the GPU times were obtained; NULL if they are complete, or the
 * trace does not say. */
static const char *timing_text(const char *source)
{
	static const struct {
		const char *source, *text;
	} texts[] = {
	    {"activity",
	     "GPU times: activity, CUPTI records without callbacks"},
	    {"events", "GPU times: events, CUDA events around calls, no CUPTI"},
	    {"calls", "GPU times: calls (none), only host calls were recorded"},
	};

	for (size_t i = 0; source && i < sizeof(texts) / sizeof(*texts); i++)
		if (strcmp(source, texts[i].source) == 0)
			return texts[i].text;
	return NULL;
}

/* Ops whose call is known; "" if all are, and no call lacks its op. */
static const char *matched_text(struct xs_arena *arena,
				const struct xs_result_coverage *in)
{
	if (in->lost > 0)
		return xs_print(arena,
				", %" PRId64 " joined to their calls, %" PRId64
				" records lost",
				in->matched, in->lost);
	if (in->gpu_ops_seen <= 0)
		return "";
	return in->matched == in->gpu_ops_seen && !in->gap_count
		   ? ""
		   : xs_print(arena, ", %" PRId64 " joined to their calls",
			      in->matched);
}

/* What to record for places that can be found in the source: no call of a phase
 * has a line, as of code without -g, or not even a module, as of a file without
 * call stacks. Code that a virtual machine compiles has neither; -g of an
 * interpreter gives lines of another language. */
const char *xs_render_text_lines_note(const struct xs_result *result)
{
	bool any = false, modules = false;

	if (!result->plan_count && !result->verdict.pinning.step &&
	    (!result->verdict.host_is_limit ||
	     result->run.python != XS_LANGUAGES))
		return "";

	XS_EACH(phase, result->phases, result->phase_count) {
		for (size_t k = 0; k < phase->site_count; k++) {
			const char *module = phase->sites[k].module;

			if (phase->sites[k].line != XS_UNKNOWN)
				return "";
			modules |= module && !strstr(module, "luajit") &&
				   !strstr(module, "libffi");
			any = true;
		}
	}
	if (result->coverage.imported)
		return any && !modules ? " Record call stacks: the "
					 "report then names the places."
				       : "";
	return modules ? " Compile with -g: the report then names lines." : "";
}

void xs_render_text_coverage(const struct xs_terminal *terminal,
			     struct xs_result *result)
{
	const struct xs_result_coverage *in = &result->coverage;
	struct xs_arena *arena = &result->arena;
	const char *recorded = "";

	if (in->calls_counted > 0)
		recorded = xs_print(arena, " (%" PRId64 " %s)",
				    in->api_calls_seen - in->calls_counted,
				    in->read_in_windows ? "read" : "recorded");
	xs_terminal_heading(
	    terminal, "Coverage",
	    xs_print(arena, "%s%s, %s%s",
		     number_of(arena, in->api_calls_seen, "call"), recorded,
		     number_of(arena, in->gpu_ops_seen, "GPU op"),
		     matched_text(arena, in)));
	if (timing_text(in->timing_source))
		xs_terminal_wrap(terminal, XS_PLAIN, "  ",
				 timing_text(in->timing_source));
	for (size_t i = 0; i < in->remark_count; i++)
		xs_terminal_wrap(terminal, XS_PLAIN, "  ", in->remarks[i]);
}
