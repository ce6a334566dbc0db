/* SPDX-License-Identifier: MIT */
/* The loaded objects as the trace numbers them. */
#ifndef XS_PRELOAD_SITES_MODULE_H
#define XS_PRELOAD_SITES_MODULE_H

#include "preload/trace/writer.h"

/*
 * The number of an address's object in the trace; at first sight its records
 * are written by `writer`. XS_NONE32 if it is not known or there was no room.
 * *offset: the address in the terms of the object's ELF file.
 */
uint32_t xs_module_id(struct xs_writer *writer, uintptr_t address,
		      uint64_t *offset);

#endif
