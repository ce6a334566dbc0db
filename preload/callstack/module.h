/* SPDX-License-Identifier: MIT */
/* The objects that the process has loaded. */
#ifndef XS_PRELOAD_CALLSTACK_MODULE_H
#define XS_PRELOAD_CALLSTACK_MODULE_H

#include "preload/trace/writer.h"

#include <limits.h>

struct xs_object {
	uintptr_t base;	     /* an address - base is an offset of the file */
	char path[PATH_MAX]; /* of the executable, too */
	char build_id[2 * 64 + 1]; /* hexadecimal; "" when there is none */
};

/* The object that holds an address. 0 or -ENOENT. Takes the loader's lock. */
int xs_module_find(uintptr_t address, struct xs_object *module);

/* Where the code of an address's object begins and ends in memory; both 0 when
 * it is in none. Takes the loader's lock. */
void xs_module_range(uintptr_t address, uintptr_t *begin, uintptr_t *end);

/*
 * The number of an address's object in the trace; at first sight its records
 * are written by `writer`. XS_NONE32 if it is not known or there was no room.
 * *offset: the address in the terms of the object's ELF file.
 */
uint32_t xs_module_id(struct xs_writer *writer, uintptr_t address,
		      uint64_t *offset);

#endif
