/* SPDX-License-Identifier: MIT */
#pragma once

/* Exports a symbol. Everything else is hidden; libxferspy.map tells the linker
 * the same. */
#define XS_EXPORT __attribute__((visibility("default")))
