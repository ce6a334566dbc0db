/* SPDX-License-Identifier: MIT */
/* Finds which symbols a loaded object imports. */
#ifndef XS_PRELOAD_UTIL_IMPORTS_H
#define XS_PRELOAD_UTIL_IMPORTS_H

#include <link.h>
#include <stdbool.h>

/* Returns whether the object imports a function or variable whose name
 * `wanted` accepts. Reads the object's tables in memory; it must stay loaded
 * meanwhile. */
bool xs_imports_any(const struct link_map *map,
		    bool (*wanted)(const char *name));

#endif
