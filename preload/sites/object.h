/* SPDX-License-Identifier: MIT */
/* Finds the loaded object (executable or library) that contains an address. */
#pragma once

#include <limits.h>
#include <stdint.h>

struct xs_object {
	uintptr_t base;	     /* address - base is the address in the ELF file */
	char path[PATH_MAX]; /* the executable has a path, too */
	char build_id[2 * 64 + 1]; /* hexadecimal; "" when there is none */
};

/* Finds the object that contains an address. Returns 0 or -ENOENT. Takes the
 * loader's lock. */
int xs_object_find(uintptr_t address, struct xs_object *module);

/* Finds the address range of the code of the object that contains an address;
 * both 0 if there is none. Takes the loader's lock. */
void xs_object_code_range(uintptr_t address, uintptr_t *begin, uintptr_t *end);
