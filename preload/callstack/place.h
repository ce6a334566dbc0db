/* SPDX-License-Identifier: MIT */
/* The result of a walk of the call stack. */
#ifndef XS_PRELOAD_CALLSTACK_PLACE_H
#define XS_PRELOAD_CALLSTACK_PLACE_H

#include <stdbool.h>
#include <stdint.h>

/* Where a call came from. */
struct xs_place {
	uint32_t site;	   /* 0: the trace has no room, or it was not asked */
	bool unwalked;	   /* it was not looked, for once */
	uintptr_t address; /* that calls are counted by; 0: by function */
};

#endif
