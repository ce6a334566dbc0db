/* SPDX-License-Identifier: MIT */
/* The result of a walk of the call stack. */
#ifndef XS_PRELOAD_CALLSTACK_PLACE_H
#define XS_PRELOAD_CALLSTACK_PLACE_H

#include "preload/api/functions.h"

#include <stdbool.h>
#include <stdint.h>

/* Where a call came from. */
struct xs_place {
	uint32_t site;	     /* 0: the trace has no room, or it was not asked */
	enum xs_function fn; /* whose call it is: the walk's, or the function of
			      * a learned runtime (entry.h) that called that */
	bool by_runtime;   /* it came from inside of a learned runtime, or that
			    * is not known */
	bool unwalked;	   /* it was not looked, for once */
	uintptr_t address; /* that calls are counted by; 0: by function */
};

#endif
