/* SPDX-License-Identifier: MIT */
/* Resolves call sites to function, file and line, by build id and offset. */
#pragma once

#include "analyzer/read/trace.h"

/*
 * Fills symbol, file and line of each site from the modules' ELF and DWARF,
 * including separate debug files found by build id. Skips a module whose build
 * id differs from the recorded one. Fields that cannot be resolved stay NULL;
 * so do those of compiler-generated kernel stubs. Wrappers in the toolkit's
 * headers get no file.
 */
void xs_symbols_resolve(struct xs_trace *trace);

/*
 * Appends the resolved sites to the trace file, so that it can be read where
 * the program's files are missing. Skips sites that have a source record
 * already. trace was read from path, and no other process may write to it.
 * Returns 0 or -errno; -EINVAL when the trace is not a closed binary one.
 */
int xs_symbols_append(const char *path, const struct xs_trace *trace);

/*
 * Returns the first frame of a site's chain that belongs to the user: one with
 * a line outside packages and libraries; else one with a line, Python
 * before others; else one with a name. Falls back to the first frame outside
 * the CUDA runtime, or to the site itself. NULL when there is no such site.
 */
const struct xs_site *xs_symbols_user_site(const struct xs_trace *trace,
					   uint32_t site);

/* Returns whether the source file is one of a crate, of a module of Go, of Go's
 * runtime or of Kokkos, which users rarely change. */
bool xs_symbols_is_library(const char *path);

/* Returns whether the frame is one of Python, with its line. */
bool xs_symbols_is_python(const struct xs_site *site);

/* Returns the first frame with a Python line, by the same preference; NULL
 * without one. */
const struct xs_site *xs_symbols_python_site(const struct xs_trace *trace,
					     uint32_t site);

/* For a site whose line belongs to the user, returns the user's next frame that
 * has a line; NULL when unknown. */
const struct xs_site *xs_symbols_user_caller(const struct xs_trace *trace,
					     uint32_t site);

/* Returns the demangled name, or a copy of a name that is not mangled.
 * Caller frees. */
char *xs_symbols_demangle(const char *name);

/* Returns the last component of a demangled C++ name, without its return type,
 * namespaces, template arguments and parameters; *length: its bytes, which may
 * be 0. */
const char *xs_symbols_bare_name(const char *name, size_t *length);
