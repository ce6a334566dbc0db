/* SPDX-License-Identifier: MIT */
/*
 * The parts that read.c puts together. What they allocate belongs to the
 * result; a failed allocation is remembered by its arena.
 */
#ifndef XS_REPORT_BUILD_BUILD_H
#define XS_REPORT_BUILD_BUILD_H

#include "analyzer/allocations.h"
#include "analyzer/phase.h"
#include "analyzer/timeline.h"
#include "analyzer/trace.h"
#include "model/model.h"
#include "report/build/options.h"
#include "report/result/number.h"
#include "report/result/result.h"

/* A string of the trace by index; NULL for none. */
const char *xs_build_string(struct xs_result *result,
			    const struct xs_trace *trace, uint32_t index);

/* run.devices; saw_gpu: what they did is known. 0 or -ENOMEM. */
int xs_build_devices(struct xs_result *result, const struct xs_trace *trace,
		     bool saw_gpu);

/* Notes on phases that run beside others; after the phases. */
void xs_build_note_devices(struct xs_result *result);

/* The device of the phase that takes longest; NULL: not known. */
const struct xs_device *xs_build_device(const struct xs_trace *trace,
					const struct xs_phases *phases);

/* result->machine: the profile that was given, or one from what the trace
 * itself shows. *traced: the machine that the trace was taken on, as well as it
 * is known. */
void xs_build_machine(struct xs_result *result, const struct xs_trace *trace,
		      const struct xs_phases *phases,
		      const struct xs_result_options *options,
		      struct xs_machine *traced);

/* coverage, from the trace, result->run and result->machine. */
void xs_build_coverage(struct xs_result *result, const struct xs_trace *trace,
		       const struct xs_phases *phases);

/* What the coverage has of classes, kinds and runtimes, and its remarks; after
 * the rest of it. 0 or -ENOMEM. */
int xs_build_matching(struct xs_result *result, const struct xs_trace *trace);

/* coverage.gaps, and notes on them; after the rest of the coverage. 0 or
 * -ENOMEM. */
int xs_build_gaps(struct xs_result *result, const struct xs_trace *trace);

/* One more note of the coverage, printf-like. */
__attribute__((format(printf, 2, 3))) void
xs_build_note(struct xs_result *result, const char *format, ...);

/* Notes where result->machine is not the machine of the trace's device, or no
 * longer is. */
void xs_build_check_profile(struct xs_result *result,
			    const struct xs_trace *trace,
			    const struct xs_device *device);

/* Whether the profile may be of that GPU: it is, or one of them is not known.
 */
bool xs_profile_is_of(const struct xs_machine *machine, const char *gpu);

/* All of a phase but its estimates. */
void xs_build_phase(struct xs_result *result, const struct xs_trace *trace,
		    const struct xs_phase *phase, struct xs_result_phase *out);

/* Where a call was made, without step, calls and bytes. */
void xs_build_site(struct xs_result *result, const struct xs_trace *trace,
		   uint32_t index, struct xs_result_site *out);

/* Adds who called the function of the user's that the site of that index is in,
 * so many times, to what is known of the place; nothing where the trace does
 * not tell. xs_result_order_callers() once all are added. */
void xs_build_caller(struct xs_result *result, const struct xs_trace *trace,
		     uint32_t index, int64_t calls, struct xs_result_site *out);

/* What the host waited for; after the machine. 0 or -ENOMEM. */
int xs_build_waits(struct xs_result *result, const struct xs_trace *trace,
		   const struct xs_timeline *timeline);

void xs_build_counters(const struct xs_phase *phase,
		       struct xs_result_counters *out);

/* Notes on what was counted; after the coverage. */
void xs_build_note_counters(struct xs_result *result,
			    const struct xs_trace *trace,
			    const struct xs_phases *phases,
			    const struct xs_result_options *options);

/* The phase on ATGPU. 0 or -ENOMEM. */
int xs_build_atgpu(struct xs_result *result,
		   const struct xs_allocations *allocations,
		   const struct xs_phase *phase, struct xs_result_atgpu *out);

/* The whole run on the further machines, when the phases are complete. */
void xs_build_other_machines(struct xs_result *result,
			     const struct xs_result_options *options);

#endif
