/* SPDX-License-Identifier: MIT */
#include "report/export/names.h"

#include "analyzer/symbols/symbols.h"

const char *xs_export_memory(unsigned memory)
{
	static const char *const names[] = {NULL,     "pageable", "pinned",
					    "device", "array",	  "managed"};

	return memory < sizeof(names) / sizeof(*names) ? names[memory] : NULL;
}

const char *xs_export_kind(unsigned kind)
{
	static const char *const names[XS_OP_KINDS] = {
	    "h2d", "d2h", "d2d", "h2h", "set", "kernel", "p2p"};

	return kind < XS_OP_KINDS ? names[kind] : NULL;
}

const char *xs_export_class(unsigned call_class)
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

const char *xs_export_string(const struct xs_trace *trace, uint32_t string)
{
	return string && string < trace->string_count ? trace->strings[string]
						      : NULL;
}

const char *xs_export_function(const struct xs_trace *trace, uint32_t site)
{
	return site < trace->site_count
		   ? xs_export_string(trace, trace->sites[site].function)
		   : NULL;
}

char *xs_export_kernel(const struct xs_trace *trace, uint32_t shape)
{
	const char *name =
	    shape < trace->shape_count
		? xs_export_string(trace, trace->shapes[shape].name)
		: NULL;

	return name ? xs_symbols_demangle(name) : NULL;
}
