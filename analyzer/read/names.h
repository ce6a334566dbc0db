/* SPDX-License-Identifier: MIT */
/* What memory, ops and calls are called in reports and exported traces. */
#pragma once

/* Of an enum xs_memory; NULL: unknown. */
const char *xs_name_memory(unsigned memory);

/* Of an enum xs_op_kind: "h2d", "d2h", "d2d", "h2h", "set", "kernel", "p2p";
 * NULL: none. */
const char *xs_name_op(unsigned kind);

/* Of an enum xs_call_class: "copy", "launch", "sync-stream", ...; NULL: none.
 */
const char *xs_name_call(unsigned call_class);
