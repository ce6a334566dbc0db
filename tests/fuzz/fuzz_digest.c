/* SPDX-License-Identifier: MIT */
/* A digest: read, merged with itself, written and read again; and the report on
 * it. */
#include "tests/fuzz/fuzz.h"

#include "report/job/digest.h"
#include "report/render/renderer.h"
#include "tests/report/seal.h"

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

/* Writes a job, or how it differs from another one, in all formats. */
static void render(struct xs_job *job, struct xs_job *other)
{
	const struct xs_display display = {.columns = XS_DISPLAY_COLUMNS};
	struct xs_job_diff diff;

	xs_job_diff_build(job, other, &diff);
	for (size_t i = 0; i < 2 * xs_renderer_count; i++) {
		const struct xs_renderer *as = xs_renderers[i / 2];
		char *text = NULL;
		size_t size = 0;
		FILE *out;

		if (i % 2 ? !as->job_diff : !as->job)
			continue;
		out = open_memstream(&text, &size);
		if (!out ||
		    (i % 2 ? as->job_diff(&diff, &display, out)
			   : as->job(job, true, &display, out)) ||
		    fclose(out))
			abort();
		xs_fuzz_check_safe(text, size);
		free(text);
	}
	xs_arena_free(&diff.arena);
}

static void report(const json_t *group, const json_t *other)
{
	struct xs_job *job = xs_job_build(group), *with = xs_job_build(other);

	render(job, with);
	render(with, job);
	xs_job_free(job);
	xs_job_free(with);
}

static void try_text(const char *text, size_t size)
{
	const char *error;
	json_t *group, *twice;

	if (xs_digest_parse(text, size, &group, &error))
		return;
	write_and_read(group);
	twice = json_object();
	xs_digest_merge(twice, group);
	xs_digest_merge(twice, group);
	write_and_read(twice);
	report(group, twice);
	json_decref(twice);
	json_decref(group);
}

/* As it is, and with the checksum of its group. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *sealed = seal((const char *)data, size);

	try_text((const char *)data, size);
	if (sealed)
		try_text(sealed, strlen(sealed));
	free(sealed);
	return 0;
}
