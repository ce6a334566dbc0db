/* SPDX-License-Identifier: MIT */
/* The runtime's streams and events. */
#include "tests/sim/cudart.h"
#include "tests/sim/handles.h"

#include <stdlib.h>

struct xs_sim_stream *xs_rt_stream(cudaStream_t handle, bool per_thread)
{
	return xs_sim_stream_get(handle || !per_thread ? handle
						       : cudaStreamPerThread);
}

static int launch_host(struct xs_sim_stream *stream, cudaHostFn_t function,
		       void *data)
{
	struct xs_sim_op op = {
	    .kind = XS_SIM_HOST,
	    .stream = stream,
	    .host = {function, data},
	};

	return function ? xs_sim_issue(&op) : (int)cudaErrorInvalidValue;
}

/* A call of a callback, which frees it. */
struct callback {
	cudaStreamCallback_t function;
	cudaStream_t stream;
	void *data;
};

static void call_back(void *data)
{
	const struct callback callback = *(struct callback *)data;

	free(data);
	callback.function(callback.stream, cudaSuccess, callback.data);
}

static int add_callback(struct xs_sim_stream *stream,
			const struct callback *callback)
{
	struct callback *kept = malloc(sizeof(*kept));

	if (!kept || !callback->function) {
		free(kept);
		return cudaErrorInvalidValue;
	}
	*kept = *callback;
	return launch_host(stream, call_back, kept);
}

#define STREAM xs_rt_stream(stream, per_thread)

RT_API(cudaStreamCreate, v3020, (cudaStream_t * pStream), (pStream),
       create_stream(pStream, 0))
RT_API(cudaStreamCreateWithFlags, v5000,
       (cudaStream_t * pStream, unsigned int flags), (pStream, flags),
       create_stream(pStream, flags))
RT_API(cudaStreamDestroy, v5050, (cudaStream_t stream), (stream),
       destroy_stream(stream))
RT_TWINS(cudaStreamSynchronize, v3020, ptsz, (cudaStream_t stream), (stream),
	 synchronize_stream(STREAM))
RT_TWINS(cudaStreamQuery, v3020, ptsz, (cudaStream_t stream), (stream),
	 xs_sim_stream_done(STREAM) ? cudaSuccess : cudaErrorNotReady)
RT_TWINS(cudaStreamWaitEvent, v3020, ptsz,
	 (cudaStream_t stream, cudaEvent_t event, unsigned int flags),
	 (stream, event, flags),
	 xs_sim_event_issue(XS_SIM_WAIT, event_of(event), STREAM))
RT_API(cudaEventCreate, v3020, (cudaEvent_t * event), (event),
       create_event(event))
RT_API(cudaEventCreateWithFlags, v3020,
       (cudaEvent_t * event, unsigned int flags), (event, flags),
       create_event(event))
RT_API(cudaEventDestroy, v3020, (cudaEvent_t event), (event),
       destroy_event(event))
RT_TWINS(cudaEventRecord, v3020, ptsz, (cudaEvent_t event, cudaStream_t stream),
	 (event, stream),
	 xs_sim_event_issue(XS_SIM_RECORD, event_of(event), STREAM))
RT_API(cudaEventSynchronize, v3020, (cudaEvent_t event), (event),
       synchronize_event(event))
RT_API(cudaEventQuery, v3020, (cudaEvent_t event), (event),
       xs_sim_event_query(event_of(event)))
#if CUDART_VERSION >= 13000
#define ELAPSED(...) RT_API(cudaEventElapsedTime, v12080, __VA_ARGS__)
#else
#define ELAPSED(...) RT_API(cudaEventElapsedTime, v3020, __VA_ARGS__)
#endif
ELAPSED((float *ms, cudaEvent_t start, cudaEvent_t end), (ms, start, end),
	xs_sim_event_elapsed(event_of(start), event_of(end), ms))
RT_TWINS_OF(cudaLaunchHostFunc, v10000, ptsz,
	    (cudaStream_t stream, cudaHostFn_t fn, void *userData),
	    (stream, fn, userData), launch_host(STREAM, fn, userData))
RT_TWINS(cudaStreamAddCallback, v5000, ptsz,
	 (cudaStream_t stream, cudaStreamCallback_t callback, void *userData,
	  unsigned int flags),
	 (stream, callback, userData, flags),
	 add_callback(STREAM, &(struct callback){callback, stream, userData}))
