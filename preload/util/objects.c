/* SPDX-License-Identifier: MIT */
#include "preload/util/objects.h"
#include "preload/util/hot.h"
#include "preload/util/phdr_iterate.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

/* Space for the copy of the loader's list: some 10,000 objects. Only touched
 * pages take memory. */
#define COPY_BYTES (1u << 20)

bool xs_objects_is_library(const char *path, const char *library)
{
	const char *slash = strrchr(path, '/');

	return strncmp(slash ? slash + 1 : path, library, strlen(library)) == 0;
}

const char *xs_objects_symbols(void *library, const struct xs_symbol *symbols,
			       size_t count)
{
	const char *missing = NULL;

	for (size_t i = 0; i < count; i++) {
		void *symbol = dlsym(library, symbols[i].name);

		if (symbol)
			memcpy(symbols[i].slot, &symbol, sizeof(symbol));
		else if (!missing && !symbols[i].is_optional)
			missing = symbols[i].name;
	}
	return missing;
}

const struct link_map *xs_objects_program(void)
{
	return _r_debug.r_map;
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

/* Returns NULL if it has none. */
static const char *soname_of(const struct link_map *map)
{
	const char *strings = xs_objects_strings(map);

	if (strings)
		for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++)
			if (d->d_tag == DT_SONAME)
				return strings + d->d_un.d_val;
	return NULL;
}

/* Compares the file's name, and the soname, as the loader does. */
static bool is_named(const struct link_map *map, const char *library)
{
	const char *soname = soname_of(map);

	return xs_objects_is_library(map->l_name, library) ||
	       (soname && xs_objects_is_library(soname, library));
}

bool xs_objects_has_name(const struct link_map *map, const char *name)
{
	const char *soname = soname_of(map);

	return strcmp(map->l_name, name) == 0 ||
	       (soname && strcmp(soname, name) == 0);
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
	for (const struct link_map *m = xs_objects_program();
	     m && !wanted->found; m = m->l_next)
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

/* Copied objects, one behind the other. */
struct copied {
	const struct link_map *map;
	size_t bytes; /* of this object with its path */
	char path[];
};

struct copying {
	const char *library; /* NULL: any */
	char *at, *end;
};

static void copy_object(const struct link_map *map, struct copying *copying)
{
	/* the executable has no name */
	const bool program = map == xs_objects_program();
	const char *path = program ? XS_OBJECTS_PROGRAM : map->l_name;
	const size_t align = _Alignof(struct copied),
		     bytes = sizeof(struct copied) + strlen(path) + align;
	struct copied *copied = (void *)copying->at;

	if (!path[0] || (size_t)(copying->end - copying->at) < bytes ||
	    (copying->library &&
	     !xs_objects_is_library(path, copying->library)))
		return;
	copied->map = map;
	copied->bytes = bytes / align * align;
	strcpy(copied->path, path);
	copying->at += copied->bytes;
}

/* As look_at_all() */
static int copy_all(struct dl_phdr_info *info, size_t bytes, void *data)
{
	(void)info, (void)bytes;
	for (const struct link_map *m = xs_objects_program(); m; m = m->l_next)
		copy_object(m, data);
	return 1;
}

void xs_objects_each(const char *library,
		     bool (*visit)(const struct xs_loaded_object *object,
				   void *data),
		     void *data)
{
	char *memory = mmap(NULL, COPY_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct copying copying = {library, memory, NULL};
	const struct copied *copied = (void *)memory;
	bool done = false;

	if (memory == MAP_FAILED)
		return;
	copying.end = memory + COPY_BYTES;
	xs_phdr_iterate(copy_all, &copying);
	while (!done && (const char *)copied < copying.at) {
		const struct xs_loaded_object object = {copied->map,
							copied->path};

		done = visit(&object, data);
		copied = (const void *)((const char *)copied + copied->bytes);
	}
	munmap(memory, COPY_BYTES);
}

struct question {
	const struct xs_loaded_object *object;
	bool (*ask)(const struct link_map *map);
	bool answer;
};

/* As look_at_all(). Another object may have the address of an unloaded one. */
static int find_and_ask(struct dl_phdr_info *info, size_t bytes, void *data)
{
	struct question *question = data;
	const struct xs_loaded_object *object = question->object;

	(void)info, (void)bytes;
	for (const struct link_map *m = xs_objects_program(); m; m = m->l_next)
		if (m == object->map && (m == xs_objects_program() ||
					 strcmp(m->l_name, object->path) == 0))
			question->answer = question->ask(m);
	return 1;
}

bool xs_objects_ask(const struct xs_loaded_object *object,
		    bool (*ask)(const struct link_map *map))
{
	struct question question = {.object = object, .ask = ask};

	xs_phdr_iterate(find_and_ask, &question);
	return question.answer;
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE
/* Uses _dl_find_object(), looked up by name, since a library that was built
 * with it may run on an older glibc. Returns whether glibc has it. */
static bool find_without_lock(const void *address, const struct link_map **map)
{
	static _Atomic(uintptr_t) looked_up; /* 1: glibc lacks it */
	uintptr_t at = xs_relaxed(&looked_up);
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
