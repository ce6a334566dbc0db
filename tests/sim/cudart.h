/* SPDX-License-Identifier: MIT */
/*
 * The simulated runtime. Each function is one row with its name, its CUPTI
 * callback id, its parameters, and the request to the core. Built as
 * libcudart.so, and as an archive with hidden symbols that replaces NVIDIA's
 * static runtime.
 */
#pragma once

#include "tests/sim/core.h"

#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <cupti.h>

/* Initialises CUDA if needed. Returns 0 or the error. */
int xs_rt_begin(void);
/* Keeps the error for cudaGetLastError. */
void xs_rt_keep_error(int result);

/* As in NVIDIA's runtime, each function calls CUPTI itself: in a statically
 * linked program, one frame lies between CUPTI and the application. */
static inline __attribute__((always_inline)) int
xs_rt_enter(struct xs_sim_call *call)
{
	int rc = xs_rt_begin();

	xs_sim_enter(call);
	return rc;
}

static inline __attribute__((always_inline)) cudaError_t
xs_rt_leave(struct xs_sim_call *call, int result)
{
	xs_rt_keep_error(result);
	return (cudaError_t)xs_sim_leave(call, result);
}

/* The driver is called some frames further down. */
void libcudart_static_enter_driver(struct xs_sim_call *call);
int libcudart_static_leave_driver(struct xs_sim_call *call, int result);

/* Returns the stream of a handle. The default one is the per-thread one in code
 * built for per-thread default streams. */
struct xs_sim_stream *xs_rt_stream(cudaStream_t handle, bool per_thread);
/* Returns the device address of a __device__ or __constant__ variable, or
 * NULL. */
char *xs_rt_symbol(const void *symbol, size_t *bytes);

/* A driver call inside a call of the runtime, as the driver's callbacks show
 * it: the result of `body`, its name and its parameters. */
#define RT_IN_DRIVER(function, arguments, body)                                \
	RT_IN_DRIVER_ROW(function, arguments, body,                            \
			 per_thread                                            \
			     ? CUPTI_DRIVER_TRACE_CBID_##function##_ptsz       \
			     : CUPTI_DRIVER_TRACE_CBID_##function)
/* The same for a function without a twin. */
#define RT_IN_DRIVER_API(function, arguments, body)                            \
	RT_IN_DRIVER_ROW(function, arguments, body,                            \
			 CUPTI_DRIVER_TRACE_CBID_##function)
#define RT_IN_DRIVER_ROW(function, arguments, body, id)                        \
	({                                                                     \
		function##_params drv_params = {RT_LIST arguments};            \
		struct xs_sim_call drv_call = {                                \
		    .domain = CUPTI_CB_DOMAIN_DRIVER_API,                      \
		    .cbid = (id),                                              \
		    .name = #function,                                         \
		    .params = &drv_params,                                     \
		};                                                             \
		libcudart_static_enter_driver(&drv_call);                      \
		libcudart_static_leave_driver(&drv_call, (int)(body));         \
	})

#define RT_CALL(id, params_)                                                   \
	{                                                                      \
		.domain = CUPTI_CB_DOMAIN_RUNTIME_API,                         \
		.cbid = CUPTI_RUNTIME_TRACE_CBID_##id, .name = __func__,       \
		.params = (params_)                                            \
	}
#define RT_LIST(...) __VA_ARGS__

#define RT_ROW(symbol, id, parameters, arguments, thread, body)                \
	cudaError_t CUDARTAPI symbol parameters                                \
	{                                                                      \
		const bool per_thread = (thread);                              \
		id##_params rt_params = {RT_LIST arguments};                   \
		struct xs_sim_call rt_call = RT_CALL(id, &rt_params);          \
		int rt_rc = xs_rt_enter(&rt_call);                             \
                                                                               \
		(void)per_thread;                                              \
		return xs_rt_leave(&rt_call, rt_rc ? rt_rc : (int)(body));     \
	}

/* A function without a twin. */
#define RT_API(name, version, parameters, arguments, body)                     \
	RT_ROW(name, name##_##version, parameters, arguments, false, body)

/* A function without parameters. */
#define RT_API_VOID(name, version, body)                                       \
	cudaError_t CUDARTAPI name(void)                                       \
	{                                                                      \
		struct xs_sim_call rt_call = RT_CALL(name##_##version, NULL);  \
		int rt_rc = xs_rt_enter(&rt_call);                             \
                                                                               \
		return xs_rt_leave(&rt_call, rt_rc ? rt_rc : (int)(body));     \
	}

/* A function with a twin for per-thread default streams. */
#define RT_TWINS(name, version, suffix, parameters, arguments, body)           \
	cudaError_t CUDARTAPI name##_##suffix parameters;                      \
	RT_ROW(name, name##_##version, parameters, arguments, false, body)     \
	RT_ROW(name##_##suffix, name##_##suffix##_v7000, parameters,           \
	       arguments, true, body)
/* The same, if the twin has another version. */
#define RT_TWINS_OF(name, version, suffix, parameters, arguments, body)        \
	cudaError_t CUDARTAPI name##_##suffix parameters;                      \
	RT_ROW(name, name##_##version, parameters, arguments, false, body)     \
	RT_ROW(name##_##suffix, name##_##suffix##_##version, parameters,       \
	       arguments, true, body)
