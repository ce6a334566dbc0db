/* SPDX-License-Identifier: MIT */
/* What needs what in a phase: the class of its tasks, and why. */
#include "report/build/build.h"

#include "analyzer/dataflow/phase_flow.h"

#include <inttypes.h>

/* Why no class is known. */
static const char *why_unknown(const struct xs_phase *phase)
{
	if (!phase->h2d_ops)
		return "nothing is copied in";
	if (phase->task_class.partly)
		return "only parts of the allocations that kernels are given "
		       "are copied: they may hold several arrays";
	if (phase->flow_known && phase->task_class.tasks < 2)
		return "there is one task only";
	if (phase->task_class.outside)
		return "kernels may use memory that no recorded call "
		       "allocated";
	return "it is not known what memory all kernels were given";
}

static const char *why_dependent(struct xs_arena *arena,
				 const struct xs_task_class *in,
				 const char *bytes)
{
	if (in->returns)
		return "a task copies in what another one copied out";
	return xs_print(arena,
			"kernels of several tasks are given %s that only "
			"some tasks copy out",
			bytes);
}

static const char *why(struct xs_arena *arena, const struct xs_phase *phase)
{
	const struct xs_task_class *in = &phase->task_class;
	const char *bytes = xs_arena_copy(
	    arena, xs_units_bytes(xs_number_bounded(in->bytes)).s);

	switch (in->kind) {
	case XS_CLASS_UNKNOWN:
		break;
	case XS_CLASS_INDEPENDENT:
		return "no two tasks copy or are given the same memory";
	case XS_CLASS_FALSE_DEPENDENT:
		return xs_print(
		    arena,
		    "each fills or copies out the %s that they share; true "
		    "dependent, if a kernel reads its result's old contents",
		    bytes);
	case XS_CLASS_SHARED_INPUT:
		return xs_print(
		    arena,
		    "kernels of several tasks are given %s that none copies "
		    "out; true dependent, if they write it",
		    bytes);
	case XS_CLASS_ITERATIVE:
		return xs_print(arena,
				"%" PRIu32
				" launches of a kernel follow each copy in, "
				"each on what the one before may have written",
				in->launches);
	case XS_CLASS_TRUE_DEPENDENT:
		return why_dependent(arena, in, bytes);
	}
	return why_unknown(phase);
}

void xs_build_phase_flow(struct xs_result *result, const struct xs_trace *trace,
			 struct xs_phase *phase, uint64_t *steps,
			 struct xs_result_phase *out)
{
	static const char *const names[] = {
	    [XS_CLASS_UNKNOWN] = "unknown",
	    [XS_CLASS_INDEPENDENT] = "embarrassingly independent",
	    [XS_CLASS_FALSE_DEPENDENT] = "false dependent",
	    [XS_CLASS_SHARED_INPUT] = "sharing read-only input",
	    [XS_CLASS_ITERATIVE] = "iterative",
	    [XS_CLASS_TRUE_DEPENDENT] = "true dependent"};
	const bool any = *steps > 0;

	xs_phase_flow(trace, phase, steps);
	if (any && !*steps)
		xs_build_note_flow(result, out->id);
	out->least_ns =
	    phase->least_ns ? xs_number_bounded(phase->least_ns) : XS_UNKNOWN;
	out->task_class = names[phase->task_class.kind];
	out->task_class_known = phase->task_class.kind != XS_CLASS_UNKNOWN;
	out->task_class_why = why(&result->arena, phase);
	out->independent =
	    phase->task_class.kind == XS_CLASS_INDEPENDENT ? "yes"
	    : phase->task_class.returns ? "no, unless the host fills it anew"
					: "perhaps";
}
