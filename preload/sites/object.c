/* SPDX-License-Identifier: MIT */
#include "preload/sites/object.h"
#include "preload/util/phdr_iterate.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct search {
	uintptr_t address;
	struct xs_object *module;
	bool found;
};

static bool holds(const struct dl_phdr_info *info, uintptr_t address)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		if (ph->p_type == PT_LOAD &&
		    address - (info->dlpi_addr + ph->p_vaddr) < ph->p_memsz)
			return true;
	}
	return false;
}

static void print_hex(char *out, size_t out_bytes, const uint8_t *bytes,
		      size_t count)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < count && 2 * i + 2 < out_bytes; i++) {
		out[2 * i] = digits[bytes[i] >> 4];
		out[2 * i + 1] = digits[bytes[i] & 15];
		out[2 * i + 2] = '\0';
	}
}

static void read_build_id(const struct dl_phdr_info *info,
			  struct xs_object *module)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		if (ph->p_type != PT_NOTE)
			continue;

		const char *at = (const char *)(info->dlpi_addr + ph->p_vaddr);
		const char *end = at + ph->p_memsz;
		while (end - at >= (ptrdiff_t)sizeof(ElfW(Nhdr))) {
			const ElfW(Nhdr) *note = (const void *)at;
			const char *name = at + sizeof(*note);
			const char *desc = name + (note->n_namesz + 3u) / 4 * 4;
			const char *next = desc + (note->n_descsz + 3u) / 4 * 4;
			if (next > end)
				break;
			if (note->n_type == NT_GNU_BUILD_ID &&
			    note->n_namesz == 4 && !memcmp(name, "GNU", 4)) {
				print_hex(
				    module->build_id, sizeof(module->build_id),
				    (const uint8_t *)desc, note->n_descsz);
				return;
			}
			at = next;
		}
	}
}

static void read_name(const struct dl_phdr_info *info, struct xs_object *module)
{
	snprintf(module->path, sizeof(module->path), "%s",
		 info->dlpi_name ? info->dlpi_name : "");
}

/* The executable has no name. A relative path is resolved from the current
 * directory; the build id shows if that finds another file. */
static void find_path(struct xs_object *module)
{
	char path[PATH_MAX];
	ssize_t n;

	if (!module->path[0]) {
		n = readlink("/proc/self/exe", module->path,
			     sizeof(module->path) - 1);
		module->path[n > 0 ? n : 0] = '\0';
	} else if (module->path[0] != '/' && realpath(module->path, path)) {
		memcpy(module->path, path, strlen(path) + 1);
	}
}

static int match(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *search = data;

	(void)size;
	if (!holds(info, search->address))
		return 0;
	search->module->base = info->dlpi_addr;
	search->module->build_id[0] = '\0';
	read_name(info, search->module);
	read_build_id(info, search->module);
	search->found = true;
	return 1;
}

int xs_object_find(uintptr_t address, struct xs_object *module)
{
	struct search search = {.address = address, .module = module};

	xs_phdr_iterate(match, &search);
	if (!search.found)
		return -ENOENT;
	find_path(module);
	return 0;
}

struct range {
	uintptr_t address, begin, end;
};

static int find_code(struct dl_phdr_info *info, size_t size, void *data)
{
	struct range *range = data;

	(void)size;
	if (!holds(info, range->address))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uintptr_t begin = info->dlpi_addr + ph->p_vaddr;
		if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_X))
			continue;
		if (!range->end || begin < range->begin)
			range->begin = begin;
		if (begin + ph->p_memsz > range->end)
			range->end = begin + ph->p_memsz;
	}
	return 1;
}

void xs_object_code_range(uintptr_t address, uintptr_t *begin, uintptr_t *end)
{
	struct range range = {.address = address};

	xs_phdr_iterate(find_code, &range);
	*begin = range.begin;
	*end = range.end;
}
