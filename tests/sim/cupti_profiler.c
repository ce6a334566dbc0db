/* SPDX-License-Identifier: MIT */
/* The range profiler: counts kernels one by one, in one pass. */
#include "tests/sim/cupti_sim.h"

#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <stdlib.h>
#include <string.h>

#define MOST_METRICS 12

static const struct {
	const char *name;
	size_t offset;
} known[] = {
#define METRIC(name, field)                                                    \
	{                                                                      \
		name, offsetof(struct xs_sim_counts, field)                    \
	}
    METRIC("lts__t_sectors_srcunit_tex_op_read.sum", sectors_read),
    METRIC("lts__t_sectors_srcunit_tex_op_write.sum", sectors_written),
    METRIC("lts__t_requests_srcunit_tex_op_read.sum", requests_read),
    METRIC("lts__t_requests_srcunit_tex_op_write.sum", requests_written),
    METRIC("lts__t_sectors_srcunit_tex_aperture_sysmem_op_read.sum",
	   host_sectors_read),
    METRIC("lts__t_sectors_srcunit_tex_aperture_sysmem_op_write.sum",
	   host_sectors_written),
    METRIC("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum",
	   sectors_read),
    METRIC("smsp__inst_executed.sum", instructions),
    METRIC("smsp__warps_issue_stalled_long_scoreboard.sum", waiting_cycles),
    METRIC("smsp__warps_active.sum", warp_cycles),
    METRIC("smsp__inst_executed_op_global_st.sum", stores),
    METRIC("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", sectors_written),
#undef METRIC
};

struct CUpti_Profiler_Host_Object {
	size_t metrics;
};

struct config {
	size_t metrics;
};

struct data {
	size_t ranges;
	struct xs_sim_counts counts;
};

struct CUpti_RangeProfiler_Object {
	int device;
	bool started;
	struct xs_sim_counts counts;
	struct data *data;
};

static struct CUpti_RangeProfiler_Object profilers[XS_SIM_MAX_DEVICES];

/* XS_SIM_CUPTI_COUNTERS_FAIL: as for a user without permission. */
static bool is_allowed(void)
{
	return !getenv("XS_SIM_CUPTI_COUNTERS_FAIL");
}

/* XS_SIM_CUPTI_COUNTERS: number of metrics counted at once. */
static size_t metrics_per_pass(void)
{
	const char *text = getenv("XS_SIM_CUPTI_COUNTERS");

	return text ? strtoul(text, NULL, 10) : MOST_METRICS;
}

CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params *p)
{
	return p->structSize ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult cuptiProfilerGetCounterAvailability(
    CUpti_Profiler_GetCounterAvailability_Params *p)
{
	if (!is_allowed())
		return CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
	if (p->pCounterAvailabilityImage)
		memset(p->pCounterAvailabilityImage, 1,
		       p->counterAvailabilityImageSize);
	else
		p->counterAvailabilityImageSize = MOST_METRICS;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params *p)
{
	p->pChipName = "SIM";
	return CUPTI_SUCCESS;
}

CUptiResult
cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params *p)
{
	if (!p->pChipName || strcmp(p->pChipName, "SIM") != 0 ||
	    !p->pCounterAvailabilityImage)
		return CUPTI_ERROR_INVALID_PARAMETER;
	p->pHostObject = calloc(1, sizeof(*p->pHostObject));
	return p->pHostObject ? CUPTI_SUCCESS : CUPTI_ERROR_OUT_OF_MEMORY;
}

CUptiResult
cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params *p)
{
	free(p->pHostObject);
	return CUPTI_SUCCESS;
}

static size_t find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strcmp(known[i].name, name) == 0)
			break;
	return i;
}

CUptiResult cuptiProfilerHostConfigAddMetrics(
    CUpti_Profiler_Host_ConfigAddMetrics_Params *p)
{
	for (size_t i = 0; i < p->numMetrics; i++)
		if (find(p->ppMetricNames[i]) == sizeof(known) / sizeof(*known))
			return CUPTI_ERROR_INVALID_METRIC_NAME;
	p->pHostObject->metrics += p->numMetrics;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetConfigImageSize(
    CUpti_Profiler_Host_GetConfigImageSize_Params *p)
{
	p->configImageSize = sizeof(struct config);
	return CUPTI_SUCCESS;
}

CUptiResult
cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params *p)
{
	const struct config config = {p->pHostObject->metrics};

	if (p->configImageSize != sizeof(config))
		return CUPTI_ERROR_INVALID_PARAMETER;
	memcpy(p->pConfigImage, &config, sizeof(config));
	return CUPTI_SUCCESS;
}

CUptiResult
cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params *p)
{
	const size_t each = metrics_per_pass();
	struct config config;

	memcpy(&config, p->pConfigImage, sizeof(config));
	p->numOfPasses = (config.metrics + each - 1) / each;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostEvaluateToGpuValues(
    CUpti_Profiler_Host_EvaluateToGpuValues_Params *p)
{
	struct data data;

	memcpy(&data, p->pCounterDataImage, sizeof(data));
	if (p->rangeIndex >= data.ranges)
		return CUPTI_ERROR_INVALID_PARAMETER;
	for (size_t i = 0; i < p->numMetrics; i++) {
		size_t metric = find(p->ppMetricNames[i]);
		uint64_t value;

		if (metric == sizeof(known) / sizeof(*known))
			return CUPTI_ERROR_INVALID_METRIC_NAME;
		memcpy(&value, (char *)&data.counts + known[metric].offset,
		       sizeof(value));
		p->pMetricValues[i] = (double)value;
	}
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params *p)
{
	uint32_t device;

	if (!is_allowed())
		return CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
	if (cuptiGetDeviceId(p->ctx, &device) != CUPTI_SUCCESS)
		return CUPTI_ERROR_INVALID_CONTEXT;
	profilers[device].device = (int)device;
	p->pRangeProfilerObject = &profilers[device];
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerGetCounterDataSize(
    CUpti_RangeProfiler_GetCounterDataSize_Params *p)
{
	p->counterDataSize = sizeof(struct data);
	return p->maxNumOfRanges == 1 ? CUPTI_SUCCESS
				      : CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult cuptiRangeProfilerCounterDataImageInitialize(
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params *p)
{
	if (p->counterDataSize != sizeof(struct data))
		return CUPTI_ERROR_INVALID_PARAMETER;
	memset(p->pCounterData, 0, p->counterDataSize);
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params *p)
{
	CUpti_Profiler_Host_GetNumOfPasses_Params passes = {
	    .pConfigImage = (uint8_t *)(uintptr_t)p->pConfig};

	if (p->configSize != sizeof(struct config) ||
	    p->counterDataImageSize != sizeof(struct data) ||
	    p->range != CUPTI_AutoRange || p->maxRangesPerPass != 1)
		return CUPTI_ERROR_INVALID_PARAMETER;
	cuptiProfilerHostGetNumOfPasses(&passes);
	if (passes.numOfPasses != 1)
		return CUPTI_ERROR_NOT_SUPPORTED;
	p->pRangeProfilerObject->data =
	    (struct data *)(void *)p->pCounterDataImage;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params *p)
{
	if (!p->pRangeProfilerObject->data || p->pRangeProfilerObject->started)
		return CUPTI_ERROR_INVALID_OPERATION;
	p->pRangeProfilerObject->started = true;
	xs_sim_count_start(p->pRangeProfilerObject->device);
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params *p)
{
	struct CUpti_RangeProfiler_Object *profiler = p->pRangeProfilerObject;

	if (!profiler->started)
		return CUPTI_ERROR_INVALID_OPERATION;
	profiler->started = false;
	xs_sim_count_stop(profiler->device, &profiler->counts);
	p->isAllPassSubmitted = 1;
	return CUPTI_SUCCESS;
}

CUptiResult
cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params *p)
{
	struct CUpti_RangeProfiler_Object *profiler = p->pRangeProfilerObject;

	profiler->data->ranges = profiler->counts.kernels > 0;
	profiler->data->counts = profiler->counts;
	p->numOfRangeDropped =
	    profiler->counts.kernels - profiler->data->ranges;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerGetCounterDataInfo(
    CUpti_RangeProfiler_GetCounterDataInfo_Params *p)
{
	struct data data;

	memcpy(&data, p->pCounterDataImage, sizeof(data));
	p->numTotalRanges = data.ranges;
	return CUPTI_SUCCESS;
}
