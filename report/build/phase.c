/* SPDX-License-Identifier: MIT */
/* Converts a phase of the analyzer to a phase of the result. */
#include "report/build/build.h"
#include "report/build/steady.h"

#include "analyzer/read/names.h"
#include "analyzer/symbols/symbols.h"
#include "analyzer/util/memory.h"
#include "report/result/site.h"
#include "report/result/source_text.h"

#include <stdlib.h>
#include <string.h>

/* Kernel names kept for a phase. */
#define KERNEL_NAMES_MAX 32

static const char *const step_names[XS_STEP_KINDS] = {
    [XS_STEP_H2D] = "h2d",
    [XS_STEP_D2H] = "d2h",
    [XS_STEP_D2D] = "d2d",
    [XS_STEP_H2H] = "h2h",
    [XS_STEP_SET] = "set",
    [XS_STEP_KERNEL] = "kernel",
    [XS_STEP_SYNC_DEVICE] = "sync-device",
    [XS_STEP_SYNC_STREAM] = "sync-stream",
    [XS_STEP_SYNC_EVENT] = "sync-event",
    [XS_STEP_EVENT_RECORD] = "event-record",
    [XS_STEP_STREAM_WAIT] = "stream-wait",
    [XS_STEP_ALLOCATE] = "allocate",
    [XS_STEP_FREE] = "free",
    [XS_STEP_HOST] = "host",
};

const char *xs_build_string(struct xs_result *result,
			    const struct xs_trace *trace, uint32_t index)
{
	if (index == 0 || index >= trace->string_count)
		return NULL;
	return xs_arena_copy(&result->arena, trace->strings[index]);
}

/* XLA's threads copy for JAX, without a frame of Python: the function of JAX
 * that asks for such copies; NULL: not known. */
static const char *function_of_jax(const struct xs_result_site *site)
{
	if (!site->module || !site->call ||
	    !strstr(site->module, "/jax_plugins/"))
		return NULL;
	return strstr(site->call, "HtoD")   ? "jax.device_put"
	       : strstr(site->call, "DtoH") ? "jax.device_get"
					    : NULL;
}

/* Whether a thread of autograd launches: among those of PyTorch's libraries and
 * of the ones that it calls, only they have no frame of Python. */
static bool is_backward(const struct xs_result *result,
			const struct xs_result_site *site)
{
	return result->run.python == XS_LANGUAGE_PYTORCH && !site->file &&
	       site->module && site->call && strstr(site->call, "Launch") &&
	       (strstr(site->module, "/torch/lib/") ||
		strstr(site->module, "/libcu")) &&
	       result->run.python_frames;
}

void xs_build_site(struct xs_result *result, const struct xs_trace *trace,
		   uint32_t index, struct xs_result_site *out)
{
	const struct xs_site *site;

	*out =
	    (struct xs_result_site){.line = XS_UNKNOWN, .offset = XS_UNKNOWN};
	if (index >= trace->site_count)
		return;
	out->call =
	    xs_build_string(result, trace, trace->sites[index].function);
	site = xs_symbols_user_site(trace, index);
	out->function = xs_arena_copy(&result->arena, site->symbol);
	out->file = xs_arena_copy(&result->arena, site->file);
	if (site->line)
		out->line = site->line;
	if (site->module < trace->module_count) {
		out->module = xs_build_string(
		    result, trace, trace->modules[site->module].path);
		out->offset = (int64_t)site->offset;
	}
	if (is_backward(result, out)) {
		out->function = "autograd's backward pass";
		out->module = NULL;
		out->offset = XS_UNKNOWN;
	}
	if (!out->file && !out->function)
		out->function = function_of_jax(out);
}

/* The nearest line of Python to a copy of XLA's threads, which has none: of the
 * first launch of the round after it, or of the last one before; NULL: none. */
static const char *line_near(struct xs_result *result,
			     const struct xs_trace *trace,
			     const struct xs_phase *phase, uint32_t copy)
{
	struct xs_result_site out = {0};
	uint32_t near = XS_NONE;
	bool copied = false;

	XS_EACH(step, phase->steps, phase->step_count) {
		const struct xs_site *launch =
		    step->kind == XS_STEP_KERNEL
			? xs_symbols_user_site(trace, step->site)
			: NULL;

		copied = copied || step->site == copy;
		if (!launch || !launch->file || !launch->line)
			continue;
		near = step->site;
		if (copied)
			break;
	}
	xs_build_site(result, trace, near, &out);
	return out.file ? xs_result_site_label(&result->arena, &out) : NULL;
}

static void build_site(struct xs_result *result, const struct xs_trace *trace,
		       const struct xs_phase *phase,
		       const struct xs_phase_site *in,
		       struct xs_result_site *out)
{
	xs_build_site(result, trace, in->site, out);
	if (!out->file && function_of_jax(out))
		out->near = line_near(result, trace, phase, in->site);
	out->step = step_names[in->step_kind];
	out->calls = xs_number_bounded(in->calls);
	out->bytes = xs_number_bounded(in->bytes);
}

/* Sites compared when looking for one with the same line. */
#define SAME_PLACE_SPAN 256

/* Sites of a phase whose source line is read. */
#define SITES_QUOTED 16

/* Returns the phase's site at the same place, or NULL. */
static struct xs_result_site *same_place(const struct xs_result_phase *phase,
					 const struct xs_result_site *site)
{
	size_t looked_at = 0;

	for (size_t i = phase->site_count; i-- > 0;) {
		if (xs_result_same_place(&phase->sites[i], site))
			return &phase->sites[i];
		if (++looked_at == SAME_PLACE_SPAN)
			break;
	}
	return NULL;
}

/* Returns whether OpenMP's or OpenACC's runtime, of gcc or of clang, made the
 * call. */
static bool is_offload(const struct xs_trace *trace, uint32_t site)
{
	const uint32_t module =
	    site < trace->site_count ? trace->sites[site].module : XS_NONE;
	const char *path = module < trace->module_count
			       ? trace->strings[trace->modules[module].path]
			       : "";

	return strstr(path, "/libgomp-plugin-nvptx.so") ||
	       strstr(path, "/libomptarget.");
}

static void build_sites(struct xs_result *result, const struct xs_trace *trace,
			const struct xs_phase *phase,
			struct xs_result_phase *out)
{
	XS_ARENA_NEW(&result->arena, out->sites, phase->site_count);
	for (size_t i = 0; i < phase->site_count; i++) {
		struct xs_result_site *site = &out->sites[out->site_count];
		struct xs_result_site *other;

		out->offloads |= is_offload(trace, phase->sites[i].site);
		build_site(result, trace, phase, &phase->sites[i], site);
		other = same_place(out, site);
		xs_build_caller(result, trace, phase->sites[i].site,
				site->calls, other ? other : site);
		if (!other) {
			out->site_count++;
			continue;
		}
		xs_number_add(&other->calls, site->calls);
		xs_number_add(&other->bytes, site->bytes);
	}
	for (size_t i = 0; i < out->site_count; i++)
		xs_result_order_callers(&out->sites[i]);
}

/* Sites with the most bytes first. */
static void build_texts(struct xs_result *result, const struct xs_trace *trace,
			struct xs_result_phase *phase)
{
	for (size_t i = 0; i < phase->site_count && i < SITES_QUOTED; i++) {
		struct xs_result_site *site = &phase->sites[i];

		site->text = xs_source_text(&result->arena, site->file,
					    site->line, trace->end_ns);
	}
}

/* Adds a demangled kernel name once. */
static void add_kernel(struct xs_result *result, const char *mangled,
		       struct xs_result_phase *out)
{
	char *name = xs_symbols_demangle(mangled);

	for (size_t i = 0; name && i < out->kernel_name_count; i++)
		if (strcmp(out->kernel_names[i], name) == 0)
			goto out;
	out->kernel_names[out->kernel_name_count++] =
	    xs_arena_copy(&result->arena, name ? name : mangled);
out:
	free(name);
}

static const char *bare_name(struct xs_arena *arena, const char *name)
{
	size_t length;
	const char *bare = name ? xs_symbols_bare_name(name, &length) : NULL;

	return bare && length ? xs_print(arena, "%.*s", (int)length, bare)
			      : "kernel";
}

static void build_kernels(struct xs_result *result,
			  const struct xs_trace *trace,
			  const struct xs_phase *phase,
			  struct xs_result_phase *out)
{
	bool *seen = xs_calloc(trace->shape_count + 1, sizeof(*seen));

	XS_ARENA_NEW(&result->arena, out->kernel_names, KERNEL_NAMES_MAX);
	for (size_t i = 0;
	     i < phase->step_count && out->kernel_name_count < KERNEL_NAMES_MAX;
	     i++) {
		uint32_t shape = phase->steps[i].shape;

		if (phase->steps[i].kind != XS_STEP_KERNEL ||
		    shape >= trace->shape_count || seen[shape])
			continue;
		seen[shape] = true;
		if (trace->shapes[shape].name < trace->string_count)
			add_kernel(result,
				   trace->strings[trace->shapes[shape].name],
				   out);
	}
	free(seen);
	if (out->kernel_name_count)
		out->kernel_label =
		    bare_name(&result->arena, out->kernel_names[0]);
}

/* Counts the streams of a round's copies and kernels, and finds the issue
 * order: chunk by chunk (depth) or stage by stage (breadth). */
static void build_streams(const struct xs_trace *trace,
			  const struct xs_phase *phase,
			  struct xs_result_phase *out)
{
	bool *seen = xs_calloc(trace->queue_count + 1, sizeof(*seen));
	size_t first_kernel = phase->step_count, last_h2d = 0;
	int64_t streams = 0;

	for (size_t i = 0; i < phase->step_count; i++) {
		const struct xs_step *step = &phase->steps[i];

		if (step->kind == XS_STEP_H2D)
			last_h2d = i;
		else if (step->kind == XS_STEP_KERNEL && i < first_kernel)
			first_kernel = i;
		else if (step->kind != XS_STEP_D2H &&
			 step->kind != XS_STEP_KERNEL)
			continue;
		if (step->queue < trace->queue_count && !seen[step->queue]) {
			seen[step->queue] = true;
			streams++;
		}
	}
	free(seen);
	out->streams = streams ? streams : XS_UNKNOWN;
	if (streams > 1 && out->h2d_ops > 1 && out->kernels > 1)
		out->order = first_kernel < last_h2d ? "depth" : "breadth";
}

/* Unknown if all ops have zero time: they were not timed. */
static int64_t timed(uint64_t ops, uint64_t ns)
{
	return ops && !ns ? XS_UNKNOWN : xs_number_bounded(ns);
}

/* Returns the queue of the copies, if all of them are calls that block. The
 * recorded time of allocations beside others has waits of its own. */
static int64_t blocking_queue(const struct xs_phase *phase)
{
	XS_EACH(step, phase->steps, phase->step_count) {
		if ((xs_step_is_copy(step) && step->async) ||
		    xs_step_is_allocation(step))
			return XS_UNKNOWN;
	}
	return phase->copy_queue == XS_NONE ? XS_UNKNOWN : phase->copy_queue;
}

/* Unknown without calls. */
static int64_t blocked_ns(const struct xs_trace *trace,
			  const struct xs_phase *phase)
{
	return trace->call_count ? xs_number_bounded(phase->host_blocked_ns)
				 : XS_UNKNOWN;
}

/* Sets the usual round: the median; or the mean one, without a first one that
 * warms up, if that is less: rounds save no more than they take. */
static void set_usual(const struct xs_phase *phase, struct xs_result_phase *out)
{
	const uint64_t median_ns = phase->round_ns.median_ns;
	const uint64_t warm_up_ns = xs_steady_warm_up_ns(phase);
	const uint64_t rounds = phase->rounds - (warm_up_ns > 0);
	const uint64_t mean_ns =
	    rounds ? (phase->total_ns - warm_up_ns) / rounds : median_ns;

	out->median_ns = xs_number_bounded(median_ns);
	out->round_ns =
	    xs_number_bounded(mean_ns < median_ns ? mean_ns : median_ns);
	out->median_between_ns = xs_number_bounded(phase->between_ns.median_ns);
	out->mean_between_ns = xs_number_bounded(phase->mean_between_ns);
	out->between_ns = xs_result_is_mean(out) ? out->mean_between_ns
						 : out->median_between_ns;
}

void xs_build_phase(struct xs_result *result, const struct xs_trace *trace,
		    const struct xs_phase *phase, struct xs_result_phase *out)
{
	*out = (struct xs_result_phase){
	    .id = phase->id,
	    .rounds = xs_number_bounded(phase->rounds),
	    .all_asked = result->all_asked,
	    .signature = xs_arena_copy(&result->arena, phase->signature),
	    .signature_hash = phase->signature_hash,
	    .device = phase->device,
	    .total_ns = xs_number_bounded(phase->total_ns),
	    .concurrent_ns = xs_number_bounded(phase->concurrent_ns),
	    .queue = phase->queue == XS_NONE ? XS_UNKNOWN : phase->queue,
	    .blocking_queue = blocking_queue(phase),
	    .wall_ns = xs_number_bounded(phase->wall_ns),
	    .warm_up_ns = xs_number_bounded(xs_steady_warm_up_ns(phase)),
	    .first_start_ns = xs_number_bounded(phase->first_start_ns),
	    .h2d_bytes = xs_number_bounded(phase->h2d_bytes),
	    .d2h_bytes = xs_number_bounded(phase->d2h_bytes),
	    .h2d_ops = xs_number_bounded(phase->h2d_ops),
	    .d2h_ops = xs_number_bounded(phase->d2h_ops),
	    .kernels = xs_number_bounded(phase->kernel_ops),
	    .in_sets = phase->in_sets,
	    .round_low_ns = xs_number_bounded(phase->round_ns.p5_ns),
	    .round_high_ns = xs_number_bounded(phase->round_ns.p95_ns),
	    .h2d_ns = timed(phase->h2d_ops, phase->h2d_ns.median_ns),
	    .kernel_ns = timed(phase->kernel_ops, phase->kernel_ns.median_ns),
	    .d2h_ns = timed(phase->d2h_ops, phase->d2h_ns.median_ns),
	    .host_ns = xs_number_bounded(phase->host_ns.median_ns),
	    .host_blocked_ns = blocked_ns(trace, phase),
	    .overlap_ns = xs_number_bounded(phase->overlap_ns),
	    .src_memory = xs_name_memory(phase->src_memory),
	    .dst_memory = xs_name_memory(phase->dst_memory),
	};
	set_usual(phase, out);
	xs_build_counters(phase, &out->counters);
	xs_build_movable(phase, out);
	xs_build_kernel_waits(result, trace, phase, out);
	build_streams(trace, phase, out);
	build_kernels(result, trace, phase, out);
	build_sites(result, trace, phase, out);
	build_texts(result, trace, out);
}
