/* SPDX-License-Identifier: MIT */
/* CUDA_INJECTION64_PATH: the library that CUDA loads when it sets itself up. */
#ifndef XS_PRELOAD_UTIL_INJECTION_H
#define XS_PRELOAD_UTIL_INJECTION_H

#include <stdbool.h>

/*
 * Points it at us where it is nobody's, and leaves it to another tool whose it
 * is. False where the process has another copy of us already, that was loaded
 * first and does the work. Once, in the constructor.
 */
bool xs_injection_claim(void);

/* The library of another tool that it named then, or NULL. */
const char *xs_injection_other(void);

/* Whether CUDA will load it, as far as one can tell. Not where the variable is
 * set to keep tools out, as by "none". */
bool xs_injection_other_comes(void);

#endif
