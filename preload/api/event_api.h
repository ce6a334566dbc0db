/* SPDX-License-Identifier: MIT */
/*
 * The driver's functions for timing calls with events. The driver's and not the
 * runtime's: a process has one driver and often several runtimes, a stream
 * handle of a runtime is the driver's, and errors of our driver calls do not
 * appear in the application's cudaGetLastError().
 */
#pragma once

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

/* Returns whether the process has a driver with all required functions; cheap
 * once it has. Thread-safe. */
bool xs_event_api_find(void);
