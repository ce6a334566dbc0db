/* SPDX-License-Identifier: MIT */
/* Calls that allocate, free, register or create in every round. */
#ifndef XS_ANALYZER_ROUNDS_SETUP_CALLS_H
#define XS_ANALYZER_ROUNDS_SETUP_CALLS_H

#include "analyzer/rounds/rounds.h"

/* Returns whether calls of the class make, or end, what a program could keep
 * between rounds: memory, registrations, streams. */
bool xs_call_makes(uint8_t call_class);
bool xs_call_unmakes(uint8_t call_class);

/*
 * Extends rounds over the calls between two rounds of a thread that belong to
 * them: up to the last call that ends something, and from the first call after
 * it that makes something. Only call sites that do so between several rounds
 * count: others belong to the program's own start and end. Returns 0 or
 * -ENOMEM.
 */
int xs_rounds_add_setup_calls(const struct xs_trace *trace,
			      struct xs_rounds *rounds);

#endif
