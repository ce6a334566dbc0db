/* SPDX-License-Identifier: MIT */
/* GPU work that the host did not wait for. */
#pragma once

#include "analyzer/read/trace.h"

/*
 * Returns, by op, whether nothing waited for it: the GPU worked from its start,
 * or from the end of the last call that waited, until it had nothing to do, and
 * the host issued the next work later. The host was the limit in that time. Ops
 * of unknown calls are taken to be waited for, and all ops of a program that
 * may wait by host functions. blocks: xs_calls_blocked(). Caller frees.
 */
bool *xs_ops_unawaited(const struct xs_trace *trace, const bool *blocks);
