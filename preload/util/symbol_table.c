/* SPDX-License-Identifier: MIT */
#include "preload/util/symbol_table.h"
#include "preload/util/objects.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define HIDDEN 0x8000u /* a version that is not the default */

struct table {
	const ElfW(Sym) * symbols;
	const char *strings;
	const uint16_t *versions; /* NULL: symbols have none */
	const uint32_t *hash;	  /* DT_GNU_HASH; NULL if there is none */
};

static struct table find_table(const struct link_map *map)
{
	struct table table = {.strings = xs_objects_strings(map)};

	for (const ElfW(Dyn) *d = map->l_ld; d && d->d_tag != DT_NULL; d++) {
		const void *at = (const void *)d->d_un.d_ptr;

		if (d->d_tag == DT_SYMTAB)
			table.symbols = at;
		else if (d->d_tag == DT_VERSYM)
			table.versions = at;
		else if (d->d_tag == DT_GNU_HASH)
			table.hash = at;
	}
	return table;
}

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

static bool is_function(const struct table *table, uint32_t i, const char *name)
{
	const ElfW(Sym) *symbol = &table->symbols[i];

	return symbol->st_shndx != SHN_UNDEF &&
	       ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
	       !(table->versions && table->versions[i] & HIDDEN) &&
	       strcmp(table->strings + symbol->st_name, name) == 0;
}

void *xs_symbol_table_function(const struct link_map *map, const char *name)
{
	const struct table table = find_table(map);
	const uint32_t hash = hash_of(name);
	const uint32_t *header = table.hash, *buckets, *chain;
	uint32_t i;

	if (!table.symbols || !table.strings || !header || !header[0])
		return NULL;
	/* header: buckets, first symbol, words of the Bloom filter */
	buckets = header + 4 + header[2] * (sizeof(ElfW(Addr)) / 4);
	chain = buckets + header[0];
	i = buckets[hash % header[0]];
	if (i < header[1])
		return NULL;
	for (;; i++) {
		const uint32_t other = chain[i - header[1]];

		if ((other | 1) == (hash | 1) && is_function(&table, i, name))
			return (void *)(map->l_addr +
					table.symbols[i].st_value);
		if (other & 1) /* the last of its bucket */
			return NULL;
	}
}
