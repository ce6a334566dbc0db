/* SPDX-License-Identifier: MIT */
#ifndef XS_PRELOAD_UTIL_EXPORT_H
#define XS_PRELOAD_UTIL_EXPORT_H

/* Everything else is hidden; libxferspy.map says the same to the linker. */
#define XS_EXPORT __attribute__((visibility("default")))

#endif
