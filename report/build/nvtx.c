/* SPDX-License-Identifier: MIT */
#include "report/build/build.h"

#include "analyzer/timeline/nvtx_sums.h"

static void fill_range(struct xs_result *result, const struct xs_trace *trace,
		       const struct xs_nvtx_sum *sum,
		       struct xs_result_range *out)
{
	const uint64_t *total = sum->total;
	const bool gpu = trace->op_count > 0;

#define GPU(measure)                                                           \
	(gpu ? xs_number_bounded(total[XS_NVTX_##measure]) : XS_UNKNOWN)
	*out = (struct xs_result_range){
	    .name = xs_build_string(result, trace, sum->name),
	    .domain = xs_build_string(result, trace, sum->domain),
	    .process = sum->process,
	    .count = xs_number_bounded(sum->count),
	    .total_ns = xs_number_bounded(total[XS_NVTX_NS]),
	    .range_ns = xs_number_bounded(sum->median_ns),
	    .h2d_bytes = GPU(H2D_BYTES),
	    .d2h_bytes = GPU(D2H_BYTES),
	    .kernels = GPU(KERNELS),
	    .h2d_ns = GPU(H2D_NS),
	    .kernel_ns = GPU(KERNEL_NS),
	    .d2h_ns = GPU(D2H_NS),
	    .host_blocked_ns = xs_number_bounded(total[XS_NVTX_BLOCKED_NS]),
	};
#undef GPU
	if (!out->name)
		out->name = "";
}

static const char *missing(const struct xs_trace *trace)
{
	if (trace->nvtx_count)
		return NULL;
	if (trace->lost_nvtx)
		return "all NVTX ranges were lost";
	return "the program ended no NVTX range while calls were recorded";
}

void xs_build_nvtx(struct xs_result *result, const struct xs_trace *trace)
{
	struct xs_result_nvtx *out =
	    xs_arena_alloc(&result->arena, 1, sizeof(*out));
	struct xs_nvtx_sums sums = {0};

	xs_nvtx_sums_build(trace, &sums);
	out->lost = xs_number_bounded(trace->lost_nvtx);
	out->missing = missing(trace);
	XS_ARENA_NEW(&result->arena, out->ranges, sums.count + 1);
	for (size_t i = 0; i < sums.count; i++)
		fill_range(result, trace, &sums.items[i],
			   &out->ranges[out->count++]);
	xs_nvtx_sums_free(&sums);
	result->nvtx = out;
}
