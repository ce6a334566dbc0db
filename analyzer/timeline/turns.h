/* SPDX-License-Identifier: MIT */
/* Threads that take turns at one stream, such as a training loop's and
 * autograd's: one of them waits while the other issues the work of a step. */
#ifndef XS_ANALYZER_TIMELINE_TURNS_H
#define XS_ANALYZER_TIMELINE_TURNS_H

#include "analyzer/read/trace.h"

/*
 * Gives the calls of threads that take turns the thread id of the one whose op
 * was first. Threads take turns if they issue ops to a common queue, no call of
 * one begins within a call of another, and each had several turns. Calls and
 * ops have to be joined. Returns 0 or -ENOMEM.
 */
int xs_turns_join_threads(struct xs_trace *trace);

#endif
