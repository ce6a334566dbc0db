/* SPDX-License-Identifier: MIT */
#include "report/export/names.h"

#include "analyzer/symbols/symbols.h"

#include <stdio.h>

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

const char *xs_export_place(const struct xs_trace *trace, uint32_t site,
			    char *buffer, size_t size)
{
	const struct xs_site *in = xs_symbols_user_site(trace, site);

	if (!in || !in->file)
		return in ? in->symbol : NULL;
	snprintf(buffer, size, "%s:%u", in->file, in->line);
	return buffer;
}

size_t xs_export_gpu_count(const struct xs_trace *trace)
{
	size_t count = 0;

	for (size_t i = 0; i < trace->queue_count; i++)
		if (trace->queues[i].device >= count)
			count = trace->queues[i].device + 1u;
	return count;
}

void xs_export_gpu(const struct xs_trace *trace, size_t gpu, char *name,
		   size_t size)
{
	const struct xs_device *found = xs_trace_device(trace, gpu);
	const char *model = found ? xs_export_string(trace, found->name) : NULL;

	snprintf(name, size, "GPU %zu%s%.100s", gpu, model ? ": " : "",
		 model ? model : "");
}

uint64_t xs_export_since(const struct xs_trace *trace, uint64_t ns)
{
	return ns > trace->begin_ns ? ns - trace->begin_ns : 0;
}

const struct xs_queue *xs_export_queue(const struct xs_trace *trace,
				       uint64_t index)
{
	static const struct xs_queue unknown;

	return index < trace->queue_count ? &trace->queues[index] : &unknown;
}
