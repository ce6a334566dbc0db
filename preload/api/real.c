/* SPDX-License-Identifier: MIT */
#include "preload/api/real.h"
#include "preload/util/guard.h"
#include "preload/util/objects.h"
#include "preload/util/symbol_table.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

/* In the ABI the caller removes the arguments, so one function without
 * parameters can replace any other. */
static cudaError_t not_found(void)
{
	return cudaErrorSharedObjectSymbolNotFound;
}

#define MAX_LIBRARIES 8u

/* Libraries that lookup_in() has found: they stay loaded. */
static _Atomic(const struct link_map *) libraries[MAX_LIBRARIES];

static const struct link_map *find_known(const char *library)
{
	const struct link_map *map;

	for (unsigned i = 0; i < MAX_LIBRARIES; i++) {
		map = atomic_load(&libraries[i]);
		if (!map || xs_objects_has_name(map, library))
			return map;
	}
	return NULL;
}

/* RTLD_NOLOAD adds a reference, which is kept: the runtime must stay loaded
 * while we hold pointers into it. */
static const struct link_map *find_library(const char *library)
{
	const struct link_map *map = find_known(library), *none = NULL;
	void *handle;

	if (map)
		return map;
	handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
	if (!handle || dlinfo(handle, RTLD_DI_LINKMAP, &map))
		return NULL;
	for (unsigned i = 0; i < MAX_LIBRARIES && none != map; i++) {
		none = NULL;
		if (atomic_compare_exchange_strong(&libraries[i], &none, map))
			break;
	}
	return map;
}

/* Calls dlopen() and dlsym() only if it must: they delete the message that the
 * program's next dlerror() would return. */
static void *lookup_in(const char *library, const char *name)
{
	const struct link_map *map = find_library(library);
	void *found = map ? xs_symbol_table_function(map, name) : NULL;

	/* glibc's handles are its entries */
	return found || !map ? found : dlsym((void *)(uintptr_t)map, name);
}

struct wanted {
	const char *library, *name;
	uintptr_t address;
	void *found;
};

static bool lookup_at(const struct xs_loaded_object *object, void *data)
{
	struct wanted *wanted = data;

	wanted->found = lookup_in(object->path, wanted->name);
	return wanted->found != NULL;
}

/*
 * A process may have libraries of several major versions, some of them in their
 * own scope. So the order is: the library that the calling object itself is
 * linked to; what the symbol search finds next; the calling object itself, if
 * the library is linked into it; any loaded one.
 */
static void look_up(void *data)
{
	struct wanted *wanted = data;
	const struct link_map *map =
	    xs_objects_at((const void *)(wanted->address - 1));
	const char *needed;

	if (map) {
		needed = xs_objects_is_library(map->l_name, wanted->library)
			     ? map->l_name
			     : xs_objects_needed(map, wanted->library);
		wanted->found = needed ? lookup_in(needed, wanted->name) : NULL;
	}
	if (!wanted->found)
		wanted->found = dlsym(RTLD_NEXT, wanted->name);
	/* The executable has no name, and its scope begins with our hooks. */
	if (!wanted->found && map && map->l_name[0])
		wanted->found = lookup_in(map->l_name, wanted->name);
	if (!wanted->found)
		xs_objects_each(wanted->library, lookup_at, wanted);
}

void *xs_real_symbol(const char *library, const char *name, uintptr_t address)
{
	struct wanted wanted = {
	    .library = library, .name = name, .address = address};

	xs_guard_run(look_up, &wanted);
	return wanted.found;
}

xs_real_fn xs_real_resolve(enum xs_function fn, uintptr_t address)
{
	void *found =
	    xs_real_symbol(XS_CUDART_LIBRARY, xs_functions[fn].name, address);
	xs_real_fn real = (xs_real_fn)not_found;

	if (found)
		memcpy(&real, &found, sizeof(real));
	return real;
}
