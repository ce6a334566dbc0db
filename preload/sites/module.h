/* SPDX-License-Identifier: MIT */
/* Numbers the loaded objects that call sites lie in. */
#pragma once

#include "preload/trace/writer.h"

/* Returns the trace's number of the object that contains an address; `writer`
 * writes its records when it is new. XS_NONE32 if the object is unknown or
 * there was no space. *offset: the address as the object's ELF file has it. */
uint32_t xs_module_id(struct xs_writer *writer, uintptr_t address,
		      uint64_t *offset);
