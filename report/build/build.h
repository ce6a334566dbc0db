/* SPDX-License-Identifier: MIT */
/*
 * The steps that build a result, called by read.c. The arena of the result
 * owns what they allocate and remembers failed allocations.
 */
#pragma once

#include "analyzer/read/trace.h"
#include "analyzer/rounds/phase.h"
#include "analyzer/timeline/allocations.h"
#include "analyzer/timeline/timeline.h"
#include "model/strategies/model.h"
#include "report/build/options.h"
#include "report/result/number.h"
#include "report/result/result.h"

struct xs_steady;

/* Returns a copy of a string of the trace by index, NULL for index 0. */
const char *xs_build_string(struct xs_result *result,
			    const struct xs_trace *trace, uint32_t index);

/* Returns the UUID of the trace's device, borrowed; NULL if unknown. */
const char *xs_build_uuid(const struct xs_trace *trace,
			  const struct xs_device *device);

/* Returns the number of an info of the trace; XS_UNKNOWN if it has none. */
int64_t xs_build_info_number(const struct xs_trace *trace, const char *key);

/* Fills result->run but for wall_ns and devices. */
void xs_build_run(struct xs_result *result, const struct xs_trace *trace,
		  const char *path);

/* Fills run.devices; saw_gpu: GPU work is known. */
void xs_build_devices(struct xs_result *result, const struct xs_trace *trace,
		      bool saw_gpu);

/* Returns the memory of the phase's device that calls had not allocated when
 * they had most, on all devices together; XS_UNKNOWN if they are not known. */
int64_t xs_build_free_bytes(const struct xs_result *result,
			    const struct xs_allocations *allocations,
			    const struct xs_phase *phase);

/* Fills run.links, and notes copies through the host. Needs totals, coverage
 * and the machine. */
void xs_build_gpu_links(struct xs_result *result, const struct xs_trace *trace,
			const struct xs_run_span *steady);

/* Adds notes on phases that ran concurrently or on another GPU model. Call
 * after the phases are built. */
void xs_build_note_devices(struct xs_result *result);

/* Returns the device of the phase with the longest time, NULL if unknown. */
const struct xs_device *xs_build_device(const struct xs_trace *trace,
					const struct xs_phases *phases);

/* Fills result->machine and result->machine_choice. *traced becomes the profile
 * of the machine of the trace. */
void xs_build_machine(struct xs_result *result, const struct xs_trace *trace,
		      const struct xs_phases *phases,
		      const struct xs_result_options *options,
		      struct xs_machine *traced);

/* Fills result->coverage. Needs result->run and result->machine. */
void xs_build_coverage(struct xs_result *result, const struct xs_trace *trace,
		       const struct xs_phases *phases);

/* Fills the call classes, op kinds, runtimes and remarks of the coverage. Call
 * after xs_build_coverage. */
void xs_build_coverage_calls(struct xs_result *result,
			     const struct xs_trace *trace);

/* Fills coverage.gaps and .lacking, and adds notes on them. Call after
 * xs_build_coverage. */
void xs_build_gaps(struct xs_result *result, const struct xs_trace *trace);

/* Adds notes on GPU work: where its times come from, what of it is missing,
 * what is an estimate. */
void xs_build_note_gpu(struct xs_result *result, const struct xs_trace *trace);

/* Returns that the range that XFERSPY_RANGE selects never began, and why; NULL
 * if it began or the run has none. */
const char *xs_build_range_not_begun(struct xs_result *result,
				     const struct xs_trace *trace);

/* Adds notes on how much of the run the figures cover. */
void xs_build_note_sampling(struct xs_result *result,
			    const struct xs_trace *trace);

/* Whether CUDA events measured the GPU times. */
bool xs_build_is_by_events(const struct xs_result *result);

/* Returns the call at a site: "cudaMemcpy at app.cu:8". */
const char *xs_build_place(struct xs_result *result,
			   const struct xs_trace *trace, uint32_t index);

/* Adds a note to the coverage, printf-like. */
__attribute__((format(printf, 2, 3))) void
xs_build_note(struct xs_result *result, const char *format, ...);

/* Adds notes where result->machine does not fit the device of the trace. */
void xs_build_check_profile(struct xs_result *result,
			    const struct xs_trace *trace,
			    const struct xs_device *device);

/* Fills verdict.gpus_in_turn and turns_save_ns. Needs the devices and the
 * other times of the verdict. */
void xs_build_gpu_turns(struct xs_result *result, const struct xs_trace *trace,
			const struct xs_run_span *steady);

/* Fills verdict.pinning. Needs verdict.repeats and the totals. */
void xs_build_pinning(struct xs_result *result, const struct xs_trace *trace,
		      const struct xs_run_span *steady);

/* Returns whether a call allocates memory that host and kernels share: managed
 * or pinned. */
bool xs_build_shares_memory(const struct xs_trace *trace);

/* Fills result->pinned_budget. Needs the estimates. */
void xs_build_pinned_budget(struct xs_result *result,
			    const struct xs_trace *trace,
			    const struct xs_phases *phases,
			    int64_t budget_bytes);

/* Fills the least time of the phase and the class of its tasks from its
 * dataflow. *steps: as in xs_phase_flow(); a note tells where they end. */
void xs_build_phase_flow(struct xs_result *result, const struct xs_trace *trace,
			 struct xs_phase *phase, uint64_t *steps,
			 struct xs_result_phase *out);

/* Adds the note that dependencies were not searched from this phase on. */
void xs_build_note_flow(struct xs_result *result, int64_t phase);

/* Fills a phase except its estimates. */
void xs_build_phase(struct xs_result *result, const struct xs_trace *trace,
		    const struct xs_phase *phase, struct xs_result_phase *out);

/* Fills kernel_waits and kernel_wait_places from the phase's steps. */
void xs_build_kernel_waits(struct xs_result *result,
			   const struct xs_trace *trace,
			   const struct xs_phase *phase,
			   struct xs_result_phase *out);

/* Fills transfer_ns, movable_ns and kernel_busy_ns from the phase's steps. */
void xs_build_movable(const struct xs_phase *phase,
		      struct xs_result_phase *out);

/* Fills beside_link_ns and beside_kernels_ns of all phases. Needs run.devices
 * and the machine. */
void xs_build_side_by_side(struct xs_result *result);

/* Fills the place of a call; step, calls and bytes stay empty. */
void xs_build_site(struct xs_result *result, const struct xs_trace *trace,
		   uint32_t index, struct xs_result_site *out);

/* Adds the caller of the user's function at that site, with its number of
 * calls. Does nothing if the trace has no call stack. Call
 * xs_result_order_callers() after the last one. */
void xs_build_caller(struct xs_result *result, const struct xs_trace *trace,
		     uint32_t index, int64_t calls, struct xs_result_site *out);

/* Fills result->waits, those of the steady part, and host_blocked_ns of both
 * totals. Needs result->machine. */
void xs_build_waits(struct xs_result *result, const struct xs_trace *trace,
		    const struct xs_steady *steady);
/* Notes waits that were not examined. */
void xs_build_note_waits(struct xs_result *result);

void xs_build_counters(const struct xs_phase *phase,
		       struct xs_result_counters *out);

/* Adds notes on hardware counters. Call after xs_build_coverage. */
void xs_build_note_counters(struct xs_result *result,
			    const struct xs_trace *trace,
			    const struct xs_phases *phases,
			    const struct xs_result_options *options);

/* Fills the phase's metrics in the ATGPU model. */
void xs_build_atgpu(struct xs_result *result,
		    const struct xs_allocations *allocations,
		    const struct xs_phase *phase, struct xs_result_atgpu *out);

/* Fills result->nvtx. */
void xs_build_nvtx(struct xs_result *result, const struct xs_trace *trace);

/* Fills result->dataflow. Call after the verdict, which sets apart what is not
 * of the steady part. */
void xs_build_dataflow(struct xs_result *result, const struct xs_trace *trace,
		       const struct xs_phases *phases);

/* Predicts the unchanged run on further machines. Needs complete phases. */
void xs_build_other_machines(struct xs_result *result,
			     const struct xs_result_options *options);
