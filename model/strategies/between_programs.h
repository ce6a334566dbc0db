/* SPDX-License-Identifier: MIT */
/* Errors between programs: of strategies relative to the round, of allocations
 * relative to their time. Written by examples/corpus/errors.py --write. */
#pragma once

/* clang-format off */
#define XS_ERROR_allocations 0.636
#define XS_ERROR_as_is 0.120
#define XS_ERROR_device_initiated 0.196
#define XS_ERROR_mapped 0.158
#define XS_ERROR_pinned 0.040
#define XS_ERROR_resident 0.212
#define XS_ERROR_reuse 0.278
/* clang-format on */
