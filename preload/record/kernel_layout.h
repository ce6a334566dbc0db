/* SPDX-License-Identifier: MIT */
/* Which words of a kernel's parameters may hold pointers, asked once for each
 * kernel. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Aligned words of 8 bytes of one parameter. */
struct xs_kernel_words {
	uint16_t param;	      /* index of the parameter */
	uint16_t first_bytes; /* offset of the first word in the parameter */
	uint16_t count;
};

struct xs_kernel_layout {
	bool known;
	uint16_t count; /* of words */
	uint32_t bytes; /* of all parameters */
	const struct xs_kernel_words *words;
};

/* A kernel by the pointer with which it is launched. Another kernel may take
 * its place when the table is full. */
struct xs_kernel {
	_Atomic(const void *) function; /* NULL: free */
	_Atomic(const struct xs_kernel_layout *) layout;
	_Atomic uint32_t generation; /* of the layout */
	_Atomic uint32_t asked;	     /* questions that were not answered */
	_Atomic uint32_t launches;   /* that were recorded: see
				      * launch_pointers.c */
};

/* Returns the kernel, NULL if it is new, code was unloaded since it was asked,
 * or it will be asked again. Takes no lock. */
struct xs_kernel *xs_kernel_layout_find(const void *function);

/* Like xs_kernel_layout_find(), but asks if necessary, and stores the layout,
 * which is never freed. Takes locks: call in a guard. */
struct xs_kernel *xs_kernel_layout_get(const void *function,
				       const struct xs_kernel_layout **layout);

/* Call when device code is unloaded: its handles may be given out again. */
void xs_kernel_layout_outdate(void);
