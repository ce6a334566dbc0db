/* SPDX-License-Identifier: MIT */
#include "preload/api/unhooked_objects.h"
#include "preload/api/functions.h"
#include "preload/util/cudart_objects.h"
#include "preload/util/imports.h"
#include "preload/util/objects.h"
#include "preload/util/phdr_iterate.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define MOST_KNOWN 4096u
#define TEXT_BYTES 65536u

/* Recorded, and by callbacks alone; or the way to such functions. */
static bool is_unhooked(const char *name)
{
	if (strncmp(name, "cu", 2) != 0)
		return false;
	if (strncmp(name, "cuGetProcAddress", 16) == 0)
		return true;
	for (int fn = 0; fn < XS_FN_COUNT; fn++)
		if (xs_functions[fn].cupti_name &&
		    strcmp(xs_functions[fn].name, name) == 0)
			return true;
	return false;
}

/* CUDA's own: a runtime that is shared is hooked, and the rest is called by it
 * or by us. */
static bool is_cudas(const char *path)
{
	return xs_objects_is_library(path, XS_CUDART_LIBRARY) ||
	       xs_objects_is_library(path, XS_CUPTI_LIBRARY) ||
	       xs_objects_is_library(path, "libcuda.so") ||
	       xs_objects_is_library(path, "libnvidia-");
}

static char found[PATH_MAX]; /* "": none, so far */

/* Of the objects that are loaded those that were looked at, by where their
 * dynamic section lies; and the paths of those whose files are to be read. */
static struct {
	unsigned long long loads, unloads;
	const void *known[MOST_KNOWN];
	unsigned count;
	char unread[TEXT_BYTES];
	size_t unread_bytes;
} seen;

static bool is_known(const struct link_map *map)
{
	for (unsigned i = 0; i < seen.count; i++)
		if (seen.known[i] == map->l_ld)
			return true;
	return false;
}

/* Whether there was room for it. */
static bool look_at(const struct link_map *map)
{
	const char *path = xs_objects_path(map);
	const size_t bytes = strlen(path) + 1;

	if (is_known(map))
		return true;
	if (seen.count == MOST_KNOWN || seen.unread_bytes + bytes > TEXT_BYTES)
		return false;
	seen.known[seen.count++] = map->l_ld;
	if (is_cudas(path))
		return true;
	if (xs_imports_any(map, is_unhooked)) {
		snprintf(found, sizeof(found), "%s", path);
	} else if (xs_cudart_objects_may_contain(map)) {
		memcpy(seen.unread + seen.unread_bytes, path, bytes);
		seen.unread_bytes += bytes;
	}
	return true;
}

/*
 * For the first object alone, that is: for all, with the loader's lock held.
 * What opens a file may be somebody else's function, which wants another lock
 * of the loader: no file is read here.
 */
static int look(struct dl_phdr_info *info, size_t bytes, void *unused)
{
	const struct link_map *map = xs_objects_first();

	(void)unused;
	if (bytes < offsetof(struct dl_phdr_info, dlpi_subs) +
			sizeof(info->dlpi_subs) ||
	    (info->dlpi_adds == seen.loads && info->dlpi_subs == seen.unloads))
		return 1;
	if (info->dlpi_subs != seen.unloads)
		seen.count = 0;
	seen.unloads = info->dlpi_subs;
	while (map && !found[0] && look_at(map))
		map = map->l_next;
	if (!map) /* else the rest is for the next time */
		seen.loads = info->dlpi_adds;
	return 1;
}

const char *xs_unhooked_objects_find(void)
{
	seen.unread_bytes = 0;
	if (!found[0])
		xs_phdr_iterate(look, NULL);
	for (size_t at = 0; !found[0] && at < seen.unread_bytes;
	     at += strlen(seen.unread + at) + 1)
		if (xs_cudart_objects_has_device_code(seen.unread + at))
			snprintf(found, sizeof(found), "%s", seen.unread + at);
	return found[0] ? found : NULL;
}
