/* SPDX-License-Identifier: MIT */
/* The section on several devices. */
#include "report/render/text/sections.h"

#include <string.h>

const char *xs_render_text_devices_name(struct xs_result *result)
{
	const struct xs_result_run *run = &result->run;
	const char *first = run->device_count ? run->devices[0].name : NULL;
	bool alike = first != NULL;

	if (run->device_count <= 1)
		return first ? first
		       : result->coverage.gpu_ops_seen
			   ? "the trace does not name its GPU"
			   : "no GPU recorded";
	for (size_t i = 1; alike && i < run->device_count; i++)
		alike = run->devices[i].name &&
			strcmp(run->devices[i].name, first) == 0;
	return xs_print(&result->arena,
			alike ? "%zu GPUs, each %s" : "%zu GPUs, the first %s",
			run->device_count, first ? first : "unknown");
}

static struct xs_units_text moved(int64_t bytes)
{
	return xs_units_bytes(bytes ? bytes : XS_UNKNOWN);
}

static void put_links(const struct xs_terminal *terminal,
		      const struct xs_result_run *run)
{
	for (size_t i = 0; i < run->link_count; i++) {
		const char *texts[] = {run->links[i].staged_text,
				       run->links[i].direct_text};

		for (size_t k = 0; k < 2; k++)
			if (texts[k])
				xs_terminal_wrap(terminal, XS_PLAIN, "  ",
						 texts[k]);
	}
}

void xs_render_text_devices(const struct xs_terminal *terminal,
			    const struct xs_result *result)
{
	static const struct xs_text_heading headings[] = {
	    {"GPU", XS_RIGHT | XS_BOLD}, {"busy", XS_RIGHT},
	    {"of run", XS_RIGHT},	 {"in", XS_RIGHT},
	    {"kernels", XS_RIGHT},	 {"out", XS_RIGHT},
	    {"between", XS_RIGHT},	 {"", XS_DIM}};
	const struct xs_result_run *run = &result->run;
	struct xs_text_table table;

	if (run->device_count < 2)
		return;
	xs_terminal_heading(
	    terminal, "GPUs",
	    "between: copies from or to another GPU in its own streams");
	xs_text_table_begin(&table, terminal, headings, 8);
	XS_EACH(in, run->devices, run->device_count) {
		XS_TEXT_ROW(
		    &table, xs_units_count(in->index).s,
		    xs_units_ns(in->busy_ns).s,
		    xs_units_percent(in->busy_ns, run->wall_ns).s,
		    moved(in->h2d_bytes).s, xs_units_ns(in->kernel_ns).s,
		    moved(in->d2h_bytes).s, moved(in->p2p_bytes).s, in->name);
	}
	xs_text_table_end(&table, NULL, 0);
	put_links(terminal, run);
}
