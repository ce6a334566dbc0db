/* SPDX-License-Identifier: MIT */
/* Calls that a jump or an exception left without their end. */
#pragma once

#include "preload/trace/thread.h"

/*
 * Call at the begin of a call while the thread seems to be inside of another
 * one (in_hook or busy). at: an address in the new call's stack frame. Returns
 * false if the new call is nested in the other one. Returns true if the other
 * one was abandoned: it is counted as lost, and the thread is inside of none.
 */
XS_COLD bool xs_abandoned_call_drop(struct xs_thread *thread, const void *at);
