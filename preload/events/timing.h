/* SPDX-License-Identifier: MIT */
/*
 * Times copies, sets and launches without CUPTI, with two events of the driver,
 * one recorded on the call's stream before the call and one after it.
 *
 * All of it runs inside hooks, in the application's threads, which have the
 * right context. Nothing waits for the device: events are read by later calls
 * after the application has waited, or after some calls if they are finished.
 * Capturing streams are not used.
 */
#pragma once

#include "preload/record/open_call.h"

/* Set before calls are recorded, then constant. */
extern bool xs_timing_is_on;

/* Turns timing on. */
void xs_timing_start(void);

/* Call just before the real call. Sets call->timed if the call is recorded and
 * will be timed. */
void xs_timing_begin(struct xs_open_call *call, const void *arguments);

/* Call after the real call returned, at end_ns. Sets the thread's correlation
 * id if the call is timed. */
void xs_timing_end(struct xs_open_call *call, uint64_t end_ns,
		   cudaError_t error, const void *arguments);

/* Returns the number of calls that were not timed since the last call of this
 * function; `last`: including pending ones. */
uint64_t xs_timing_untimed(bool last);

/* Returns the maximum error of the times on the host's clock; 0 if nothing was
 * timed. */
uint64_t xs_timing_error_ns(void);
