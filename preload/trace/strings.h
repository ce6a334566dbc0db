/* SPDX-License-Identifier: MIT */
/* The ids of the strings of the trace. */
#ifndef XS_PRELOAD_TRACE_STRINGS_H
#define XS_PRELOAD_TRACE_STRINGS_H

#include <stdint.h>

/* Ids below this one are fixed: those of the names of CUDA's functions. */
#define XS_STRINGS_FIRST_ID 512u

/* Returns an id that no other string has. */
uint32_t xs_strings_new_id(void);

#endif
