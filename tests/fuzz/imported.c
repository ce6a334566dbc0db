/* SPDX-License-Identifier: MIT */
/* What an importer passes on, through the decoder and the join. */
#include "tests/fuzz/fuzz.h"

#include "analyzer/read/decode.h"
#include "analyzer/timeline/join.h"

#include <stdlib.h>
#include <string.h>

void xs_fuzz_import(xs_importer *importer, const uint8_t *data, size_t size)
{
	/* a separate, aligned allocation, so that reads past the end are
	 * detected */
	void *copy = malloc(size + !size);
	struct xs_trace *trace = calloc(1, sizeof(*trace));
	const struct xs_trace_bytes bytes = {
	    .data = copy, .size = size, .fd = -1};
	struct xs_trace_visitor visitor;
	struct xs_decoder decoder;
	const char *error = NULL;

	if (!copy || !trace)
		abort();
	memcpy(copy, data, size);
	xs_decoder_init(&decoder, trace, 0, &visitor);
	if (importer(&bytes, &visitor, &error) == 0) {
		xs_decoder_finish(&decoder);
		if (trace->defect_count)
			abort();
		xs_trace_join(trace);
	}
	if (error)
		xs_fuzz_check_safe(error, strlen(error));
	xs_decoder_release(&decoder);
	xs_trace_free(trace);
	free(copy);
}
