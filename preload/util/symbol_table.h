/* SPDX-License-Identifier: MIT */
/* Symbols that a loaded object defines, read from its tables. Unlike dlsym(),
 * this leaves the message alone that the program's next dlerror() returns. */
#pragma once

#include <link.h>

/* Returns the address of the object's function `name`, in its default version;
 * NULL if the object has none or no DT_GNU_HASH. The object must stay
 * loaded. */
void *xs_symbol_table_function(const struct link_map *map, const char *name);
