/* SPDX-License-Identifier: MIT */
/*
 * The NVTX ranges that the program opens and closes. They name its code: they
 * are not the recorded range of XFERSPY_RANGE.
 *
 * A range is written when it ends, if calls were recorded when it began, or
 * CUDA had not started, and are recorded then. A range that has not ended when
 * the process does is not in the trace. All functions keep errno, have no
 * cancellation point and may be called in signal handlers.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Prepares. Returns false if there is no memory. */
bool xs_nvtx_ranges_open(void);

/* Returns whether a range that begins now may be written. If not, its name is
 * XS_NVTX_UNWANTED. */
bool xs_nvtx_wants_names(void);
#define XS_NVTX_UNWANTED UINT32_MAX

/* Opens a range of the calling thread, and closes its last one in the domain,
 * if there is one. domain and name: numbers of names; domain 0: the default. */
void xs_nvtx_push(uint32_t domain, uint32_t name);
void xs_nvtx_pop(uint32_t domain);

/* Opens a range of the process. Returns its id, 0 if too many are open. */
uint64_t xs_nvtx_start(uint32_t domain, uint32_t name);

/* Closes it, on any thread. An id that is not open is ignored. */
void xs_nvtx_end(uint64_t id);

/* Returns how many ranges were lost since the last call: too many open ones or
 * names, or no room in the trace. */
uint64_t xs_nvtx_take_lost(void);
