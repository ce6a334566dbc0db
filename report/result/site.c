/* SPDX-License-Identifier: MIT */
#include "report/result/site.h"

#include "report/result/number.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_LENGTH 40
#define NAMELESS	"(anonymous namespace)"
#define LOCALS		"<locals>."

/* Returns a copy without "<locals>.", which names no function. */
static const char *without_locals(struct xs_arena *arena, const char *function)
{
	char *out = xs_arena_alloc(arena, strlen(function) + 1, 1);
	size_t used = 0;

	while (out && *function) {
		if (strncmp(function, LOCALS, strlen(LOCALS)) == 0)
			function += strlen(LOCALS);
		else
			out[used++] = *function++;
	}
	return out;
}

/* Omits the return type of C++, and the arguments of functions and templates.
 * "train.<locals>.step" of Python is "train.step". */
const char *xs_result_function_name(struct xs_arena *arena,
				    const char *function)
{
	size_t length;

	if (strstr(function, LOCALS))
		function = without_locals(arena, function);
	if (!function)
		return NULL;
	if (strncmp(function, "void ", strlen("void ")) == 0)
		function += strlen("void ");
	length = strcspn(function, "(<");
	while (strncmp(function + length, NAMELESS, strlen(NAMELESS)) == 0) {
		length += strlen(NAMELESS);
		length += strcspn(function + length, "(<");
	}
	/* "<module>", "train.<lambda>" */
	if (length == 0 || function[length - 1] == '.')
		length = strlen(function);
	if (length > NAME_MAX_LENGTH)
		return xs_print(arena, "%.*s...", NAME_MAX_LENGTH - 3,
				function);
	return xs_print(arena, "%.*s", (int)length, function);
}

/* "app+0x1f3c"; "app" if the trace has no addresses. */
static const char *address(struct xs_arena *arena,
			   const struct xs_result_site *site)
{
	const char *slash = strrchr(site->module, '/');
	const char *base = slash ? slash + 1 : site->module;

	return site->offset ? xs_print(arena, "%s+0x%" PRIx64, base,
				       (uint64_t)site->offset)
			    : base;
}

const char *xs_result_site_label(struct xs_arena *arena,
				 const struct xs_result_site *site)
{
	const char *call = site->call ? site->call : "a call";
	const char *base, *function = NULL;

	if (site->file && site->line != XS_UNKNOWN) {
		base = strrchr(site->file, '/');
		return xs_print(arena, "%s:%" PRId64,
				base ? base + 1 : site->file, site->line);
	}
	if (site->function)
		function = xs_result_function_name(arena, site->function);
	if (function && site->near)
		return xs_print(arena, "%s near %s", function, site->near);
	if (function && site->module)
		return xs_print(arena, "%s in %s (%s)", call, function,
				address(arena, site));
	if (function && strstr(call, "Launch"))
		call = "launches";
	if (function || site->module)
		return xs_print(arena, "%s in %s", call,
				function ? function : address(arena, site));
	return xs_arena_copy(arena,
			     site->call ? site->call : "an unknown call");
}

bool xs_result_same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

#define ADDRESS "+0x"

/* How many bytes two labels "a.cu:12" and "a.cu:14" have in common, before
 * ":14"; 0: they are of two files, or no lines. */
static size_t same_file(const char *list, const char *label)
{
	const char *line = strrchr(label, ':');
	const size_t bytes = line ? (size_t)(line - label) : 0;
	const char *at = list, *next = list;

	if (!bytes || strchr(label, ' '))
		return 0;
	while ((next = strstr(next, ", ")))
		if (*(next += 2) != ':')
			at = next;
	return strncmp(at, label, bytes) == 0 && at[bytes] == ':' ? bytes : 0;
}

/* Whether the list ends with a label of so many bytes and further addresses. */
static bool ends_with(const char *list, const char *label, size_t bytes)
{
	const char *at = list, *next;

	for (next = list; (next = strstr(next + 1, ADDRESS));)
		if (next[-1] != ' ')
			at = next;
	return (size_t)(at - list) >= bytes &&
	       (at - list == (ptrdiff_t)bytes ||
		at[-(ptrdiff_t)bytes - 1] == ' ') &&
	       strncmp(at - bytes, label, bytes) == 0 &&
	       strspn(at, ADDRESS "123456789abcdef, ") == strlen(at);
}

/* Whether the list has the label, which is no line. */
static bool is_listed(const char *list, const char *label)
{
	const size_t bytes = strlen(label);

	for (const char *at = list; strchr(label, ' ') && at;
	     at = strstr(at, ", ")) {
		at += strncmp(at, ", ", 2) == 0 ? 2 : 0;
		if (strncmp(at, label, bytes) == 0 &&
		    (!at[bytes] || at[bytes] == ','))
			return true;
	}
	return false;
}

const char *xs_result_add_label(struct xs_arena *arena, const char *list,
				const char *label)
{
	const char *at = label ? strstr(label, ADDRESS) : NULL;

	if (list && label && is_listed(list, label))
		return list;
	if (list && label && same_file(list, label))
		return xs_arena_join(arena, list,
				     label + same_file(list, label));
	return list && at && ends_with(list, label, (size_t)(at - label))
		   ? xs_arena_join(arena, list, at)
		   : xs_arena_join(arena, list, label);
}

bool xs_result_same_line(const struct xs_result_site *a,
			 const struct xs_result_site *b)
{
	return a->file && a->line != XS_UNKNOWN && a->line == b->line &&
	       xs_result_same_text(a->file, b->file);
}

bool xs_result_same_place(const struct xs_result_site *a,
			  const struct xs_result_site *b)
{
	if (!xs_result_same_text(a->step, b->step) ||
	    !xs_result_same_text(a->call, b->call) || a->line != b->line)
		return false;
	if (a->line != XS_UNKNOWN)
		return xs_result_same_text(a->file, b->file);
	return (a->module || a->function) &&
	       xs_result_same_text(a->module, b->module) &&
	       (a->module || xs_result_same_text(a->function, b->function)) &&
	       a->offset == b->offset;
}

/* Callers collected per site before the least frequent are dropped. */
#define COLLECTED_MAX 512u

static bool is_same(const struct xs_result_caller *a,
		    const struct xs_result_caller *b)
{
	return a->line == b->line && xs_result_same_text(a->file, b->file) &&
	       xs_result_same_text(a->function, b->function);
}

/* Doubles the room for callers when it is full. */
static bool make_room(struct xs_arena *arena, struct xs_result_site *site)
{
	const size_t count = site->caller_count;
	struct xs_result_caller *grown;

	if (count & (count - 1))
		return true;
	grown = xs_arena_alloc(arena, count ? 2 * count : 1,
			       sizeof(*site->callers));
	if (!grown)
		return false;
	if (count)
		memcpy(grown, site->callers, count * sizeof(*grown));
	site->callers = grown;
	return true;
}

void xs_result_add_caller(struct xs_arena *arena, struct xs_result_site *site,
			  const struct xs_result_caller *caller)
{
	size_t at = 0;

	while (at < site->caller_count && !is_same(&site->callers[at], caller))
		at++;
	if (at == site->caller_count) {
		if (at == COLLECTED_MAX || !make_room(arena, site))
			return;
		site->callers[site->caller_count++] = *caller;
		return;
	}
	xs_number_add(&site->callers[at].calls, caller->calls);
}

/* Equal counts are ordered as in the source. */
static int most_first(const void *a, const void *b)
{
	const struct xs_result_caller *left = a, *right = b;
	int files;

	if (left->calls != right->calls)
		return left->calls < right->calls ? 1 : -1;
	files = strcmp(left->file, right->file);
	return files ? files
		     : (left->line > right->line) - (left->line < right->line);
}

void xs_result_order_callers(struct xs_result_site *site)
{
	if (site->caller_count)
		qsort(site->callers, site->caller_count, sizeof(*site->callers),
		      most_first);
	if (site->caller_count > XS_CALLERS_MAX)
		site->caller_count = XS_CALLERS_MAX;
}
