/* SPDX-License-Identifier: MIT */
/* Finds the lines of Python that call CUDA. While a thread executes C code, its
 * Python frames do not change, whether or not it holds the GIL: they are read
 * in place, and the GIL is never taken. */
#pragma once

#include "preload/trace/writer.h"

#include <stdbool.h>

/* A thread's cache of Python call chains: hash to site, in sets of one cache
 * line. Writing a chain takes longer than a launch. */
#define XS_PYTHON_SETS 1024u
#define XS_PYTHON_WAYS 4u

struct xs_python_cache {
	struct xs_python_chain {
		uint64_t hash;
		uint32_t site; /* 0: free */
	} sets[XS_PYTHON_SETS][XS_PYTHON_WAYS];
	uint32_t next_way; /* next to overwrite */
};

/* Looks for an interpreter in the process. Returns 0; -ENOENT if there is none;
 * -ENOTSUP, with its version in *version, if its frame layout is unknown. Takes
 * the loader's lock. */
int xs_python_start(char version[16]);

/*
 * Returns the site of the line that the calling thread executes. Its callers
 * are sites chained by `caller`: `frames` of them (at least 1), and one more of
 * the user's code if all of these belong to libraries. 0 if the thread is not
 * in Python or there was no space.
 */
uint32_t xs_python_site(struct xs_writer *writer, struct xs_python_cache *cache,
			unsigned frames);

/* Returns whether an address lies in the interpreter's code. */
bool xs_python_holds(uintptr_t address);
