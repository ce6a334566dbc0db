/* SPDX-License-Identifier: MIT */
/* Strings and call stacks of an export of Nsight Systems. */
#include "analyzer/import/nsys_info.h"

#include "analyzer/import/call_class.h"

#include <string.h>

/* Frames of a stack that are looked at. */
#define FRAMES_MOST 64

static int read_string(struct xs_nsys *n, uint64_t id, uint32_t *number)
{
	const char *text = "";
	char name[128];
	int rc;

	sqlite3_bind_int64(n->find_string, 1, (sqlite3_int64)id);
	rc = xs_nsys_db_step(&n->db, n->find_string);
	if (rc > 0)
		text = xs_nsys_db_text(n->find_string, 0);
	/* cudaMemcpy_v3020: no program calls it so */
	if (strncmp(text, "cuda", 4) == 0 && strlen(text) < sizeof(name)) {
		const int length = xs_call_name_length(text);

		memcpy(name, text, (size_t)length);
		name[length] = '\0';
		text = name;
	}
	if (rc >= 0)
		xs_foreign_add_string(&n->foreign, text, number);
	sqlite3_reset(n->find_string);
	return rc < 0 ? rc : 0;
}

int xs_nsys_string(struct xs_nsys *n, uint64_t id, uint32_t *number)
{
	uint32_t *known;
	int rc = 0;

	*number = 0;
	if (!id)
		return 0;
	known =
	    xs_distinct_map_find(&n->strings, &id, sizeof(id), sizeof(*known));
	if (!*known) {
		rc = read_string(n, id, known);
		*known += !rc;
	}
	*number = rc ? 0 : *known - 1;
	return rc;
}

static bool is_of_cuda(const char *module)
{
	const char *name = xs_nsys_base_name(module);

	return strstr(name, "libcuda") || strstr(name, "libcupti") ||
	       strstr(name, "libToolsInjection");
}

static int read_frame(struct xs_nsys *n, struct xs_foreign_site *site)
{
	const uint64_t symbol = xs_nsys_db_number(n->find_frames, 0);
	const uint64_t module = xs_nsys_db_number(n->find_frames, 1);
	const int rc = xs_nsys_string(n, module, &site->module);

	return rc ? rc : xs_nsys_string(n, symbol, &site->symbol);
}

int xs_nsys_caller(struct xs_nsys *n, uint64_t stack,
		   struct xs_foreign_site *site)
{
	int rc = 0;

	if (!stack || !n->find_frames)
		return 0;
	sqlite3_bind_int64(n->find_frames, 1, (sqlite3_int64)stack);
	for (size_t i = 0; !rc && i < FRAMES_MOST; i++) {
		rc = xs_nsys_db_step(&n->db, n->find_frames);
		if (rc <= 0)
			break;
		rc = read_frame(n, site);
		if (!is_of_cuda(
			xs_distinct_value(&n->foreign.strings, site->module)))
			break;
		site->module = site->symbol = 0;
	}
	sqlite3_reset(n->find_frames);
	return rc;
}
