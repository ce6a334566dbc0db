/* SPDX-License-Identifier: MIT */
#include "analyzer/read/names.h"

#include "analyzer/read/trace.h"

const char *xs_name_memory(unsigned memory)
{
	static const char *const names[] = {NULL,     "pageable", "pinned",
					    "device", "array",	  "managed"};

	return memory < sizeof(names) / sizeof(*names) ? names[memory] : NULL;
}

const char *xs_name_op(unsigned kind)
{
	static const char *const names[XS_OP_KINDS] = {
	    "h2d", "d2h", "d2d", "h2h", "set", "kernel", "p2p"};

	return kind < XS_OP_KINDS ? names[kind] : NULL;
}

const char *xs_name_call(unsigned call_class)
{
	static const char *const names[XS_CALL_CLASSES] = {
	    [XS_CALL_OTHER] = "other",
	    [XS_CALL_COPY] = "copy",
	    [XS_CALL_COPY_ASYNC] = "copy-async",
	    [XS_CALL_SET] = "set",
	    [XS_CALL_SET_ASYNC] = "set-async",
	    [XS_CALL_LAUNCH] = "launch",
	    [XS_CALL_GRAPH_LAUNCH] = "graph-launch",
	    [XS_CALL_ALLOC_DEVICE] = "alloc-device",
	    [XS_CALL_ALLOC_PINNED] = "alloc-pinned",
	    [XS_CALL_REGISTER] = "register",
	    [XS_CALL_FREE_DEVICE] = "free-device",
	    [XS_CALL_FREE_PINNED] = "free-pinned",
	    [XS_CALL_UNREGISTER] = "unregister",
	    [XS_CALL_SYNC_DEVICE] = "sync-device",
	    [XS_CALL_SYNC_STREAM] = "sync-stream",
	    [XS_CALL_SYNC_EVENT] = "sync-event",
	    [XS_CALL_EVENT_RECORD] = "event-record",
	    [XS_CALL_STREAM_WAIT] = "stream-wait",
	    [XS_CALL_STREAM_CREATE] = "stream-create",
	    [XS_CALL_STREAM_DESTROY] = "stream-destroy",
	    [XS_CALL_RANGE_START] = "range-start",
	    [XS_CALL_RANGE_STOP] = "range-stop",
	    [XS_CALL_POLL] = "poll",
	    [XS_CALL_HOST_FUNCTION] = "host-function",
	    [XS_CALL_RESET] = "reset",
	    [XS_CALL_PREFETCH] = "prefetch",
	    [XS_CALL_CAPTURE_BEGIN] = "capture-begin",
	    [XS_CALL_CAPTURE_END] = "capture-end",
	};

	return call_class < XS_CALL_CLASSES ? names[call_class] : NULL;
}
