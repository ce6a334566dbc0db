/* SPDX-License-Identifier: MIT */
#include "preload/cupti/counters/profiler.h"
#include "preload/cupti/counters/profiler_api.h"
#include "preload/util/log.h"
#include "preload/util/pages.h"

#include <math.h>

#if XS_HAVE_RANGE_PROFILER

#define MAX_CONTEXTS 16

static const char *metric_names[XS_METRICS] = {
    [XS_METRIC_SECTORS_READ] = "lts__t_sectors_srcunit_tex_op_read.sum",
    [XS_METRIC_SECTORS_WRITTEN] = "lts__t_sectors_srcunit_tex_op_write.sum",
    [XS_METRIC_INSTRUCTIONS] = "smsp__inst_executed.sum",
    [XS_METRIC_REQUESTS_READ] = "lts__t_requests_srcunit_tex_op_read.sum",
    [XS_METRIC_REQUESTS_WRITTEN] = "lts__t_requests_srcunit_tex_op_write.sum",
    [XS_METRIC_L1_FILLS] =
	"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum",
    [XS_METRIC_HOST_SECTORS_READ] =
	"lts__t_sectors_srcunit_tex_aperture_sysmem_op_read.sum",
    [XS_METRIC_HOST_SECTORS_WRITTEN] =
	"lts__t_sectors_srcunit_tex_aperture_sysmem_op_write.sum",
    [XS_METRIC_WAITING_CYCLES] =
	"smsp__warps_issue_stalled_long_scoreboard.sum",
    [XS_METRIC_WARP_CYCLES] = "smsp__warps_active.sum",
    [XS_METRIC_STORES] = "smsp__inst_executed_op_global_st.sum",
    [XS_METRIC_STORE_SECTORS] =
	"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
};
static const size_t metric_sets[] = {
    XS_METRICS,		XS_METRIC_WAITING_CYCLES, XS_METRIC_HOST_SECTORS_READ,
    XS_METRIC_L1_FILLS, XS_METRIC_REQUESTS_READ,  XS_METRIC_INSTRUCTIONS};

struct image {
	uint8_t *bytes;
	size_t size;
};

/* The profiler of one context. */
struct xs_profiler {
	uint32_t context_id;
	size_t metrics; /* how many of metric_names, from the first */
	CUpti_Profiler_Host_Object *host;
	CUpti_RangeProfiler_Object *object;
	struct image availability, config, data;
};

static struct xs_profiler profilers[MAX_CONTEXTS];
static size_t profiler_count;

static bool take_image(struct image *image, size_t size)
{
	image->bytes = xs_pages_map(size);
	if (!image->bytes)
		return xs_profiler_succeeded("mmap", CUPTI_ERROR_OUT_OF_MEMORY);
	image->size = size;
	return true;
}

static void drop_image(struct image *image)
{
	if (image->bytes)
		munmap(image->bytes, image->size);
	*image = (struct image){0};
}

static bool read_availability(struct xs_profiler *profiler, CUcontext context)
{
	CUpti_Profiler_GetCounterAvailability_Params p = {
	    .structSize =
		CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE,
	    .ctx = context};

	if (!XS_PROFILER_CALL(cuptiProfilerGetCounterAvailability, &p) ||
	    !take_image(&profiler->availability,
			p.counterAvailabilityImageSize))
		return false;
	p.pCounterAvailabilityImage = profiler->availability.bytes;
	return XS_PROFILER_CALL(cuptiProfilerGetCounterAvailability, &p);
}

static CUptiResult make_host(const char *chip, struct xs_profiler *profiler)
{
	CUpti_Profiler_Host_Initialize_Params p = {
	    .structSize = CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE,
	    .profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER,
	    .pChipName = chip,
	    .pCounterAvailabilityImage = profiler->availability.bytes};
	CUptiResult result = xs_profiler_api.cuptiProfilerHostInitialize(&p);

	profiler->host = p.pHostObject;
	return result;
}

static void drop_host(struct xs_profiler *profiler)
{
	CUpti_Profiler_Host_Deinitialize_Params p = {
	    .structSize = CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE,
	    .pHostObject = profiler->host};

	if (profiler->host)
		xs_profiler_api.cuptiProfilerHostDeinitialize(&p);
	profiler->host = NULL;
	drop_image(&profiler->config);
}

static CUptiResult add_metrics(struct xs_profiler *profiler)
{
	CUpti_Profiler_Host_ConfigAddMetrics_Params add = {
	    .structSize =
		CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE,
	    .pHostObject = profiler->host,
	    .ppMetricNames = metric_names,
	    .numMetrics = profiler->metrics};
	CUpti_Profiler_Host_GetConfigImageSize_Params size = {
	    .structSize =
		CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE,
	    .pHostObject = profiler->host};
	CUpti_Profiler_Host_GetConfigImage_Params get = {
	    .structSize = CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE,
	    .pHostObject = profiler->host};
	CUptiResult result =
	    xs_profiler_api.cuptiProfilerHostConfigAddMetrics(&add);

	if (result == CUPTI_SUCCESS)
		result =
		    xs_profiler_api.cuptiProfilerHostGetConfigImageSize(&size);
	if (result != CUPTI_SUCCESS)
		return result;
	if (!take_image(&profiler->config, size.configImageSize))
		return CUPTI_ERROR_OUT_OF_MEMORY;
	get.configImageSize = profiler->config.size;
	get.pConfigImage = profiler->config.bytes;
	return xs_profiler_api.cuptiProfilerHostGetConfigImage(&get);
}

static size_t passes(const struct xs_profiler *profiler)
{
	CUpti_Profiler_Host_GetNumOfPasses_Params p = {
	    .structSize = CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE,
	    .configImageSize = profiler->config.size,
	    .pConfigImage = profiler->config.bytes};

	if (xs_profiler_api.cuptiProfilerHostGetNumOfPasses(&p) !=
	    CUPTI_SUCCESS)
		return SIZE_MAX;
	return p.numOfPasses;
}

/* Chooses the largest set of metrics that this chip counts in one pass. */
static bool choose_metrics(struct xs_profiler *profiler, uint32_t device)
{
	CUpti_Device_GetChipName_Params chip = {
	    .structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE,
	    .deviceIndex = device};
	CUptiResult result = CUPTI_ERROR_NOT_SUPPORTED;

	if (!XS_PROFILER_CALL(cuptiDeviceGetChipName, &chip))
		return false;
	for (size_t i = 0; i < sizeof(metric_sets) / sizeof(*metric_sets);
	     i++) {
		profiler->metrics = metric_sets[i];
		result = make_host(chip.pChipName, profiler);
		if (result == CUPTI_SUCCESS)
			result = add_metrics(profiler);
		if (result == CUPTI_SUCCESS && passes(profiler) == 1) {
			xs_log("chip %s: %zu metrics in one pass",
			       chip.pChipName, profiler->metrics);
			return true;
		}
		xs_log("chip %s: not %zu metrics in one pass (%d)",
		       chip.pChipName, profiler->metrics, (int)result);
		drop_host(profiler);
	}
	return xs_profiler_succeeded(
	    "cuptiProfilerHostConfigAddMetrics",
	    result == CUPTI_SUCCESS ? CUPTI_ERROR_NOT_SUPPORTED : result);
}

static bool clear_data(const struct xs_profiler *profiler)
{
	CUpti_RangeProfiler_CounterDataImage_Initialize_Params p = {
	    .structSize =
		CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE,
	    .pRangeProfilerObject = profiler->object,
	    .counterDataSize = profiler->data.size,
	    .pCounterData = profiler->data.bytes};

	return XS_PROFILER_CALL(cuptiRangeProfilerCounterDataImageInitialize,
				&p);
}

static bool make_data(struct xs_profiler *profiler)
{
	CUpti_RangeProfiler_GetCounterDataSize_Params p = {
	    .structSize =
		CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE,
	    .pRangeProfilerObject = profiler->object,
	    .pMetricNames = metric_names,
	    .numMetrics = profiler->metrics,
	    .maxNumOfRanges = 1,
	    .maxNumRangeTreeNodes = 1};

	return XS_PROFILER_CALL(cuptiRangeProfilerGetCounterDataSize, &p) &&
	       take_image(&profiler->data, p.counterDataSize) &&
	       clear_data(profiler);
}

/* Each kernel is its own range. With one pass nothing is replayed. */
static bool configure(struct xs_profiler *profiler)
{
	CUpti_RangeProfiler_SetConfig_Params p = {
	    .structSize = CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE,
	    .pRangeProfilerObject = profiler->object,
	    .configSize = profiler->config.size,
	    .pConfig = profiler->config.bytes,
	    .counterDataImageSize = profiler->data.size,
	    .pCounterDataImage = profiler->data.bytes,
	    .range = CUPTI_AutoRange,
	    .replayMode = CUPTI_KernelReplay,
	    .maxRangesPerPass = 1,
	    .numNestingLevels = 1,
	    .minNestingLevel = 1};

	return XS_PROFILER_CALL(cuptiRangeProfilerSetConfig, &p);
}

static bool set_up(struct xs_profiler *profiler, CUcontext context,
		   uint32_t device)
{
	CUpti_Profiler_Initialize_Params init = {
	    .structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
	CUpti_RangeProfiler_Enable_Params enable = {
	    .structSize = CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE,
	    .ctx = context};

	if (!XS_PROFILER_CALL(cuptiProfilerInitialize, &init) ||
	    !read_availability(profiler, context) ||
	    !choose_metrics(profiler, device) ||
	    !XS_PROFILER_CALL(cuptiRangeProfilerEnable, &enable))
		return false;
	profiler->object = enable.pRangeProfilerObject;
	return make_data(profiler) && configure(profiler);
}

struct xs_profiler *xs_profiler_of(CUcontext context, uint32_t context_id,
				   uint32_t device)
{
	struct xs_profiler *profiler;

	for (size_t i = 0; i < profiler_count; i++)
		if (profilers[i].context_id == context_id)
			return &profilers[i];
	if (profiler_count == MAX_CONTEXTS)
		return NULL;
	profiler = &profilers[profiler_count++];
	profiler->context_id = context_id;
	return set_up(profiler, context, device) ? profiler : NULL;
}

bool xs_profiler_start(struct xs_profiler *profiler)
{
	CUpti_RangeProfiler_Start_Params p = {
	    .structSize = CUpti_RangeProfiler_Start_Params_STRUCT_SIZE,
	    .pRangeProfilerObject = profiler->object};

	return XS_PROFILER_CALL(cuptiRangeProfilerStart, &p);
}

/* Returns whether the data belong to exactly one kernel. */
static bool stop(const struct xs_profiler *profiler)
{
	CUpti_RangeProfiler_Stop_Params end = {
	    .structSize = CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE,
	    .pRangeProfilerObject = profiler->object};
	CUpti_RangeProfiler_DecodeData_Params decode = {
	    .structSize = CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE,
	    .pRangeProfilerObject = profiler->object};
	CUpti_RangeProfiler_GetCounterDataInfo_Params info = {
	    .structSize =
		CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE,
	    .pCounterDataImage = profiler->data.bytes,
	    .counterDataImageSize = profiler->data.size};

	if (!XS_PROFILER_CALL(cuptiRangeProfilerStop, &end) ||
	    !XS_PROFILER_CALL(cuptiRangeProfilerDecodeData, &decode) ||
	    !XS_PROFILER_CALL(cuptiRangeProfilerGetCounterDataInfo, &info))
		return false;
	xs_log("%zu ranges, %zu dropped, all passes %d", info.numTotalRanges,
	       decode.numOfRangeDropped, end.isAllPassSubmitted);
	return info.numTotalRanges == 1 && decode.numOfRangeDropped == 0;
}

static bool evaluate(const struct xs_profiler *profiler, double *values)
{
	CUpti_Profiler_Host_EvaluateToGpuValues_Params p = {
	    .structSize =
		CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE,
	    .pHostObject = profiler->host,
	    .pCounterDataImage = profiler->data.bytes,
	    .counterDataImageSize = profiler->data.size,
	    .ppMetricNames = metric_names,
	    .numMetrics = profiler->metrics,
	    .pMetricValues = values};

	return XS_PROFILER_CALL(cuptiProfilerHostEvaluateToGpuValues, &p);
}

bool xs_profiler_stop(struct xs_profiler *profiler, double values[XS_METRICS])
{
	bool counted;

	for (size_t i = 0; i < XS_METRICS; i++)
		values[i] = NAN;
	counted = stop(profiler) && evaluate(profiler, values);
	return (!xs_profiler_works() || clear_data(profiler)) && counted;
}

#else /* an older toolkit */

struct xs_profiler *xs_profiler_of(CUcontext context, uint32_t context_id,
				   uint32_t device)
{
	(void)context, (void)context_id, (void)device;
	return NULL;
}

bool xs_profiler_start(struct xs_profiler *profiler)
{
	(void)profiler;
	return false;
}

bool xs_profiler_stop(struct xs_profiler *profiler, double values[XS_METRICS])
{
	(void)profiler, (void)values;
	return false;
}

#endif
