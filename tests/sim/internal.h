/* SPDX-License-Identifier: MIT */
/* Internal functions of libcuda.so.1. */
#pragma once

#include "core.h"

#include <pthread.h>

/* cudaError_t values that the core itself returns. */
enum {
	XS_SIM_OK = 0,
	XS_SIM_EVALUE = 1,	  /* cudaErrorInvalidValue */
	XS_SIM_ENOMEM = 2,	  /* cudaErrorMemoryAllocation */
	XS_SIM_EINIT = 3,	  /* cudaErrorInitializationError */
	XS_SIM_ECONFIG = 9,	  /* cudaErrorInvalidConfiguration */
	XS_SIM_EDEVICE = 101,	  /* cudaErrorInvalidDevice */
	XS_SIM_ENOIMAGE = 209,	  /* cudaErrorNoKernelImageForDevice */
	XS_SIM_EHANDLE = 400,	  /* cudaErrorInvalidResourceHandle */
	XS_SIM_ENOTREADY = 600,	  /* cudaErrorNotReady */
	XS_SIM_EREGISTERED = 712, /* cudaErrorHostMemoryAlreadyRegistered */
	XS_SIM_EUNREGISTERED = 713,
	XS_SIM_ECAPTURE = 900,	/* cudaErrorStreamCaptureUnsupported */
	XS_SIM_EBROKEN = 901,	/* cudaErrorStreamCaptureInvalidated */
	XS_SIM_EIMPLICIT = 906, /* cudaErrorStreamCaptureImplicit */
};

/* timeline.c: starts the devices' threads; false if there is no room. */
bool xs_sim_timeline_start(void);
uint32_t xs_sim_correlation(void);
void xs_sim_emit(const struct xs_sim_record *record);
bool xs_sim_graph_launched(unsigned instantiated, uint32_t exec);
/* A module of the device is about to be unloaded. */
void xs_sim_unloading(void);
/* The context of the current device is about to be destroyed. */
void xs_sim_context_ending(void);

/* graph.c: stores an operation of a capture. */
int xs_sim_capture(const struct xs_sim_op *op);

/* What one interpreted kernel did. */
struct xs_sim_work {
	uint64_t instructions; /* instructions of all threads */
	uint64_t bytes;	       /* bytes read and written outside of the SM */
};

/* counts: NULL if the kernel is not counted. */
struct xs_sim_work xs_sim_run(const struct xs_sim_launch *launch,
			      struct xs_sim_counts *counts);

/* counts.c */
/* Counts an access of `bytes` by each lane in the mask. */
void xs_sim_count_access(struct xs_sim_counts *to, bool store,
			 const uintptr_t *at, const uint8_t *mask,
			 size_t bytes);
