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

#define MAX_KNOWN  4096u
#define TEXT_BYTES 65536u

/* Functions of the table that only callbacks see, and cuGetProcAddress, which
 * returns such functions. */
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

/* CUDA's own libraries: a shared runtime is hooked, and the others are called
 * by it or by us. */
static bool is_cuda_library(const char *path)
{
	return xs_objects_is_library(path, XS_CUDART_LIBRARY) ||
	       xs_objects_is_library(path, XS_CUPTI_LIBRARY) ||
	       xs_objects_is_library(path, "libcuda.so") ||
	       xs_objects_is_library(path, "libnvidia-");
}

static char found[PATH_MAX]; /* "": none yet */

/* The objects that were examined, by the address of their dynamic section; and
 * the paths of those whose files still have to be read. */
static struct {
	unsigned long long load_count, unload_count;
	const void *known[MAX_KNOWN];
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

/* Returns false if there was no space to remember the object. */
static bool examine(const struct link_map *map)
{
	const char *path = xs_objects_path(map);
	const size_t bytes = strlen(path) + 1;

	if (is_known(map))
		return true;
	if (seen.count == MAX_KNOWN || seen.unread_bytes + bytes > TEXT_BYTES)
		return false;
	seen.known[seen.count++] = map->l_ld;
	if (is_cuda_library(path))
		return true;
	if (xs_imports_any(map, is_unhooked)) {
		snprintf(found, sizeof(found), "%s", path);
	} else if (xs_cudart_objects_may_contain(map)) {
		memcpy(seen.unread + seen.unread_bytes, path, bytes);
		seen.unread_bytes += bytes;
	}
	return true;
}

/* Called for the first object only, while the loader's lock is held; examines
 * all objects. It opens no file, since open() may be another library's function
 * that takes another lock of the loader. */
static int examine_all(struct dl_phdr_info *info, size_t bytes, void *unused)
{
	const struct link_map *map = xs_objects_first();

	(void)unused;
	if (bytes < offsetof(struct dl_phdr_info, dlpi_subs) +
			sizeof(info->dlpi_subs) ||
	    (info->dlpi_adds == seen.load_count &&
	     info->dlpi_subs == seen.unload_count))
		return 1;
	if (info->dlpi_subs != seen.unload_count)
		seen.count = 0;
	seen.unload_count = info->dlpi_subs;
	while (map && !found[0] && examine(map))
		map = map->l_next;
	if (!map) /* otherwise the rest is examined next time */
		seen.load_count = info->dlpi_adds;
	return 1;
}

const char *xs_unhooked_objects_find(void)
{
	seen.unread_bytes = 0;
	if (!found[0])
		xs_phdr_iterate(examine_all, NULL);
	for (size_t at = 0; !found[0] && at < seen.unread_bytes;
	     at += strlen(seen.unread + at) + 1)
		if (xs_cudart_objects_has_device_code(seen.unread + at))
			snprintf(found, sizeof(found), "%s", seen.unread + at);
	return found[0] ? found : NULL;
}
