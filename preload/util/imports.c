/* SPDX-License-Identifier: MIT */
#include "preload/util/imports.h"
#include "preload/util/objects.h"

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

bool xs_imports_any(const struct link_map *map,
		    bool (*wanted)(const char *name))
{
	const struct imports in = find_imports(map);

	if (!in.symbols || !in.strings)
		return false;
	return any_from(&in, in.calls, in.calls_bytes, 0, wanted) ||
	       any_from(&in, in.others, in.others_bytes, in.relative, wanted);
}
