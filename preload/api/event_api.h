/* SPDX-License-Identifier: MIT */
/*
 * The driver's functions that time calls by events. The driver's and not the
 * runtime's: there is one driver in a process and often several runtimes, a
 * runtime's stream is the driver's, and what the driver answers us does not
 * show in the application's cudaGetLastError().
 */
#ifndef XS_PRELOAD_API_EVENT_API_H
#define XS_PRELOAD_API_EVENT_API_H

#include <cuda.h>
#include <stdbool.h>

struct xs_event_api {
	CUresult (*current)(CUcontext *context);
	CUresult (*device)(CUdevice *device);
	CUresult (*create)(CUevent *event, unsigned flags);
	CUresult (*record)(CUevent event, CUstream stream);
	CUresult (*query)(CUevent event);
	CUresult (*elapsed)(float *ms, CUevent from, CUevent to);
	CUresult (*capturing)(CUstream stream, CUstreamCaptureStatus *status);
	CUresult (*exchange_mode)(CUstreamCaptureMode *mode);
	/* These may be NULL: drivers before 12.0 and 12.3 lack them. */
	CUresult (*context_id)(CUcontext context, unsigned long long *id);
	CUresult (*kernel_name)(const char **name, const void *kernel);
};
extern struct xs_event_api xs_event_api;

/* Whether the process has a driver with all that is needed; cheap once it has.
 * For several threads at once. */
bool xs_event_api_find(void);

#endif
