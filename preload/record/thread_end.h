/* SPDX-License-Identifier: MIT */
/* Releases a thread's state when it ends. */
#ifndef XS_PRELOAD_RECORD_THREAD_END_H
#define XS_PRELOAD_RECORD_THREAD_END_H

#include "preload/trace/thread.h"

/* Unmaps the thread's memory; its records stay in the file. If a later
 * destructor calls CUDA, the thread is opened again. */
void xs_thread_end(struct xs_thread *thread);

#endif
