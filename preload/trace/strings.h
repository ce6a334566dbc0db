/* SPDX-License-Identifier: MIT */
/* Allocates the ids of strings in the trace. */
#pragma once

#include <stdint.h>

/* Ids below this one are reserved for the names of CUDA functions. */
#define XS_STRINGS_FIRST_ID 512u

/* Returns an id that no other string has. */
uint32_t xs_strings_new_id(void);
