/* SPDX-License-Identifier: MIT */
/*
 * The text of a trace, as xferspy dump --read takes it. What it accepts must
 * have a dump that is safe for a terminal and converts to the same bytes.
 */
#include "tests/fuzz/fuzz.h"

#include "analyzer/read/text_dump.h"
#include "analyzer/text/trace_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct bytes {
	char *data;
	size_t size;
};

static int parse(const void *text, size_t size, struct bytes *out)
{
	struct xs_text_error error;
	FILE *in = size ? fmemopen((void *)(uintptr_t)text, size, "r") : NULL;
	FILE *to = open_memstream(&out->data, &out->size);
	int rc = in && to ? xs_text_parse(in, to, &error) : -ENOMEM;

	if (in)
		fclose(in);
	if (to && fclose(to))
		rc = -ENOMEM;
	return rc;
}

static void check_dump(const struct bytes *binary)
{
	struct bytes text = {0}, again = {0};
	const char *error;
	FILE *out = open_memstream(&text.data, &text.size);
	int rc =
	    out ? xs_text_dump_memory(binary->data, binary->size, out, &error)
		: -ENOMEM;

	if (out)
		fclose(out);
	if (!rc) {
		xs_fuzz_check_safe(text.data, text.size);
		rc = parse(text.data, text.size, &again);
		/* a damaged trace has comments, and need not convert back */
		if (!strstr(text.data, "# damaged") &&
		    (rc || again.size != binary->size ||
		     memcmp(again.data, binary->data, binary->size) != 0))
			abort();
	}
	free(text.data);
	free(again.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes binary = {0};

	if (parse(data, size, &binary) == 0 && binary.size < 1 << 20)
		check_dump(&binary);
	free(binary.data);
	return 0;
}
