/* SPDX-License-Identifier: MIT */
/* CUDA_INJECTION64_PATH: the library that CUDA loads during its
 * initialisation. */
#ifndef XS_PRELOAD_UTIL_INJECTION_H
#define XS_PRELOAD_UTIL_INJECTION_H

#include <stdbool.h>

/* Sets the variable to our path, unless it names another tool's library.
 * Returns false if the process already has another copy of this library, which
 * was loaded first and does the work. Call once, in the constructor. */
bool xs_injection_claim(void);

/* Returns the other tool's library that the variable named then, or NULL. */
const char *xs_injection_other(void);

/* Returns whether CUDA will load that library, as far as can be told. False if
 * the variable is set to keep tools out, for example to "none". */
bool xs_injection_other_will_load(void);

#endif
