/* SPDX-License-Identifier: MIT */
#include "report/result.h"

#include <inttypes.h>
#include <string.h>

#define NAME_MAX_LENGTH 40
#define NAMELESS	"(anonymous namespace)"

/* Without arguments, of functions and of templates. */
const char *xs_result_function_name(struct xs_arena *arena,
				    const char *function)
{
	size_t length = strcspn(function, "(<");

	while (strncmp(function + length, NAMELESS, strlen(NAMELESS)) == 0) {
		length += strlen(NAMELESS);
		length += strcspn(function + length, "(<");
	}
	if (length == 0) /* "<module>" */
		length = strlen(function);
	if (length > NAME_MAX_LENGTH)
		return xs_arena_print(arena, "%.*s...", NAME_MAX_LENGTH - 3,
				      function);
	return xs_arena_print(arena, "%.*s", (int)length, function);
}

/* "app+0x1f3c" */
static const char *address(struct xs_arena *arena,
			   const struct xs_result_site *site)
{
	const char *base = strrchr(site->module, '/');

	return xs_arena_print(arena, "%s+0x%" PRIx64,
			      base ? base + 1 : site->module,
			      (uint64_t)site->offset);
}

const char *xs_result_site_label(struct xs_arena *arena,
				 const struct xs_result_site *site)
{
	const char *call = site->call ? site->call : "a call";
	const char *base, *function = NULL;

	if (site->file && site->line != XS_UNKNOWN) {
		base = strrchr(site->file, '/');
		return xs_arena_print(arena, "%s:%" PRId64,
				      base ? base + 1 : site->file, site->line);
	}
	if (site->function)
		function = xs_result_function_name(arena, site->function);
	if (function && site->module)
		return xs_arena_print(arena, "%s in %s (%s)", call, function,
				      address(arena, site));
	if (function || site->module)
		return xs_arena_print(arena, "%s in %s", call,
				      function ? function
					       : address(arena, site));
	return xs_arena_copy(arena,
			     site->call ? site->call : "a call not interposed");
}
