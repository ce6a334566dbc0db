/* SPDX-License-Identifier: MIT */
/* What an object takes from others. */
#ifndef XS_PRELOAD_UTIL_IMPORTS_H
#define XS_PRELOAD_UTIL_IMPORTS_H

#include <link.h>
#include <stdbool.h>

/* Whether it imports a function or variable of such a name. Its tables are read
 * in memory, which must stay meanwhile. */
bool xs_imports_any(const struct link_map *map,
		    bool (*wanted)(const char *name));

#endif
