/* SPDX-License-Identifier: MIT */
/* A trace, binary or text, to its whole report in all formats. */
#include "tests/fuzz/fuzz.h"

#include "analyzer/symbols/symbols.h"
#include "analyzer/timeline/load_trace.h"
#include "report/build/read.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct xs_result_options options = {
	    .streams = 3, .atgpu = true, .dataflow = true, .by_range = true};
	struct xs_result *result;
	struct xs_trace *trace;
	const char *error;
	/* a separate, aligned allocation, so that reads past the end are
	 * detected */
	void *copy = malloc(size);

	if (!copy)
		return 0;
	memcpy(copy, data, size);
	if (xs_trace_read_memory(copy, size, &trace, &error) == 0) {
		xs_symbols_resolve(trace);
		result = xs_result_build(trace, "=trace\033", &options);
		xs_fuzz_render(result);
		xs_result_free(result);
		xs_trace_free(trace);
	}
	free(copy);
	return 0;
}
