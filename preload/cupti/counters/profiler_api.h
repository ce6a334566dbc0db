/* SPDX-License-Identifier: MIT */
/* CUPTI's range profiler as it was found in the process: profiler_load.c. Only
 * for profiler.c, which has the only calls of it. */
#pragma once

#include <cupti_result.h>
#include <stdbool.h>

/* From CUDA 12.6.2 on. */
#if __has_include(<cupti_range_profiler.h>)
#define XS_HAVE_RANGE_PROFILER 1

#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#define XS_PROFILER_FUNCTIONS(F)                                               \
	F(cuptiProfilerInitialize)                                             \
	F(cuptiProfilerGetCounterAvailability)                                 \
	F(cuptiDeviceGetChipName)                                              \
	F(cuptiProfilerHostInitialize)                                         \
	F(cuptiProfilerHostDeinitialize)                                       \
	F(cuptiProfilerHostConfigAddMetrics)                                   \
	F(cuptiProfilerHostGetConfigImageSize)                                 \
	F(cuptiProfilerHostGetConfigImage)                                     \
	F(cuptiProfilerHostGetNumOfPasses)                                     \
	F(cuptiProfilerHostEvaluateToGpuValues)                                \
	F(cuptiRangeProfilerEnable)                                            \
	F(cuptiRangeProfilerGetCounterDataSize)                                \
	F(cuptiRangeProfilerCounterDataImageInitialize)                        \
	F(cuptiRangeProfilerSetConfig)                                         \
	F(cuptiRangeProfilerStart)                                             \
	F(cuptiRangeProfilerStop)                                              \
	F(cuptiRangeProfilerDecodeData)                                        \
	F(cuptiRangeProfilerGetCounterDataInfo)                                \
	F(cuptiGetResultString)

#define XS_PROFILER_POINTER(name) __typeof__(&name) name;
extern struct xs_profiler_api {
	XS_PROFILER_FUNCTIONS(XS_PROFILER_POINTER)
} xs_profiler_api;

/* Returns whether the call succeeded. If not, an info record states why, and
 * nothing more is counted. */
bool xs_profiler_succeeded(const char *function, CUptiResult result);
#define XS_PROFILER_CALL(function, params)                                     \
	xs_profiler_succeeded(#function, xs_profiler_api.function(params))

#endif
