/* SPDX-License-Identifier: MIT */
/* The objects (executable and libraries) that the process has loaded. */
#ifndef XS_PRELOAD_SITES_OBJECT_H
#define XS_PRELOAD_SITES_OBJECT_H

#include <limits.h>
#include <stdint.h>

struct xs_object {
	uintptr_t base;	     /* an address - base is an offset of the file */
	char path[PATH_MAX]; /* of the executable, too */
	char build_id[2 * 64 + 1]; /* hexadecimal; "" when there is none */
};

/* The object that holds an address. 0 or -ENOENT. Takes the loader's lock. */
int xs_object_find(uintptr_t address, struct xs_object *module);

/* Where the code of an address's object begins and ends in memory; both 0 when
 * it is in none. Takes the loader's lock. */
void xs_object_code_range(uintptr_t address, uintptr_t *begin, uintptr_t *end);

#endif
