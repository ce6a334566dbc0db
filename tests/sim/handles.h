/* SPDX-License-Identifier: MIT */
/* Streams and events of the runtime and of the driver, whose handles and errors
 * are the same. */
#pragma once

#include "tests/sim/core.h"

#include <cuda.h>

static inline struct xs_sim_event *event_of(CUevent event)
{
	return (struct xs_sim_event *)(void *)event;
}

static inline int create_stream(CUstream *stream, unsigned flags)
{
	*stream = (CUstream)(void *)xs_sim_stream_create(flags);
	return *stream ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static inline int destroy_stream(CUstream stream)
{
	if (stream <= CU_STREAM_PER_THREAD)
		return CUDA_ERROR_INVALID_HANDLE;
	xs_sim_stream_destroy(xs_sim_stream_get(stream));
	return CUDA_SUCCESS;
}

static inline int synchronize_stream(struct xs_sim_stream *stream)
{
	xs_sim_stream_wait(stream);
	return CUDA_SUCCESS;
}

static inline int create_event(CUevent *event)
{
	*event = (CUevent)(void *)xs_sim_event_create();
	return *event ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static inline int destroy_event(CUevent event)
{
	if (!event)
		return CUDA_ERROR_INVALID_HANDLE;
	xs_sim_event_destroy(event_of(event));
	return CUDA_SUCCESS;
}

static inline int synchronize_event(CUevent event)
{
	if (!event)
		return CUDA_ERROR_INVALID_HANDLE;
	xs_sim_event_wait(event_of(event));
	return CUDA_SUCCESS;
}
