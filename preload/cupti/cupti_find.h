/* SPDX-License-Identifier: MIT */
#ifndef XS_PRELOAD_CUPTI_CUPTI_FIND_H
#define XS_PRELOAD_CUPTI_CUPTI_FIND_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The process's own libcupti if it has one, else one that is loaded now: what
 * XFERSPY_CUPTI names, beside the process's CUDA runtime, on the loader's path,
 * in the toolkit. Never a second one. A handle of dlopen(), and in `path` where
 * it came from; NULL when there is none. `ours`: it was not there before.
 */
void *xs_cupti_find(char *path, size_t bytes, bool *ours);

#endif
