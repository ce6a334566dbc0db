/* SPDX-License-Identifier: MIT */
/* A digest: read, merged with itself, written and read again; and the report on
 * it. */
#include "tests/fuzz/fuzz.h"

#include "report/job/digest.h"
#include "report/render/renderer.h"

#include <stdlib.h>
#include <string.h>

static char *bytes_of(const json_t *group, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	if (!out || xs_digest_write(group, out) || fclose(out))
		abort();
	return text;
}

/* What was read is written in its one form. */
static void write_and_read(const json_t *group)
{
	const char *error;
	size_t size = 0, again_size = 0;
	char *text = bytes_of(group, &size), *again;
	json_t *back;

	xs_fuzz_check_safe(text, size);
	if (xs_digest_parse(text, size, &back, &error))
		abort();
	again = bytes_of(back, &again_size);
	if (size != again_size || memcmp(text, again, size) != 0)
		abort();
	free(text);
	free(again);
	json_decref(back);
}

static void report(const json_t *group)
{
	const struct xs_display display = {.columns = XS_DISPLAY_COLUMNS};
	struct xs_job *job;

	if (xs_job_build(group, &job))
		abort();
	for (size_t i = 0; i < xs_renderer_count; i++) {
		char *text = NULL;
		size_t size = 0;
		FILE *out;

		if (!xs_renderers[i]->job)
			continue;
		out = open_memstream(&text, &size);
		if (!out || xs_renderers[i]->job(job, true, &display, out) ||
		    fclose(out))
			abort();
		xs_fuzz_check_safe(text, size);
		free(text);
	}
	xs_job_free(job);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *error;
	json_t *group, *twice;

	if (xs_digest_parse((const char *)data, size, &group, &error))
		return 0;
	write_and_read(group);
	twice = xs_digest_new();
	if (!twice || xs_digest_merge(twice, group) ||
	    xs_digest_merge(twice, group))
		abort();
	write_and_read(twice);
	report(group);
	report(twice);
	json_decref(twice);
	json_decref(group);
	return 0;
}
