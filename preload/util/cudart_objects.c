/* SPDX-License-Identifier: MIT */
#include "preload/util/cudart_objects.h"
#include "preload/util/objects.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Symbols that an object's relocations import by name. The dynamic section does
 * not give the number of symbols, so relocations are walked instead. */
struct imports {
	const ElfW(Sym) * symbols;
	const char *strings;
	const ElfW(Rela) * calls, *others;
	size_t calls_bytes, others_bytes;
	size_t relative; /* the first of `others`, which have no symbol */
};

static struct imports find_imports(const struct link_map *map)
{
	struct imports in = {.strings = xs_objects_strings(map)};

	for (const ElfW(Dyn) *d = map->l_ld; d && d->d_tag != DT_NULL; d++) {
		const void *at = (const void *)d->d_un.d_ptr;

		switch (d->d_tag) {
		case DT_SYMTAB:
			in.symbols = at;
			break;
		case DT_JMPREL:
			in.calls = at;
			break;
		case DT_PLTRELSZ:
			in.calls_bytes = d->d_un.d_val;
			break;
		case DT_RELA:
			in.others = at;
			break;
		case DT_RELASZ:
			in.others_bytes = d->d_un.d_val;
			break;
		case DT_RELACOUNT:
			in.relative = d->d_un.d_val;
			break;
		default:
			break;
		}
	}
	return in;
}

static bool any_from(const struct imports *in, const ElfW(Rela) * from,
		     size_t bytes, size_t first,
		     bool (*wanted)(const char *name))
{
	const size_t count = from ? bytes / sizeof(*from) : 0;

	for (size_t i = first; i < count; i++) {
		const ElfW(Sym) *symbol =
		    &in->symbols[ELF64_R_SYM(from[i].r_info)];

		if (symbol->st_shndx == SHN_UNDEF &&
		    wanted(in->strings + symbol->st_name))
			return true;
	}
	return false;
}

/* Returns whether the object imports a function or variable whose name
 * `wanted` accepts. Reads the object's tables in memory; it must stay loaded
 * meanwhile. */
static bool imports_any(const struct link_map *map,
			bool (*wanted)(const char *name))
{
	const struct imports in = find_imports(map);

	if (!in.symbols || !in.strings)
		return false;
	return any_from(&in, in.calls, in.calls_bytes, 0, wanted) ||
	       any_from(&in, in.others, in.others_bytes, in.relative, wanted);
}

static bool stop_at_first(const struct xs_loaded_object *object, void *found)
{
	(void)object;
	*(bool *)found = true;
	return true;
}

bool xs_cudart_objects_are_hooked(void)
{
	const struct link_map *first =
	    xs_objects_at(dlsym(RTLD_DEFAULT, "cudaMemcpy"));
	bool loaded = false;

	xs_objects_each(XS_CUDART_LIBRARY, stop_at_first, &loaded);
	return loaded && first &&
	       first ==
		   xs_objects_at((const void *)xs_cudart_objects_are_hooked);
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

/* Section headers are not mapped by the loader, so they are read from the
 * file. */
static bool has_device_code(const char *path)
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

/* Objects that contain device code call this function at load time. */
static bool is_registration(const char *name)
{
	return strcmp(name, "__cudaRegisterFatBinary") == 0;
}

/* Returns whether a runtime is linked into an object, given that its file
 * contains device code: it needs no libcudart and does not import the functions
 * that register device code. */
static bool may_contain(const struct link_map *map)
{
	return !xs_objects_needed(map, XS_CUDART_LIBRARY) &&
	       !imports_any(map, is_registration);
}

static bool is_driver_work(const char *name)
{
	return strncmp(name, "cuLaunch", 8) == 0 ||
	       strncmp(name, "cuMemcpy", 8) == 0;
}

bool xs_cudart_objects_issue_alone(void)
{
	return has_device_code(XS_OBJECTS_PROGRAM) &&
	       may_contain(xs_objects_program()) &&
	       !imports_any(xs_objects_program(), is_driver_work);
}

static bool list_object(const struct xs_loaded_object *object, void *data)
{
	void (*const *write)(const char *line) = data;
	const bool dynamic =
	    xs_objects_is_library(object->path, XS_CUDART_LIBRARY);
	char target[PATH_MAX], line[PATH_MAX + 16];
	ssize_t n = -1;

	/* Check the file first: few objects contain device code, so few tables
	 * have to be read. */
	if (!dynamic && !(has_device_code(object->path) &&
			  xs_objects_ask(object, may_contain)))
		return false;
	if (strcmp(object->path, XS_OBJECTS_PROGRAM) == 0)
		n = readlink(object->path, target, sizeof(target) - 1);
	target[n > 0 ? n : 0] = '\0';
	snprintf(line, sizeof(line), "%s:%s", dynamic ? "dynamic" : "static",
		 n > 0 ? target : object->path);
	(*write)(line);
	return false;
}

void xs_cudart_objects_list(void (*write)(const char *line))
{
	xs_objects_each(NULL, list_object, &write);
}
