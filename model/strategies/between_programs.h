/* SPDX-License-Identifier: MIT */
/* Errors between programs: of strategies relative to the round, of allocations
 * relative to their time. Written by examples/corpus/errors.py --write. */
#pragma once

/* clang-format off */
#define XS_ERROR_allocations 0.468
#define XS_ERROR_as_is 0.126
#define XS_ERROR_device_initiated 0.196
#define XS_ERROR_double_buffer 0.025
#define XS_ERROR_mapped 0.128
#define XS_ERROR_pinned 0.011
#define XS_ERROR_resident 0.412
#define XS_ERROR_reuse 0.310
#define XS_ERROR_streams 0.036
/* clang-format on */
