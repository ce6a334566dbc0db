/* SPDX-License-Identifier: MIT */
/* The variables that name the library that CUDA and NVTX load during their
 * initialisation. */
#pragma once

#include <stdbool.h>

#define XS_INJECTION_CUDA "CUDA_INJECTION64_PATH"
#define XS_INJECTION_NVTX "NVTX_INJECTION64_PATH"

/* Sets each variable to our path, unless it names another tool's library. A
 * copy of ours is no other tool's, whatever its name. Returns false if the
 * process already has another copy of this library, which was loaded first and
 * does the work. Call once, in the constructor. */
bool xs_injection_claim(void);

/* Returns the other tool's library that the variable of CUDA named then, or
 * NULL. */
const char *xs_injection_other(void);

/* Returns whether CUDA will load that library, as far as can be told. False if
 * the variable is set to keep tools out, for example to "none". */
bool xs_injection_other_will_load(void);

/* Returns the other tool's library that the variable of NVTX named then and
 * that gets the ranges instead of us; NULL if NVTX will load none, as above. */
const char *xs_injection_other_of_nvtx(void);
