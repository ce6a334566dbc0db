/* SPDX-License-Identifier: MIT */
#include "report/export/names.h"

#include "analyzer/symbols/symbols.h"

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
