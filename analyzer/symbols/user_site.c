/* SPDX-License-Identifier: MIT */
/* Chooses the frame of a site's chain that the user would change. */
#include "analyzer/symbols/symbols.h"

#include "preload/python_files.h"

#include <ctype.h>
#include <string.h>

#define CHAIN_MAX 192 /* a damaged trace may have a circle of callers */

bool xs_symbols_is_library(const char *path)
{
	static const char *const parts[] = {
	    "/registry/src/",		    /* of cargo */
	    "/git/checkouts/", "/pkg/mod/", /* of Go */
	    "runtime/cgo/",    "runtime/cgocall.go",
	    "runtime/asm_",    "runtime/proc.go",
	};
	const char *name = strrchr(path, '/');

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (strstr(path, parts[i]))
			return true;
	return strncmp(name ? name + 1 : path, "Kokkos_", 7) == 0;
}

/* Ranks a frame by how likely the user would change it. */
enum { NAMELESS, NAMED, NATIVE_PACKAGE, PYTHON_PACKAGE, GENERATED, USERS };

static int rank_of(const struct xs_trace *trace, const struct xs_site *site)
{
	bool native = site->module != XS_NONE;

	if (!site->file)
		return site->symbol ? NAMED : NAMELESS;
	if (xs_symbols_is_library(site->file))
		return NATIVE_PACKAGE;
	if (native && xs_python_is_package(
			  trace->strings[trace->modules[site->module].path]))
		return NATIVE_PACKAGE;
	if (xs_python_is_package(site->file))
		return native ? NATIVE_PACKAGE : PYTHON_PACKAGE;
	return xs_python_is_generated(site->file) ? GENERATED : USERS;
}

bool xs_symbols_is_python(const struct xs_site *site)
{
	return site->module == XS_NONE && site->file;
}

/* Returns whether the function is one of the CUDA runtime or its internals,
 * which have no lines. */
static bool is_runtime(const struct xs_site *site)
{
	static const char *const beginnings[] = {"cudart", "libcudart_static_",
						 "__cuda", NULL};
	const char *name = site->symbol;

	if (!name || site->file)
		return false;
	if (strncmp(name, "cudaError ", 10) == 0) /* return type */
		name += 10;
	for (const char *const *begin = beginnings; *begin; begin++)
		if (strncmp(name, *begin, strlen(*begin)) == 0)
			return true;
	return strncmp(name, "cuda", 4) == 0 && isupper((unsigned char)name[4]);
}

/*
 * Returns the frame of a site's chain that called the runtime. A runtime that
 * is statically linked has frames of its own in the chain.
 */
static uint32_t first_frame(const struct xs_trace *trace, uint32_t site)
{
	uint32_t at = site;

	for (int i = 0; i < CHAIN_MAX && at < trace->site_count; i++) {
		if (!is_runtime(&trace->sites[at]))
			return at;
		at = trace->sites[at].caller;
	}
	return site;
}

/* Returns the best frame above a rank, from a frame outwards. */
static const struct xs_site *best_frame(const struct xs_trace *trace,
					uint32_t at, int rank, bool python)
{
	const struct xs_site *best = NULL;

	for (int i = 0; i < CHAIN_MAX && at < trace->site_count; i++) {
		const struct xs_site *frame = &trace->sites[at];
		int its_rank = rank_of(trace, frame);
		if (its_rank > rank &&
		    (!python || xs_symbols_is_python(frame))) {
			best = frame;
			rank = its_rank;
		}
		at = frame->caller;
	}
	return best;
}

const struct xs_site *xs_symbols_user_site(const struct xs_trace *trace,
					   uint32_t site)
{
	const struct xs_site *best =
	    best_frame(trace, first_frame(trace, site), NAMELESS, false);

	return best || site >= trace->site_count
		   ? best
		   : &trace->sites[first_frame(trace, site)];
}

const struct xs_site *xs_symbols_python_site(const struct xs_trace *trace,
					     uint32_t site)
{
	return best_frame(trace, first_frame(trace, site), NAMELESS, true);
}

const struct xs_site *xs_symbols_user_caller(const struct xs_trace *trace,
					     uint32_t site)
{
	const struct xs_site *user =
	    best_frame(trace, first_frame(trace, site), USERS - 1, false);

	return user ? best_frame(trace, user->caller, USERS - 1,
				 xs_symbols_is_python(user))
		    : NULL;
}
