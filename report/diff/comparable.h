/* SPDX-License-Identifier: MIT */
/* Whether two runs are of the same program on the same machine. */
#pragma once

#include "report/diff/diff.h"

/*
 * Adds to the warnings, and sets diff->different, diff->other_arguments and
 * diff->unnamed; of other tools, the change of the run becomes unknown.
 * Programs are told apart by name: a program that was changed and rebuilt has
 * another build id, but is the one to compare. Where a trace names none, they
 * are different if they have no kernel in common. Machines are told apart by
 * the names of their GPUs. What else a trace does not say is not compared.
 */
void xs_diff_check(struct xs_diff *diff);

/* Returns the program's name without its folder; for Python that of the script
 * or module. NULL: unknown. Moves *app, its command line, to the arguments. */
const char *xs_program_name(struct xs_arena *arena, const char **app);

/* Returns a hash by which a trace that is given twice is told. */
uint64_t xs_trace_hash(const struct xs_result *result);
