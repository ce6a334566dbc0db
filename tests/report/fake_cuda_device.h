/* SPDX-License-Identifier: MIT */
/*
 * A GPU whose every cost is known, in virtual time: the functions of the CUDA
 * driver that calibrate calls, and clock_gettime in place of the system's.
 * Only the arithmetic of time is here; no memory is copied. Kernels of more
 * than one block fill the GPU: they run one after the other.
 */
#ifndef XS_TESTS_REPORT_FAKE_CUDA_DEVICE_H
#define XS_TESTS_REPORT_FAKE_CUDA_DEVICE_H

#include "report/calibrate/cuda_device.h"

/* What things cost, in ns and ns a byte. */
#define FAKE_CLOCK_KHZ	   1000000 /* one cycle a ns */
#define FAKE_CALL_COPY	   2000.0
#define FAKE_CALL_LAUNCH   3000.0
#define FAKE_CALL_EVENT	   400.0
#define FAKE_CALL_STREAM   4000.0
#define FAKE_CALL_BLOCKING 2500.0 /* beyond L+o + k*G */
#define FAKE_COPY	   1500.0 /* each copy beyond its bytes */
#define FAKE_SWITCH	   1000.0 /* an engine turns to another stream */
#define FAKE_G_IN	   0.0180
#define FAKE_G_OUT	   0.0190
#define FAKE_SLOWER	   1.1	 /* a copy, while the other way is busy, */
#define FAKE_SLACK	   1.5e6 /* or was so shortly before */
#define FAKE_LATENCY	   1200.0
#define FAKE_GAP	   900.0
#define FAKE_AFTER_COPY	   4000.0 /* a kernel, on the copy's stream */
#define FAKE_SYNC	   1500.0
#define FAKE_READ	   0.0200
#define FAKE_WRITE	   0.0210
#define FAKE_BOTH	   0.0250
#define FAKE_PART	   1.2	   /* more a byte, of half a line */
#define FAKE_EARLY	   30000.0 /* of writes that are to queue up */
#define FAKE_HELD	   1.5	   /* copies in behind those that have */
#define FAKE_PARTIAL	   3.0	   /* each write of a part of a sector */
#define FAKE_EACH	   0.0001  /* a byte between places on the device */
#define FAKE_STALL	   50000.0 /* a copy in that starts under writes */
#define FAKE_PIN	   2000.0
#define FAKE_PIN_BYTE	   0.5
#define FAKE_REGISTER	   1000.0
#define FAKE_REGISTER_BYTE 0.03

/* L+o as events around a copy of one byte see it. */
#define FAKE_LO (FAKE_CALL_COPY + FAKE_COPY)

struct fake_faults {
	bool implicit_sync; /* copies out wait for all kernels */
	bool no_pinning;    /* pinned allocations after opening fail */
	bool no_flag;	    /* kernels never write to the host */
	bool writes_queue;  /* mapped writes hold up copies in after a while,
			     * and those that start later at once */
};

/* Opens *gpu on the fake, which starts anew. */
void fake_cuda_open(struct xs_cuda_device *gpu);

/* Lets time pass. */
void fake_cuda_advance_ns(double ns);

/* The faults in force; change them at any time. */
extern struct fake_faults fake_faults;

#endif
