/* SPDX-License-Identifier: MIT */
/*
 * Runs rare work of the library in the program's threads so that the program
 * cannot end it half way, and does not feel it:
 *
 * - No signal handler of the program runs meanwhile. A handler may leave with
 *   longjmp(), and then our locks would stay held. Signals that the thread
 *   raises itself, such as SIGSEGV, are not blocked.
 * - The thread is not cancelled meanwhile.
 * - The work has a stack of its own. The program's may be an alternate signal
 *   stack of 8 KiB that is nearly used up.
 *
 * This takes two system calls. The hot path has neither cancellation points
 * nor locks, so it does without.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>

struct xs_guard {
	sigset_t signals; /* the thread's own mask */
	int cancel_state;
};

/* Blocks signals and cancellation. May be nested: only the outermost one has an
 * effect. */
void xs_guard_begin(struct xs_guard *guard);
void xs_guard_end(const struct xs_guard *guard);

/* In a guard whose work may take seconds or hang: signals with their default
 * action end the program as without us. Such an action cannot jump away. */
void xs_guard_let_default_signals(void);

/* Returns whether the thread is inside of a guard. */
bool xs_guard_is_on(void);

/* Runs run(data) in a guard and on a stack of ours. Without memory for it, and
 * on other machines than x86-64, it runs on the current stack. */
void xs_guard_run(void (*run)(void *data), void *data);

/* The same on a stack as large as a thread's, for rare work in code of others:
 * CUPTI is loaded, started and ended on it. */
void xs_guard_run_deep(void (*run)(void *data), void *data);

/* Returns whether the thread runs on a stack of ours and that stack contains
 * the address. */
bool xs_guard_holds(const void *address);

/* For a thread of ours, which blocks all signals and is never cancelled: its
 * guards have no effect. */
void xs_guard_own_thread(void);
