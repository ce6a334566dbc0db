/* SPDX-License-Identifier: MIT */
/* What a thread gives back when it ends. */
#ifndef XS_PRELOAD_RECORD_THREAD_END_H
#define XS_PRELOAD_RECORD_THREAD_END_H

#include "preload/trace/thread.h"

/* Unmaps what the thread holds; its records stay in the file. A later
 * destructor that calls CUDA opens the thread again. */
void xs_thread_end(struct xs_thread *thread);

#endif
