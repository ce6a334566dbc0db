/* SPDX-License-Identifier: MIT */
/* Between the modules and the interpreter. */
#ifndef XS_SIM_MODULE_H
#define XS_SIM_MODULE_H

#include "tests/sim/core.h"
#include "tests/sim/ptx.h"

const struct xs_ptx_kernel *
xs_sim_function_kernel(const struct xs_sim_function *function);

/* The PTX text in a fat binary, its wrapper, or the text itself; to be freed.
 * NULL: none there. */
char *xs_sim_fatbin_ptx(const void *image);

#endif
