/* SPDX-License-Identifier: MIT */
/*
 * The lines of Python that call CUDA. A thread that calls C does not move in
 * its own frames of Python, whether or not it holds the interpreter's lock:
 * they are read where they lie, and the lock is never taken.
 */
#ifndef XS_PRELOAD_CALLSTACK_PYTHON_PYTHON_H
#define XS_PRELOAD_CALLSTACK_PYTHON_PYTHON_H

#include "preload/trace/writer.h"

#include <stdbool.h>

/* What a thread knows of its chains: their hashes and sites, in sets of a line
 * of the cache. To write a chain anew takes longer than a launch. */
#define XS_PYTHON_SETS 1024u
#define XS_PYTHON_WAYS 4u

struct xs_python_cache {
	struct xs_python_chain {
		uint64_t hash;
		uint32_t site; /* 0: free */
	} sets[XS_PYTHON_SETS][XS_PYTHON_WAYS];
	uint32_t next_way; /* to be overwritten */
};

/* Looks for an interpreter in the process: 0, -ENOENT, or -ENOTSUP where there
 * is one whose frames are not known, with its version in *version. Takes the
 * loader's lock. */
int xs_python_start(char version[16]);

/*
 * The site of the line that the calling thread is at; the lines that called it
 * are sites, chained by `caller`: `frames` of them (at least 1), and one more
 * where all of these are of the library or of packages. 0: the thread is in no
 * Python, or the trace has no room.
 */
uint32_t xs_python_site(struct xs_writer *writer, struct xs_python_cache *cache,
			unsigned frames);

/* Whether code is the interpreter's own. */
bool xs_python_holds(uintptr_t address);

#endif
