/* SPDX-License-Identifier: MIT */
/* The place that a call came from: the result of a call stack walk. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A place in the application. */
struct xs_place {
	uint32_t site;	   /* 0: no space, or not requested */
	bool walk_skipped; /* no walk this time: the budget is used up */
	uintptr_t address; /* calls are counted by it; 0: by function */
};
