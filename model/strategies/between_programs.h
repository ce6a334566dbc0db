/* SPDX-License-Identifier: MIT */
/* Errors between programs: of strategies relative to the round, of allocations
 * relative to their time. Written by examples/corpus/errors.py --write. */
#pragma once

/* clang-format off */
#define XS_ERROR_allocations 0.617
#define XS_ERROR_as_is 0.126
#define XS_ERROR_device_initiated 0.196
#define XS_ERROR_mapped 0.160
#define XS_ERROR_pinned 0.020
#define XS_ERROR_resident 0.213
#define XS_ERROR_reuse 0.288
/* clang-format on */
