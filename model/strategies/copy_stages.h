/* SPDX-License-Identifier: MIT */
/* The stages of a round by its copies: which kernels need which. Those by what
 * kernels need of each other are kernel_stages.c. */
#pragma once

#include "analyzer/rounds/phase.h"

/*
 * A stage begins with a kernel that needs a copy in which no kernel before it
 * needs. Its copies in are those that its kernels are the first to need, its
 * copies out those that need none of the later kernels.
 */
struct xs_copy_stages {
	uint32_t *of; /* by step: the stage of a copy or kernel; owned */
	uint32_t count;
	unsigned ahead;	   /* copies in of a later stage than the first */
	unsigned early;	   /* copies out of an earlier stage than the last */
	double more_bytes; /* for a second set of the buffers of a stage that
			    * other stages use, too */
};

/* By the phase's dataflow; where it is not known, each kernel needs all copies
 * in before it, and each copy out all kernels before it.
 */
void xs_copy_stages_build(const struct xs_phase *phase,
			  struct xs_copy_stages *stages);

/* One stage with all steps. */
void xs_copy_stages_build_one(const struct xs_phase *phase,
			      struct xs_copy_stages *stages);
void xs_copy_stages_free(struct xs_copy_stages *stages);
