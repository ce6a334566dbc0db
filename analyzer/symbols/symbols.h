/* SPDX-License-Identifier: MIT */
/* Call sites to function, file and line, by build id and offset. */
#ifndef XS_ANALYZER_SYMBOLS_SYMBOLS_H
#define XS_ANALYZER_SYMBOLS_SYMBOLS_H

#include "analyzer/read/trace.h"

/*
 * Fills symbol, file and line of each site from the modules' ELF and DWARF
 * (libelf, libdw; separate debug files by build id). A module whose build id
 * differs from the recorded one is left alone. What cannot be found stays
 * NULL, and so do the stubs that the compiler makes for kernels; wrappers in
 * the toolkit's headers have no file. 0 or -ENOMEM.
 */
int xs_symbols_resolve(struct xs_trace *trace);

/*
 * Appends what is known of the sites to the trace file, so that it reads the
 * same where the program's files are not. Sites that the file tells of
 * already are left out. trace was read from path, which nobody writes any
 * more. 0 or -errno; -EINVAL when the trace is not a closed binary one.
 */
int xs_symbols_append(const char *path, const struct xs_trace *trace);

/*
 * The first frame of a site's chain that is the user's own: that has a line,
 * and is of no Python package or library; or else one of those, the lines of
 * Python first; or else one that has a name. Falls back to the first that is
 * not known to be of CUDA's runtime, or the site itself; NULL when there is no
 * such site.
 */
const struct xs_site *xs_symbols_user_site(const struct xs_trace *trace,
					   uint32_t site);

/* The same of the lines of Python alone, whatever else is resolved; NULL: the
 * site has none. */
const struct xs_site *xs_symbols_python_site(const struct xs_trace *trace,
					     uint32_t site);

/* Of a site whose line is the user's own the next frame of the user's, which
 * has a line, too; NULL: none is known. */
const struct xs_site *xs_symbols_user_caller(const struct xs_trace *trace,
					     uint32_t site);

/* Demangled name or a copy; NULL without memory. Caller frees. */
char *xs_symbols_demangle(const char *name);

#endif
