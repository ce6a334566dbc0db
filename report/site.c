/* SPDX-License-Identifier: MIT */
#include "report/result.h"

#include <inttypes.h>
#include <string.h>

const char *xs_result_site_label(struct xs_arena *arena,
				 const struct xs_result_site *site)
{
	const char *base;

	if (site->file && site->line != XS_UNKNOWN) {
		base = strrchr(site->file, '/');
		return xs_arena_print(arena, "%s:%" PRId64,
				      base ? base + 1 : site->file, site->line);
	}
	if (site->module) {
		base = strrchr(site->module, '/');
		return xs_arena_print(arena, "%s in %s+0x%" PRIx64,
				      site->call ? site->call : "a call",
				      base ? base + 1 : site->module,
				      (uint64_t)site->offset);
	}
	return xs_arena_copy(arena,
			     site->call ? site->call : "a call not interposed");
}
