/* SPDX-License-Identifier: MIT */
/* Calls that allocate, free, register or create in every round. */
#pragma once

#include "analyzer/rounds/rounds.h"

/* Returns whether calls of the class make, or end, what a program could keep
 * between rounds: memory, registrations, streams. */
bool xs_call_makes(uint8_t call_class);
bool xs_call_unmakes(uint8_t call_class);

/* Returns whether a call that ends something waits for the device first: not if
 * it does so in the order of a stream. */
bool xs_call_frees_at_once(const struct xs_call *call);

/*
 * Extends rounds over the calls between two rounds of a thread. The first call
 * that makes something, and all after it, belong to the next round; calls
 * before it, up to the last one that ends something, to the round before. Only
 * call sites count that make or end something in at least two such gaps: others
 * belong to the program's own start and end. The same holds for threads with
 * one round each, of which one ended before another began: for their calls
 * before and after the round.
 */
void xs_rounds_add_setup_calls(const struct xs_trace *trace,
			       struct xs_rounds *rounds);
