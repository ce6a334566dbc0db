/* SPDX-License-Identifier: MIT */
#ifndef XS_PRELOAD_UTIL_LOG_H
#define XS_PRELOAD_UTIL_LOG_H

/* Writes a line of diagnostics if XFERSPY_LOG asks for it. Keeps errno. */
void xs_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
