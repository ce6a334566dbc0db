/* SPDX-License-Identifier: MIT */
#include "preload/util/objects.h"
#include "preload/util/imports.h"
#include "preload/util/phdr_iterate.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MOST_OBJECTS 4096u
#define PROGRAM	     "/proc/self/exe"

bool xs_objects_is(const char *path, const char *library)
{
	const char *slash = strrchr(path, '/');

	return strncmp(slash ? slash + 1 : path, library, strlen(library)) == 0;
}

/*
 * The loader's own list: walking it takes no lock and calls nothing back. It
 * is read where objects are rarely unloaded, once at CUDA's start and once at
 * its end; elsewhere with the loader's lock held.
 */
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
		    xs_objects_is(strings + d->d_un.d_val, library))
			return strings + d->d_un.d_val;
	return NULL;
}

static bool needs(const struct link_map *map, const char *library)
{
	return xs_objects_needed(map, library) != NULL;
}

/* By its file or its own name, as the loader has it, too. */
static bool is_named(const struct link_map *map, const char *library)
{
	const char *strings = xs_objects_strings(map);

	if (xs_objects_is(map->l_name, library))
		return true;
	if (strings)
		for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++)
			if (d->d_tag == DT_SONAME)
				return xs_objects_is(strings + d->d_un.d_val,
						     library);
	return false;
}

struct wanted {
	bool (*is_it)(const struct link_map *map, const char *library);
	const char *library;
	bool found;
};

/* For the first object alone, that is: for all, with the loader's lock held. */
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
		if (xs_objects_is(m->l_name, library) && visit(m->l_name, data))
			return;
}

static bool stop_at_first(const char *path, void *found)
{
	(void)path;
	*(bool *)found = true;
	return true;
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE
/* Looked up by its name: what was built with it is loaded by an older glibc,
 * too. Whether there is one. */
static bool find_without_lock(const void *address, const struct link_map **map)
{
	static _Atomic(uintptr_t) looked_up; /* 1: there is none */
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

bool xs_objects_are_hooked(void)
{
	const struct link_map *first =
	    xs_objects_at(dlsym(RTLD_DEFAULT, "cudaMemcpy"));
	bool loaded = false;

	xs_objects_each(XS_CUDART_LIBRARY, stop_at_first, &loaded);
	return loaded && first &&
	       first == xs_objects_at((const void *)xs_objects_are_hooked);
}

static bool section_is_device_code(int fd, const ElfW(Shdr) * section,
				   off_t names_at)
{
	static const char wanted[] = ".nv_fatbin";
	char name[sizeof(wanted)];

	return pread(fd, name, sizeof(name), names_at + section->sh_name) ==
		   (ssize_t)sizeof(name) &&
	       memcmp(name, wanted, sizeof(name)) == 0;
}

/* Section headers are not loaded: they are read from the file. */
bool xs_objects_has_device_code(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ElfW(Ehdr) header;
	ElfW(Shdr) names, section;
	bool found = false;

	if (fd < 0)
		return false;
	if (pread(fd, &header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
	    header.e_shentsize != sizeof(section) ||
	    pread(fd, &names, sizeof(names),
		  (off_t)(header.e_shoff + (uint64_t)header.e_shstrndx *
					       sizeof(names))) != sizeof(names))
		goto out;
	for (unsigned i = 0; !found && i < header.e_shnum; i++) {
		off_t at = (off_t)(header.e_shoff + i * sizeof(section));
		if (pread(fd, &section, sizeof(section), at) != sizeof(section))
			break;
		found = section_is_device_code(fd, &section,
					       (off_t)names.sh_offset);
	}
out:
	close(fd);
	return found;
}

/* What device code is registered with. */
static bool is_registration(const char *name)
{
	return strcmp(name, "__cudaRegisterFatBinary") == 0;
}

bool xs_objects_may_bring_cudart(const struct link_map *map)
{
	return !xs_objects_needed(map, XS_CUDART_LIBRARY) &&
	       !xs_imports_any(map, is_registration);
}

static bool brings_cudart(const struct link_map *map)
{
	/* the file first: few have any, and tables are read the less */
	return xs_objects_has_device_code(xs_objects_path(map)) &&
	       xs_objects_may_bring_cudart(map);
}

bool xs_objects_program_brings_cudart(void)
{
	return brings_cudart(xs_objects_first());
}

bool xs_objects_program_alone_brings_cudart(void)
{
	unsigned seen = 0;

	if (!xs_objects_program_brings_cudart())
		return false;
	for (const struct link_map *m = xs_objects_first()->l_next;
	     m && seen < MOST_OBJECTS; m = m->l_next, seen++)
		if (m->l_name[0] && brings_cudart(m))
			return false;
	return true;
}

void xs_objects_list_cudart(void (*write)(const char *line))
{
	unsigned seen = 0;

	for (const struct link_map *m = xs_objects_first();
	     m && seen < MOST_OBJECTS; m = m->l_next, seen++) {
		const char *path = xs_objects_path(m);
		char target[PATH_MAX], line[PATH_MAX + 16];
		ssize_t n;
		bool dynamic = xs_objects_is(path, XS_CUDART_LIBRARY);

		if (!m->l_name[0] && seen > 0)
			continue;
		if (!dynamic && !brings_cudart(m))
			continue;
		n = m->l_name[0] ? -1
				 : readlink(path, target, sizeof(target) - 1);
		target[n > 0 ? n : 0] = '\0';
		snprintf(line, sizeof(line), "%s:%s",
			 dynamic ? "dynamic" : "static", n > 0 ? target : path);
		write(line);
	}
}
