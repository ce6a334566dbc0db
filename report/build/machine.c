/* SPDX-License-Identifier: MIT */
/*
 * The machine profiles of a result: for the estimates, of the traced machine,
 * and of further machines.
 */
#include "model/machine/choice.h"
#include "model/machine/fit.h"
#include "report/build/build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The rest of the phases is at most 1 / REST_PART of their time. */
#define REST_PART 20

const struct xs_device *xs_build_device(const struct xs_trace *trace,
					const struct xs_phases *phases)
{
	if (phases->count)
		return xs_trace_device(trace, phases->items[0].device);
	return trace->device_count ? trace->devices : NULL;
}

/* Returns the phases that ran on GPUs of the same name. The items are
 * borrowed. */
static struct xs_phases phases_on(struct xs_result *result,
				  const struct xs_trace *trace,
				  const struct xs_phases *phases,
				  const struct xs_device *device)
{
	struct xs_phases out = {.items = xs_arena_alloc(&result->arena,
							phases->count,
							sizeof(*out.items))};
	bool *other = xs_arena_alloc(&result->arena, UINT16_MAX + 1u,
				     sizeof(*other)); /* by device number */

	for (size_t i = 0; other && i < trace->device_count; i++)
		other[trace->devices[i].rec.device] =
		    strcmp(trace->strings[trace->devices[i].name],
			   trace->strings[device->name]) != 0;
	for (size_t i = 0; other && out.items && i < phases->count; i++)
		if (!other[phases->items[i].device])
			out.items[out.count++] = phases->items[i];
	return out;
}

/* Fits a profile to the rounds on the main device and others of its kind, or
 * joins what they show into the chosen one. */
static void learn(struct xs_result *result, const struct xs_trace *trace,
		  const struct xs_phases *phases,
		  const struct xs_device *device, bool chosen,
		  struct xs_machine *machine)
{
	const struct xs_phases alike =
	    device ? phases_on(result, trace, phases, device) : *phases;

	if (chosen)
		xs_machine_join(&alike, machine);
	else
		xs_machine_fit(&alike, device ? &device->rec : NULL, machine);
}

const char *xs_build_uuid(const struct xs_trace *trace,
			  const struct xs_device *device)
{
	char key[16];

	snprintf(key, sizeof(key), "uuid.%d", device->rec.device);
	return xs_trace_find_info(trace, key);
}

static struct xs_machine_identity identify(struct xs_result *result,
					   const struct xs_trace *trace,
					   const struct xs_device *device)
{
	if (!device)
		return (struct xs_machine_identity){0};
	return (struct xs_machine_identity){
	    .gpu = xs_build_string(result, trace, device->name),
	    .uuid = xs_build_uuid(trace, device),
	    .host = xs_trace_find_info(trace, "host"),
	    .pcie_gen = device->rec.pcie_gen,
	    .pcie_width = device->rec.pcie_width};
}

static const struct {
	const char *origin, *calibrating;
} choices[] = {
    [XS_MACHINE_GIVEN] = {"given", NULL},
    [XS_MACHINE_CALIBRATED] = {"calibrated", NULL},
    [XS_MACHINE_SHIPPED] = {"shipped", "narrow the intervals"},
    [XS_MACHINE_FITTED] = {"fitted", "add mapped memory, and narrow the "
				     "intervals"},
};

static void say_choice(struct xs_result *result, enum xs_machine_origin origin,
		       const char *reason)
{
	result->machine_choice = (struct xs_result_machine_choice){
	    .origin = choices[origin].origin,
	    .reason = reason[0] ? xs_arena_copy(&result->arena, reason) : NULL,
	    .calibrating = choices[origin].calibrating,
	};
	if (origin == XS_MACHINE_FITTED &&
	    (isnan(result->machine.G_h2d.value) ||
	     isnan(result->machine.G_d2h.value)))
		result->machine_choice.calibrating =
		    "let pinning, streams, prefetch, double-buffer, batch and "
		    "mapped memory be predicted (rates of copies)";
}

/* The given profile of the machine that was traced: the first one of its GPU,
 * or the only one. NULL: none. */
static const struct xs_machine *
given_of_trace(const struct xs_result_options *options, const char *gpu)
{
	const struct xs_machine *given = options->machine;

	if (!given || xs_machine_is_of_gpu(given, gpu))
		return given;
	for (size_t i = 0; i < options->elsewhere_count; i++)
		if (xs_machine_is_of_gpu(&options->elsewhere[i].machine, gpu))
			return &options->elsewhere[i].machine;
	return options->elsewhere_count ? NULL : given;
}

/* Whether it is a shipped profile of the traced GPU's model, in which what the
 * trace shows of its own machine counts more. */
static bool is_of_model(const struct xs_machine *own,
			const struct xs_machine_identity *machine)
{
	const char *mismatch;

	return xs_machine_is_of_gpu(own, machine->gpu) &&
	       xs_machine_origin_of(own, machine, &mismatch) ==
		   XS_MACHINE_SHIPPED;
}

void xs_build_machine(struct xs_result *result, const struct xs_trace *trace,
		      const struct xs_phases *phases,
		      const struct xs_result_options *options,
		      struct xs_machine *traced)
{
	const struct xs_device *device = xs_build_device(trace, phases);
	const struct xs_machine_identity machine =
	    identify(result, trace, device);
	const struct xs_machine *given = options->machine;
	const struct xs_machine *own = given_of_trace(options, machine.gpu);
	enum xs_machine_origin origin = XS_MACHINE_FITTED;
	const char *mismatch = NULL;
	char why[1200] = "";

	if (given)
		origin = xs_machine_origin_of(given, &machine, &mismatch);
	else if (!options->fitted)
		origin = xs_machine_choose(&machine, traced, why, sizeof(why));
	if (own)
		*traced = *own;
	if (own && own == given && mismatch)
		xs_machine_widen(traced);
	if (!own || is_of_model(own, &machine))
		learn(result, trace, phases, device,
		      own || (!given && origin != XS_MACHINE_FITTED), traced);
	result->machine = given && given != own ? *given : *traced;
	say_choice(result, origin, mismatch ? mismatch : why);
	if (given && !xs_machine_is_of_gpu(given, machine.gpu)) {
		result->machine_choice.other_gpu = true;
		result->machine_choice.calibrating = NULL;
	}
}

/* Returns the phase's replay estimate of that strategy, NULL if none applies.
 */
static const struct xs_result_estimate *
row_of(const struct xs_result_phase *phase, const char *strategy)
{
	for (size_t i = 0; i < phase->estimate_count; i++)
		if (phase->estimates[i].applies &&
		    phase->estimates[i].round_ns != XS_UNKNOWN &&
		    strcmp(phase->estimates[i].strategy, strategy) == 0)
			return &phase->estimates[i];
	return NULL;
}

/* Adds the difference over all rounds; false on overflow. */
static bool add_rounds(const struct xs_result_phase *phase, int64_t round_ns,
		       int64_t *sum_ns)
{
	int64_t more_ns;

	return !__builtin_mul_overflow(phase->rounds,
				       round_ns - xs_result_untraced_ns(phase),
				       &more_ns) &&
	       !__builtin_add_overflow(*sum_ns, more_ns, sum_ns);
}

/* Whether the phases that are not predicted may count as unchanged. */
static bool is_small(const struct xs_result *result)
{
	int64_t total_ns = result->rest.total_ns;

	for (size_t i = 0; i < result->phase_count; i++)
		xs_number_add(&total_ns, result->phases[i].total_ns);
	return result->rest.total_ns <= total_ns / REST_PART;
}

/* All phases depend on the same machine, so their errors add up. */
static void add_phases(const struct xs_result *result,
		       struct xs_result_other_machine *out)
{
	const int64_t wall_ns = xs_result_untraced_wall_ns(result);
	int64_t sum_ns = wall_ns, low_ns = wall_ns, high_ns = wall_ns;

	if (wall_ns == XS_UNKNOWN)
		return;
	XS_EACH(phase, result->phases, result->phase_count) {
		const struct xs_result_estimate *row =
		    row_of(phase, out->strategy);

		if (!row || phase->round_ns == XS_UNKNOWN)
			continue;
		if (!add_rounds(phase, row->round_ns, &sum_ns) ||
		    !add_rounds(phase, row->low_ns, &low_ns) ||
		    !add_rounds(phase, row->high_ns, &high_ns))
			return;
		out->phases++;
	}
	if (!out->phases || (size_t)out->phases < result->phase_count ||
	    !is_small(result))
		return;
	out->app_wall_ns = sum_ns;
	out->low_ns = low_ns > 0 ? low_ns : 0;
	out->high_ns = high_ns;
}

void xs_build_other_machines(struct xs_result *result,
			     const struct xs_result_options *options)
{
	struct xs_arena *arena = &result->arena;

	XS_ARENA_NEW(arena, result->other_machines, options->elsewhere_count);
	for (size_t i = 0;
	     result->other_machines && i < options->elsewhere_count; i++) {
		struct xs_result_other_machine *out =
		    &result->other_machines[result->other_machine_count++];

		*out = (struct xs_result_other_machine){
		    .strategy =
			xs_arena_copy(arena, options->elsewhere[i].strategy),
		    .app_wall_ns = XS_UNKNOWN,
		    .low_ns = XS_UNKNOWN,
		    .high_ns = XS_UNKNOWN,
		};
		add_phases(result, out);
	}
}
