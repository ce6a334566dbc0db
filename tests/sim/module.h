/* SPDX-License-Identifier: MIT */
/* Shared by modules and the interpreter. */
#pragma once

#include "tests/sim/core.h"
#include "tests/sim/ptx.h"

const struct xs_ptx_kernel *
xs_sim_function_kernel(const struct xs_sim_function *function);

/* Returns the PTX text of a fat binary, its wrapper, or PTX text. Caller frees
 * it. NULL: no PTX. */
char *xs_sim_fatbin_ptx(const void *image);
