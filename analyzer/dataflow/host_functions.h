/* SPDX-License-Identifier: MIT */
/* Functions that the host runs in a stream: what they write is not seen. */
#pragma once

#include "analyzer/read/trace.h"

/* Returns whether a host function may have written what the call reads, while
 * the host had not waited for it. It comes before a copy in, memory XS_NONE: in
 * its stream or one for which that waits, and behind the last copy in of that.
 * Or it comes in any stream before a kernel, and the memory, by the call that
 * allocated it, is the host's. Looks 1,000 calls back: no more are pending. */
bool xs_follows_host_function(const struct xs_trace *trace, uint32_t memory,
			      uint32_t call);
