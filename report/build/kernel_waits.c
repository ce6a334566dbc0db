/* SPDX-License-Identifier: MIT */
/* How often, and where, the host waits between two kernels of a round. */
#include "report/build/build.h"

#include "report/result/site.h"

#include <string.h>

/* Call sites that are told apart, and those that are named unless all are asked
 * for. */
#define SITES_MAX   64
#define SITES_NAMED 3

/* Waits of a round by call site. */
struct waits {
	uint32_t sites[SITES_MAX];
	size_t count;
	int64_t all;
	bool any_kernel;
};

static void add_site(struct waits *waits, uint32_t site)
{
	size_t i = 0;

	while (i < waits->count && waits->sites[i] != site)
		i++;
	if (i == waits->count && site != XS_NONE && i < SITES_MAX)
		waits->sites[waits->count++] = site;
}

/* Adds the steps from *i to the next kernel: waits before the first one and
 * behind the last one are not between two. */
static void add_gap(const struct xs_phase *phase, size_t *i,
		    struct waits *waits)
{
	size_t first = *i;

	while (*i < phase->step_count &&
	       phase->steps[*i].kind != XS_STEP_KERNEL)
		++*i;
	for (; waits->any_kernel && *i < phase->step_count && first < *i;
	     first++)
		if (xs_step_is_wait(&phase->steps[first])) {
			waits->all++;
			add_site(waits, phase->steps[first].site);
		}
}

void xs_build_kernel_waits(struct xs_result *result,
			   const struct xs_trace *trace,
			   const struct xs_phase *phase,
			   struct xs_result_phase *out)
{
	const size_t named = result->all_asked ? SITES_MAX : SITES_NAMED;
	struct waits waits = {.count = 0};
	const char *last = NULL; /* call sites without lines are named alike */

	for (size_t i = 0; i < phase->step_count; i++) {
		add_gap(phase, &i, &waits);
		waits.any_kernel = true;
	}
	out->kernel_waits = waits.all;
	for (size_t i = 0; i < waits.count && i < named; i++) {
		const char *label =
		    xs_build_place(result, trace, waits.sites[i]);

		if (label && last && strcmp(label, last) == 0)
			continue;
		out->kernel_wait_places = xs_result_add_label(
		    &result->arena, out->kernel_wait_places, label);
		last = label;
	}
	if (waits.count > named)
		out->kernel_wait_places =
		    xs_print(&result->arena, "%s and %zu more (--all)",
			     out->kernel_wait_places, waits.count - named);
}
