/* SPDX-License-Identifier: MIT */
#include "preload/util/objects.h"
#include "preload/util/phdr_iterate.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#define PROGRAM "/proc/self/exe"

bool xs_objects_is_library(const char *path, const char *library)
{
	const char *slash = strrchr(path, '/');

	return strncmp(slash ? slash + 1 : path, library, strlen(library)) == 0;
}

/* The loader's own list. Walking it takes no lock and calls nothing back. It is
 * read without a lock only where objects are rarely unloaded: once at CUDA's
 * start and once at the end. Everywhere else the loader's lock is held. */
const struct link_map *xs_objects_first(void)
{
	return _r_debug.r_map;
}

/* The executable comes first and has no name. */
const char *xs_objects_path(const struct link_map *map)
{
	return map->l_name[0] ? map->l_name : PROGRAM;
}

const char *xs_objects_strings(const struct link_map *map)
{
	const char *strings = NULL;

	for (const ElfW(Dyn) *d = map->l_ld; d && d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_STRTAB)
			strings = (const char *)d->d_un.d_ptr;
	/* The vdso's table is not relocated. */
	return (uintptr_t)strings < map->l_addr ? NULL : strings;
}

const char *xs_objects_needed(const struct link_map *map, const char *library)
{
	const char *strings = xs_objects_strings(map);

	if (!strings)
		return NULL;
	for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_NEEDED &&
		    xs_objects_is_library(strings + d->d_un.d_val, library))
			return strings + d->d_un.d_val;
	return NULL;
}

static bool needs(const struct link_map *map, const char *library)
{
	return xs_objects_needed(map, library) != NULL;
}

/* Compares the file's name, and the soname, as the loader does. */
static bool is_named(const struct link_map *map, const char *library)
{
	const char *strings = xs_objects_strings(map);

	if (xs_objects_is_library(map->l_name, library))
		return true;
	if (strings)
		for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++)
			if (d->d_tag == DT_SONAME)
				return xs_objects_is_library(
				    strings + d->d_un.d_val, library);
	return false;
}

struct wanted {
	bool (*is_it)(const struct link_map *map, const char *library);
	const char *library;
	bool found;
};

/* Called for the first object only, while the loader's lock is held: looks at
 * all objects and ends the iteration. */
static int look_at_all(struct dl_phdr_info *info, size_t bytes, void *data)
{
	struct wanted *wanted = data;

	(void)info, (void)bytes;
	for (const struct link_map *m = xs_objects_first(); m && !wanted->found;
	     m = m->l_next)
		wanted->found = wanted->is_it(m, wanted->library);
	return 1;
}

bool xs_objects_any_needs(const char *library)
{
	struct wanted wanted = {.is_it = needs, .library = library};

	xs_phdr_iterate(look_at_all, &wanted);
	return wanted.found;
}

void *xs_objects_driver(void)
{
	struct wanted wanted = {.is_it = is_named, .library = XS_DRIVER};

	xs_phdr_iterate(look_at_all, &wanted);
	return wanted.found ? dlopen(XS_DRIVER, RTLD_LAZY | RTLD_NOLOAD) : NULL;
}

void xs_objects_each(const char *library,
		     bool (*visit)(const char *path, void *data), void *data)
{
	for (const struct link_map *m = xs_objects_first(); m; m = m->l_next)
		if (xs_objects_is_library(m->l_name, library) &&
		    visit(m->l_name, data))
			return;
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE
/* Uses _dl_find_object(), looked up by name, since a library that was built
 * with it may run on an older glibc. Returns whether glibc has it. */
static bool find_without_lock(const void *address, const struct link_map **map)
{
	static _Atomic(uintptr_t) looked_up; /* 1: glibc lacks it */
	uintptr_t at = atomic_load_explicit(&looked_up, memory_order_relaxed);
	struct dl_find_object found;
	__typeof(_dl_find_object) *find;

	if (!at) {
		at = (uintptr_t)dlsym(RTLD_DEFAULT, "_dl_find_object");
		at = at ? at : 1;
		atomic_store(&looked_up, at);
	}
	if (at == 1)
		return false;
	memcpy(&find, &at, sizeof(find));
	*map = find((void *)address, &found) == 0 ? found.dlfo_link_map : NULL;
	return true;
}
#else
static bool find_without_lock(const void *address, const struct link_map **map)
{
	(void)address, (void)map;
	return false;
}
#endif

const struct link_map *xs_objects_at(const void *address)
{
	const struct link_map *map = NULL;
	Dl_info info;

	if (!find_without_lock(address, &map) &&
	    !dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP))
		map = NULL;
	return map;
}
