/* SPDX-License-Identifier: MIT */
#include "preload/util/cudart_objects.h"
#include "preload/util/imports.h"
#include "preload/util/objects.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAX_OBJECTS 4096u

static bool stop_at_first(const char *path, void *found)
{
	(void)path;
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
bool xs_cudart_objects_has_device_code(const char *path)
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

bool xs_cudart_objects_may_contain(const struct link_map *map)
{
	return !xs_objects_needed(map, XS_CUDART_LIBRARY) &&
	       !xs_imports_any(map, is_registration);
}

static bool contains_cudart(const struct link_map *map)
{
	/* Check the file first: few objects contain device code, so few tables
	 * have to be read. */
	return xs_cudart_objects_has_device_code(xs_objects_path(map)) &&
	       xs_cudart_objects_may_contain(map);
}

bool xs_cudart_objects_in_program(void)
{
	return contains_cudart(xs_objects_first());
}

void xs_cudart_objects_list(void (*write)(const char *line))
{
	unsigned seen = 0;

	for (const struct link_map *m = xs_objects_first();
	     m && seen < MAX_OBJECTS; m = m->l_next, seen++) {
		const char *path = xs_objects_path(m);
		char target[PATH_MAX], line[PATH_MAX + 16];
		ssize_t n;
		bool dynamic = xs_objects_is_library(path, XS_CUDART_LIBRARY);

		if (!m->l_name[0] && seen > 0)
			continue;
		if (!dynamic && !contains_cudart(m))
			continue;
		n = m->l_name[0] ? -1
				 : readlink(path, target, sizeof(target) - 1);
		target[n > 0 ? n : 0] = '\0';
		snprintf(line, sizeof(line), "%s:%s",
			 dynamic ? "dynamic" : "static", n > 0 ? target : path);
		write(line);
	}
}
