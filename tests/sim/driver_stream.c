/* SPDX-License-Identifier: MIT */
/* The driver API: streams and events. */
#include "tests/sim/driver.h"
#include "tests/sim/handles.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static _Atomic unsigned exchanges;

__attribute__((destructor)) static void tell_exchanges(void)
{
	if (getenv("XS_SIM_EXCHANGES"))
		fprintf(stderr, "capture modes exchanged: %u\n",
			atomic_load(&exchanges));
}

static int exchange_mode(CUstreamCaptureMode *mode)
{
	atomic_fetch_add(&exchanges, 1);
	*mode = (CUstreamCaptureMode)xs_sim_capture_exchange_mode((int)*mode);
	return CUDA_SUCCESS;
}

static int capture_status(const struct xs_sim_stream *stream,
			  CUstreamCaptureStatus *status)
{
	if (stream->legacy && xs_sim_capture_forbids_legacy(false))
		return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
	*status = stream->capture ? CU_STREAM_CAPTURE_STATUS_ACTIVE
				  : CU_STREAM_CAPTURE_STATUS_NONE;
	return CUDA_SUCCESS;
}

DRV_API(cuStreamCreate, (CUstream * phStream, unsigned int Flags),
	(phStream, Flags), create_stream(phStream, Flags))
DRV_API(cuStreamDestroy_v2, (CUstream hStream), (hStream),
	destroy_stream(hStream))
DRV_TWINS(cuStreamSynchronize, ptsz, (CUstream hStream), (hStream),
	  synchronize_stream(DRV_STREAM(hStream)))
DRV_TWINS(cuStreamIsCapturing, ptsz,
	  (CUstream hStream, CUstreamCaptureStatus *captureStatus),
	  (hStream, captureStatus),
	  capture_status(DRV_STREAM(hStream), captureStatus))
DRV_TWINS(cuStreamWaitEvent, ptsz,
	  (CUstream hStream, CUevent hEvent, unsigned int Flags),
	  (hStream, hEvent, Flags),
	  xs_sim_event_issue(XS_SIM_WAIT, event_of(hEvent),
			     DRV_STREAM(hStream)))
DRV_API(cuThreadExchangeStreamCaptureMode, (CUstreamCaptureMode * mode), (mode),
	exchange_mode(mode))
DRV_API(cuEventCreate, (CUevent * phEvent, unsigned int Flags),
	(phEvent, Flags), create_event(phEvent))
DRV_API(cuEventDestroy_v2, (CUevent hEvent), (hEvent), destroy_event(hEvent))
DRV_TWINS(cuEventRecord, ptsz, (CUevent hEvent, CUstream hStream),
	  (hEvent, hStream),
	  xs_sim_event_issue(XS_SIM_RECORD, event_of(hEvent),
			     DRV_STREAM(hStream)))
DRV_API(cuEventSynchronize, (CUevent hEvent), (hEvent),
	synchronize_event(hEvent))
DRV_API(cuEventQuery, (CUevent hEvent), (hEvent),
	xs_sim_event_query(event_of(hEvent)))
#if CUDA_VERSION >= 12080
DRV_API(cuEventElapsedTime_v2,
	(float *pMilliseconds, CUevent hStart, CUevent hEnd),
	(pMilliseconds, hStart, hEnd),
	xs_sim_event_elapsed(event_of(hStart), event_of(hEnd), pMilliseconds))
#endif
/* Undo cuda.h's macro, which is meant for callers. */
#undef cuEventElapsedTime
DRV_API(cuEventElapsedTime,
	(float *pMilliseconds, CUevent hStart, CUevent hEnd),
	(pMilliseconds, hStart, hEnd),
	xs_sim_event_elapsed(event_of(hStart), event_of(hEnd), pMilliseconds))
