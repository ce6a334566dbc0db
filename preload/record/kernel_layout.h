/* SPDX-License-Identifier: MIT */
/* Which words of a kernel's parameters may hold pointers, asked once for each
 * kernel. */
#ifndef XS_PRELOAD_RECORD_KERNEL_LAYOUT_H
#define XS_PRELOAD_RECORD_KERNEL_LAYOUT_H

#include "preload/api/launch_arguments.h"

#include <stdatomic.h>

/* Aligned words of 8 bytes of one parameter. */
struct xs_kernel_words {
	uint16_t param;	      /* index of the parameter */
	uint16_t first_bytes; /* offset of the first word in the parameter */
	uint16_t count;
};

struct xs_kernel_layout {
	bool known;
	uint16_t count;
	const struct xs_kernel_words *words;
};

/* A kernel by the pointer with which it is launched. */
struct xs_kernel {
	_Atomic(const void *) function; /* NULL: free */
	_Atomic(const struct xs_kernel_layout *) layout;
	_Atomic uint32_t generation; /* of the layout */
	_Atomic uint32_t launches;   /* that were recorded: see
				      * launch_pointers.c */
};

/* Returns the kernel, NULL if it is new or code was unloaded since it was
 * asked. Takes no lock. */
struct xs_kernel *xs_kernel_layout_find(const void *function);

/* Like xs_kernel_layout_find(), but asks if necessary. address: where the
 * launch returns to, 0 if unknown: no symbols are then asked. Returns NULL if
 * there are too many kernels. Takes locks: call in a guard. */
struct xs_kernel *xs_kernel_layout_get(const struct xs_launch_arguments *launch,
				       uintptr_t address);

/* Call when device code is unloaded: its handles may be given out again. */
void xs_kernel_layout_outdate(void);

#endif
