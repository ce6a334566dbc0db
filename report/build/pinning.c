/* SPDX-License-Identifier: MIT */
/* What pins host memory outside of the steady part. */
#include "report/build/build.h"

#include "model/machine/range_end.h"
#include "model/strategies/model.h"
#include "report/result/number.h"
#include "report/result/site.h"

#include <inttypes.h>
#include <string.h>

/* Calls outside of the steady part that pin memory. */
struct pins {
	const char *functions, *places; /* each once; NULL: no call */
	int64_t count, bytes;
	uint64_t ns;
	bool allocate; /* all of them */
};

/* Adds the place of a call site to the list, once. */
static const char *add_place(struct xs_result *result,
			     const struct xs_trace *trace, uint32_t index,
			     const char *list)
{
	struct xs_result_site site;

	xs_build_site(result, trace, index, &site);
	return xs_arena_join_once(&result->arena, list,
				  xs_result_site_label(&result->arena, &site));
}

static void add(struct xs_result *result, const struct xs_trace *trace,
		uint32_t index, struct pins *out)
{
	const struct xs_call *call = &trace->calls[index];
	const char *function =
	    trace->strings[trace->sites[call->site].function];

	out->functions =
	    xs_arena_join_once(&result->arena, out->functions, function);
	out->places = add_place(result, trace, call->site, out->places);
	out->count++;
	xs_number_add(&out->bytes, xs_number_bounded(call->bytes));
	out->ns += xs_call_ns(call);
	out->allocate &= call->call_class == XS_CALL_ALLOC_PINNED;
}

/* Calls that were only counted have no sizes. */
static bool has_all(const struct pins *pins, int64_t ns)
{
	return xs_number_bounded(pins->ns) >= ns - ns / 20;
}

static void fill_registering(const struct xs_result *result,
			     const struct pins *pins,
			     struct xs_result_pinning *out)
{
	const struct xs_machine *machine = &result->machine;
	int64_t ns[XS_RANGE_ENDS];

	if (!pins->allocate || !has_all(pins, out->ns) ||
	    xs_result_language(&result->run) != XS_LANGUAGE_CUDA)
		return;
	for (int end = 0; end < XS_RANGE_ENDS; end++) {
		const struct xs_machine at =
		    xs_machine_at(machine, (enum xs_range_end)end);

		ns[end] = xs_number_round(xs_registering_ns(
		    &at, (double)pins->count, (double)pins->bytes));
	}
	out->registering_low_ns = ns[XS_RANGE_LOW];
	out->registering_ns = ns[XS_RANGE_VALUE];
	out->registering_high_ns = ns[XS_RANGE_HIGH];
	out->touching_ns =
	    xs_number_round((double)pins->bytes * machine->touch_byte_ns.value);
}

void xs_build_pinning(struct xs_result *result, const struct xs_trace *trace,
		      const struct xs_run_span *steady)
{
	struct xs_result_pinning *out = &result->verdict.pinning;
	const int64_t all_ns = result->totals.pinned_alloc_ns;
	const int64_t steady_ns = result->steady.totals.pinned_alloc_ns;
	struct pins pins = {.allocate = true};

	*out = (struct xs_result_pinning){.ns = XS_UNKNOWN,
					  .registering_ns = XS_UNKNOWN,
					  .touching_ns = XS_UNKNOWN};
	if (!result->verdict.repeats || all_ns == XS_UNKNOWN ||
	    steady_ns == XS_UNKNOWN)
		return;
	out->ns = all_ns - steady_ns;
	for (uint32_t i = 0; i < trace->call_count; i++)
		if (xs_call_pins(&trace->calls[i]) &&
		    !xs_run_span_has(steady, trace->calls[i].start_ns))
			add(result, trace, i, &pins);
	if (!pins.functions)
		return;
	out->calls =
	    xs_print(&result->arena, "%" PRId64 " call%s of %s", pins.count,
		     pins.count == 1 ? "" : "s", pins.functions);
	/* without a line or an address it is the function's name again */
	if (strcmp(pins.places, pins.functions) != 0)
		out->places = pins.places;
	out->bytes = pins.bytes;
	fill_registering(result, &pins, out);
}

bool xs_build_shares_memory(const struct xs_trace *trace)
{
	XS_EACH(site, trace->sites, trace->site_count) {
		if (site->call_class == XS_CALL_ALLOC_PINNED ||
		    site->call_class == XS_CALL_REGISTER ||
		    (site->call_class == XS_CALL_ALLOC_DEVICE &&
		     strstr(trace->strings[site->function], "Managed")))
			return true;
	}
	return trace->migration_count > 0;
}
