/* SPDX-License-Identifier: MIT */
/* Releases a thread's state when it ends. */
#pragma once

#include "preload/trace/thread.h"

/* Unmaps the thread's memory; its records stay in the file. If a later
 * destructor calls CUDA, the thread is opened again. */
void xs_thread_end(struct xs_thread *thread);
