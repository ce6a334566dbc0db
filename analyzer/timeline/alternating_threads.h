/* SPDX-License-Identifier: MIT */
/* Threads that take turns, such as a training loop's and autograd's, which
 * issue a step's work to one stream, or JAX's, whose streams wait for each
 * other's events. */
#pragma once

#include "analyzer/read/trace.h"

/*
 * Gives the calls and NVTX ranges of threads that take turns the thread id of
 * the one whose op was first. Threads take turns if they issue ops to a common
 * queue, or a stream of one waits for an event of another one, hardly any call
 * of one begins within a call of another, and each had several turns. Calls of
 * threads that only copy, such as JAX's pool, may lie anywhere. Calls and ops
 * have to be joined.
 */
void xs_alternating_threads_join(struct xs_trace *trace);
