/* SPDX-License-Identifier: MIT */
/* The simulated driver API, one row per function, as in cudart.h. The CUresult
 * and cudaError_t values that the core uses are equal. */
#pragma once

#include "tests/sim/internal.h"

#include <cupti.h>

/* Returns CUDA_ERROR_NOT_INITIALIZED before cuInit; otherwise calls CUPTI. */
int xs_drv_enter(struct xs_sim_call *call);

#define DRV_CALL(symbol, params_)                                              \
	{                                                                      \
		.domain = CUPTI_CB_DOMAIN_DRIVER_API,                          \
		.cbid = CUPTI_DRIVER_TRACE_CBID_##symbol, .name = __func__,    \
		.params = (params_)                                            \
	}
#define DRV_LIST(...) __VA_ARGS__

#define DRV_ROW(symbol, thread, parameters, arguments, body)                   \
	XS_SIM_API CUresult CUDAAPI symbol parameters;                         \
	CUresult CUDAAPI symbol parameters                                     \
	{                                                                      \
		const bool per_thread = (thread);                              \
		symbol##_params drv_params = {DRV_LIST arguments};             \
		struct xs_sim_call drv_call = DRV_CALL(symbol, &drv_params);   \
		int drv_rc = xs_drv_enter(&drv_call);                          \
                                                                               \
		(void)per_thread;                                              \
		return (CUresult)xs_sim_leave(&drv_call,                       \
					      drv_rc ? drv_rc : (int)(body));  \
	}

/* A function with one form, and one with a twin for per-thread streams. */
#define DRV_API(symbol, parameters, arguments, body)                           \
	DRV_ROW(symbol, false, parameters, arguments, body)
#define DRV_TWINS(symbol, suffix, parameters, arguments, body)                 \
	DRV_ROW(symbol, false, parameters, arguments, body)                    \
	DRV_ROW(symbol##_##suffix, true, parameters, arguments, body)

/* The stream of a handle, in a body. */
#define DRV_STREAM(handle)                                                     \
	xs_sim_stream_get((handle) || !per_thread ? (handle)                   \
						  : CU_STREAM_PER_THREAD)
