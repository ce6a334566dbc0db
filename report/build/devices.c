/* SPDX-License-Identifier: MIT */
/* The devices of a run, their work, and phases that ran concurrently. */
#include "report/build/build.h"
#include "report/result/best.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Devices described: each takes a pass over all ops. */
#define DEVICES_MAX 64

/* Phases that a note lists. */
#define NAMED_MAX 6

static void describe(struct xs_result *result, const struct xs_trace *trace,
		     const struct xs_device *in, struct xs_result_device *out)
{
	char numa_node[24];

	snprintf(numa_node, sizeof(numa_node), "numa_node.%d", in->rec.device);
	out->numa_node = xs_build_info_number(trace, numa_node);
	out->name = xs_build_string(result, trace, in->name);
	out->index = in->rec.device;
	out->sm_count = xs_number_known(in->rec.sm_count);
	out->copy_engines = xs_number_known(in->rec.copy_engines);
	out->memory_bytes = xs_number_known(in->rec.memory_bytes);
	out->pcie_gen = xs_number_known(in->rec.pcie_gen);
	out->pcie_width = xs_number_known(in->rec.pcie_width);
	out->uuid = xs_arena_copy(&result->arena, xs_build_uuid(trace, in));
}

static void add_work(const struct xs_trace *trace, bool saw_gpu,
		     struct xs_result_device *out)
{
	struct xs_timeline line;

	xs_timeline_of_device(trace, (uint16_t)out->index, &line);
#define GPU(value) (saw_gpu ? xs_number_bounded(value) : XS_UNKNOWN)
	out->h2d_bytes = GPU(line.bytes[XS_OP_H2D]);
	out->d2h_bytes = GPU(line.bytes[XS_OP_D2H]);
	out->p2p_bytes = GPU(line.bytes[XS_OP_P2P]);
	out->h2d_ops = GPU(line.count[XS_OP_H2D]);
	out->d2h_ops = GPU(line.count[XS_OP_D2H]);
	out->p2p_ops = GPU(line.count[XS_OP_P2P]);
	out->kernels = GPU(line.count[XS_OP_KERNEL]);
	out->h2d_ns = GPU(line.busy_ns[XS_OP_H2D]);
	out->d2h_ns = GPU(line.busy_ns[XS_OP_D2H]);
	out->p2p_ns = GPU(line.busy_ns[XS_OP_P2P]);
	out->kernel_ns = GPU(line.busy_ns[XS_OP_KERNEL]);
	out->busy_ns = GPU(line.gpu_busy_ns);
	out->overlap_ns = GPU(line.overlap_ns);
#undef GPU
}

int64_t xs_build_free_bytes(const struct xs_result *result,
			    const struct xs_allocations *allocations,
			    const struct xs_phase *phase)
{
	uint64_t used_bytes;

	if (!xs_allocations_peak(allocations, phase->first_start_ns,
				 phase->last_end_ns, &used_bytes))
		return XS_UNKNOWN;
	XS_EACH(device, result->run.devices, result->run.device_count) {
		if (device->index != phase->device ||
		    device->memory_bytes == XS_UNKNOWN)
			continue;
		return device->memory_bytes > xs_number_bounded(used_bytes)
			   ? device->memory_bytes -
				 xs_number_bounded(used_bytes)
			   : 0;
	}
	return XS_UNKNOWN;
}

void xs_build_devices(struct xs_result *result, const struct xs_trace *trace,
		      bool saw_gpu)
{
	const size_t count = trace->device_count < DEVICES_MAX
				 ? trace->device_count
				 : DEVICES_MAX;
	struct xs_result_run *run = &result->run;

	XS_ARENA_NEW(&result->arena, run->devices, count);
	for (size_t i = 0; i < count; i++) {
		struct xs_result_device *out =
		    &run->devices[run->device_count++];

		describe(result, trace, &trace->devices[i], out);
		add_work(trace, saw_gpu, out);
	}
}

typedef bool is_listed_fn(const struct xs_result *result,
			  const struct xs_result_phase *phase);

static bool ran_concurrently(const struct xs_result *result,
			     const struct xs_result_phase *phase)
{
	return (result->all_asked || !result->plan_count ||
		xs_result_is_in_plan(result, phase)) &&
	       xs_rounds_are_concurrent((double)phase->concurrent_ns,
					(double)phase->total_ns);
}

static const char *name_of(const struct xs_result_run *run, int64_t device)
{
	for (size_t i = 0; i < run->device_count; i++)
		if (run->devices[i].index == device && run->devices[i].name)
			return run->devices[i].name;
	return "";
}

static bool ran_on_another_kind(const struct xs_result *result,
				const struct xs_result_phase *phase)
{
	const char *name = name_of(&result->run, phase->device);
	const char *first = name_of(&result->run, result->phases[0].device);

	return *name && *first && strcmp(name, first) != 0;
}

static bool ran_on_unnamed(const struct xs_result *result,
			   const struct xs_result_phase *phase)
{
	return result->run.device_count &&
	       !*name_of(&result->run, phase->device);
}

/* " 1, 2, 3 and others" */
static const char *list_phases(struct xs_result *result,
			       is_listed_fn *is_listed, size_t *count)
{
	const char *list = "";

	*count = 0;
	for (size_t i = 0; i < result->phase_count; i++) {
		if (!is_listed(result, &result->phases[i]))
			continue;
		if (++*count <= NAMED_MAX)
			list = xs_print(&result->arena, "%s%s %" PRId64,
					list ? list : "", *count > 1 ? "," : "",
					result->phases[i].id);
	}
	return *count > NAMED_MAX
		   ? xs_print(&result->arena, "%s and others", list)
		   : list;
}

void xs_build_note_devices(struct xs_result *result)
{
	static const struct {
		is_listed_fn *is_listed;
		const char *text;
	} notes[] = {
	    {ran_concurrently,
	     "ran concurrently with rounds of other threads or GPUs: savings "
	     "there are upper bounds for the whole run"},
	    {ran_on_another_kind, "ran on another GPU model than phase 1; all "
				  "estimates use the profile for phase 1"},
	    {ran_on_unnamed, "ran on a GPU that the trace does not name; all "
			     "estimates use the profile above"},
	};

	for (size_t i = 0; i < sizeof(notes) / sizeof(*notes); i++) {
		size_t count;
		const char *list =
		    list_phases(result, notes[i].is_listed, &count);

		if (count)
			xs_build_note(result, "phase%s%s %s",
				      count == 1 ? "" : "s", list,
				      notes[i].text);
	}
}
