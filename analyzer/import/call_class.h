/* SPDX-License-Identifier: MIT */
/* The class of a call by the name of its function. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* From preload/api/functions.h and seen_functions.h, by CMake; ends in NULL. */
struct xs_call_class_row {
	const char *function;
	uint8_t call_class;
};
extern const struct xs_call_class_row xs_call_class_rows[];

/* Returns the enum xs_call_class of the functions that the preload library
 * follows, or XS_CALL_OTHER. Suffixes of versions (_v2, _v3020) and of the
 * per-thread default stream do not count. */
uint8_t xs_call_class_of(const char *function);

/* Returns the length of the name without the version of the runtime API that
 * Nsight Systems appends: that of cudaMemcpy for cudaMemcpy_v3020. */
int xs_call_name_length(const char *function);
