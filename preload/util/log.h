/* SPDX-License-Identifier: MIT */
#pragma once

/* Writes a line of diagnostics if XFERSPY_LOG asks for it. Keeps errno. */
void xs_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
