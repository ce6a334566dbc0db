/* SPDX-License-Identifier: MIT */
#ifndef XS_PRELOAD_UTIL_EXPORT_H
#define XS_PRELOAD_UTIL_EXPORT_H

/* Exports a symbol. Everything else is hidden; libxferspy.map tells the linker
 * the same. */
#define XS_EXPORT __attribute__((visibility("default")))

#endif
