/* SPDX-License-Identifier: MIT */
#ifndef XS_PRELOAD_CUPTI_CUPTI_FIND_H
#define XS_PRELOAD_CUPTI_CUPTI_FIND_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Finds the libcupti that the process has already loaded, or else loads one:
 * that of XFERSPY_CUPTI, one next to the process's CUDA runtime, on the
 * loader's path, or in the toolkit. It never loads a second one. Returns a
 * handle of dlopen() and stores its path, or returns NULL. *ours: it was not
 * loaded before.
 */
void *xs_cupti_find(char *path, size_t bytes, bool *ours);

#endif
