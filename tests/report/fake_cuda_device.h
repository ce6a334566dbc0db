/* SPDX-License-Identifier: MIT */
/*
 * A simulated GPU with known costs in virtual time: the driver functions that
 * calibrate calls, and clock_gettime(). It computes times only and copies no
 * memory. Kernels of more than one block fill the GPU and run one after the
 * other.
 */
#pragma once

#include "report/calibrate/cuda_device.h"

/* Costs in ns and ns per byte. */
#define FAKE_CLOCK_KHZ	   1000000 /* one cycle per ns */
#define FAKE_CALL_COPY	   2000.0
#define FAKE_CALL_LAUNCH   3000.0
#define FAKE_CALL_EVENT	   400.0
#define FAKE_CALL_STREAM   4000.0
#define FAKE_CALL_BLOCKING 2500.0 /* beyond L+o + k*G */
#define FAKE_COPY	   1500.0 /* each copy, in addition to its bytes */
#define FAKE_SWITCH	   1000.0 /* an engine switches to another stream */
#define FAKE_G_IN	   0.0180
#define FAKE_G_OUT	   0.0190
#define FAKE_SLOWER	   1.1	 /* a copy while the other way is busy, */
#define FAKE_SLACK	   1.5e6 /* or was so this recently */
#define FAKE_LATENCY	   1200.0
#define FAKE_GAP	   900.0
#define FAKE_AFTER_COPY	   4000.0 /* kernel after a copy on the same stream */
#define FAKE_SYNC	   1500.0
#define FAKE_READ	   0.0200
#define FAKE_FAR	   1200.0 /* a dependent read of host memory, */
#define FAKE_NEAR	   500.0  /* of device memory, */
#define FAKE_L2		   250.0  /* and if the L2 has it */
#define FAKE_IN_FLIGHT	   4096	  /* bytes of a block's dependent reads */
#define FAKE_WRITE	   0.0210
#define FAKE_BOTH	   0.0250
#define FAKE_PART	   1.2	   /* factor per byte for half lines */
#define FAKE_EARLY	   30000.0 /* duration of writes before they queue up */
#define FAKE_HELD	   1.5 /* factor for copies in behind queued writes */
#define FAKE_PARTIAL	   3.0 /* per write of a partial sector */
#define FAKE_APART	   2.0 /* and if they are as far apart as this */
#define FAKE_APART_BYTES   512
#define FAKE_EACH	   0.0001  /* per byte of stride on the device */
#define FAKE_STALL	   50000.0 /* copy in that starts during writes */
#define FAKE_PIN	   2000.0
#define FAKE_PIN_BYTE	   0.5
#define FAKE_REGISTER	   1000.0
#define FAKE_REGISTER_BYTE 0.03
#define FAKE_ALLOCATE	   3000.0
#define FAKE_ALLOCATE_BYTE 0.0002
#define FAKE_FREE	   4000.0
#define FAKE_FREE_BYTE	   0.0003
#define FAKE_TOUCH	   0.4 /* a copy out to untouched pages */
#define FAKE_MAKE_GRAPH	   20000.0
#define FAKE_MAKE_NODE	   700.0
#define FAKE_CALL_GRAPH	   6000.0
#define FAKE_CALL_NODE	   100.0
#define FAKE_GRAPH_LATENCY 1500.0
#define FAKE_NODE_GAP	   600.0
#define FAKE_POLL_HOST	   1300.0
#define FAKE_POLL_DEVICE   140.0
#define FAKE_MAILBOX	   2600.0 /* from an answer to the next request */
#define FAKE_STORE	   600.0  /* a message of 64 bytes, from registers */
#define FAKE_STORE_MESSAGE 700.0  /* from device memory */
#define FAKE_LOAD_MESSAGE  1500.0
#define FAKE_BLOCK_LOAD	   0.17
#define FAKE_BLOCK_STORE   0.04
#define FAKE_L2_BYTES	   (8 << 20)
#define FAKE_BLOCK_FAR	   0.06 /* of what was not read before */
#define FAKE_CALL_BATCH	   2500.0
#define FAKE_CALL_BATCHED  200.0
#define FAKE_BATCH_GAP	   300.0
#define FAKE_PEER	   1100.0 /* a direct copy between two GPUs */
#define FAKE_PEER_BYTE	   0.003
#define FAKE_STAGED	   7000.0 /* the same through the host */
#define FAKE_STAGED_BYTE   0.03

/* L+o of a one-byte copy between events. */
#define FAKE_LO (FAKE_CALL_COPY + FAKE_COPY)

struct fake_faults {
	bool implicit_sync; /* copies out wait for all kernels */
	bool no_pinning;    /* pinned allocations fail after opening */
	bool no_flag;	    /* kernels do not write to the host */
	bool blind;	    /* kernels do not see what the host writes */
	bool writes_queue;  /* mapped writes delay copies in */
	bool alone;	    /* there is no other GPU */
	bool apart;	    /* none can access the other's memory */
	bool shared;	    /* others' work hides what kernels differ by */
};

/* Opens *gpu on the simulated GPU and resets it. */
void fake_cuda_open(struct xs_cuda_device *gpu);

/* Advances the virtual time. */
void fake_cuda_advance_ns(double ns);

/* Active faults; may be changed at any time. */
extern struct fake_faults fake_faults;
