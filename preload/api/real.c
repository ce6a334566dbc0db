/* SPDX-License-Identifier: MIT */
#include "preload/api/real.h"
#include "preload/util/guard.h"
#include "preload/util/objects.h"

#include <dlfcn.h>
#include <string.h>

/* In the ABI the caller removes the arguments, so one function without
 * parameters can replace any other. */
static cudaError_t not_found(void)
{
	return cudaErrorSharedObjectSymbolNotFound;
}

/* RTLD_NOLOAD adds a reference, which is kept: the runtime must stay loaded
 * while we hold pointers into it. */
static void *lookup_in(const char *library, const char *name)
{
	void *handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);

	return handle ? dlsym(handle, name) : NULL;
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
