/* SPDX-License-Identifier: MIT */
#include "preload/bypass.h"
#include "preload/functions.h"
#include "preload/objects.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static bool is_recorded_driver_function(const char *name)
{
	if (strncmp(name, "cu", 2) != 0 || strncmp(name, "cuda", 4) == 0)
		return false;
	if (strncmp(name, "cuGetProcAddress", 16) == 0)
		return true;
	for (int fn = 0; fn < XS_FN_COUNT; fn++)
		if (strcmp(xs_functions[fn].name, name) == 0)
			return true;
	return false;
}

/* Of an object: what its relocations take from others, by name. Its symbols
 * have no number that the loader would know. */
struct imports {
	const ElfW(Sym) * symbols;
	const char *strings;
	const ElfW(Rela) * calls, *others;
	size_t calls_bytes, others_bytes;
	size_t relative; /* of the others the first, which have no symbol */
};

static struct imports find_imports(const struct link_map *map)
{
	struct imports found = {0};

	for (const ElfW(Dyn) *d = map->l_ld; d && d->d_tag != DT_NULL; d++) {
		const void *at = (const void *)d->d_un.d_ptr;

		switch (d->d_tag) {
		case DT_SYMTAB:
			found.symbols = at;
			break;
		case DT_STRTAB:
			found.strings = at;
			break;
		case DT_JMPREL:
			found.calls = at;
			break;
		case DT_PLTRELSZ:
			found.calls_bytes = d->d_un.d_val;
			break;
		case DT_RELA:
			found.others = at;
			break;
		case DT_RELASZ:
			found.others_bytes = d->d_un.d_val;
			break;
		case DT_RELACOUNT:
			found.relative = d->d_un.d_val;
			break;
		default:
			break;
		}
	}
	return found;
}

static bool any_is_driver(const struct imports *in, const ElfW(Rela) * from,
			  size_t bytes, size_t first)
{
	const size_t count = from ? bytes / sizeof(*from) : 0;

	for (size_t i = first; i < count; i++) {
		const ElfW(Sym) *symbol =
		    &in->symbols[ELF64_R_SYM(from[i].r_info)];

		if (symbol->st_shndx == SHN_UNDEF &&
		    is_recorded_driver_function(in->strings + symbol->st_name))
			return true;
	}
	return false;
}

static bool imports_driver(const struct link_map *map)
{
	const struct imports in = find_imports(map);

	/* The vdso's table is not relocated. */
	if (!in.symbols || !in.strings || (uintptr_t)in.strings < map->l_addr)
		return false;
	return any_is_driver(&in, in.calls, in.calls_bytes, 0) ||
	       any_is_driver(&in, in.others, in.others_bytes, in.relative);
}

/* CUDA's own: a runtime that is shared is hooked, and the rest is called by it
 * or by us. */
static bool is_cudas(const char *path)
{
	return xs_objects_is(path, XS_CUDART_LIBRARY) ||
	       xs_objects_is(path, XS_CUPTI_LIBRARY) ||
	       xs_objects_is(path, "libcuda.so") ||
	       xs_objects_is(path, "libnvidia-");
}

/* What is loaded, as it was looked at last. */
static struct {
	unsigned long long loads, unloads;
	char object[PATH_MAX]; /* "": none */
} last;

static bool may_pass_by(const struct link_map *map)
{
	return !is_cudas(xs_objects_path(map)) &&
	       (imports_driver(map) || xs_objects_brings_cudart(map));
}

/* For the first object alone, that is: for all, with the loader's lock held. */
static int look(struct dl_phdr_info *info, size_t bytes, void *unused)
{
	const struct link_map *map = xs_objects_first();

	(void)unused;
	if (bytes < offsetof(struct dl_phdr_info, dlpi_subs) +
			sizeof(info->dlpi_subs) ||
	    (info->dlpi_adds == last.loads && info->dlpi_subs == last.unloads))
		return 1;
	last.loads = info->dlpi_adds;
	last.unloads = info->dlpi_subs;
	while (map && !may_pass_by(map))
		map = map->l_next;
	snprintf(last.object, sizeof(last.object), "%s",
		 map ? xs_objects_path(map) : "");
	return 1;
}

const char *xs_bypass_object(void)
{
	dl_iterate_phdr(look, NULL);
	return last.object[0] ? last.object : NULL;
}
