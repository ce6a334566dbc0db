/* SPDX-License-Identifier: MIT */
#include "analyzer/symbols/op_identity.h"

#include "analyzer/symbols/symbols.h"
#include "analyzer/util/hash.h"
#include "analyzer/util/sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 64

/* A module by its build id, so that a moved program is still the same. All that
 * Python calls returns to the same few addresses: there its line counts. */
static uint64_t hash_site(const struct xs_trace *trace, uint32_t index)
{
	const struct xs_site *site, *line;
	uint64_t hash = 1;

	if (index == XS_NONE)
		return 0;
	site = &trace->sites[index];
	hash = xs_hash_mix(hash, site->offset);
	hash = xs_hash_text(hash, trace->strings[site->function]);
	if (site->module != XS_NONE) {
		const struct xs_module *module = &trace->modules[site->module];

		hash = xs_hash_text(
		    hash, trace->strings[module->build_id ? module->build_id
							  : module->path]);
	}
	line = xs_symbols_python_site(trace, index);
	if (line)
		hash = xs_hash_mix(xs_hash_text(hash, line->file), line->line);
	return hash;
}

static size_t first_slot(const struct xs_idents *idents, uint8_t kind,
			 uint32_t site, uint32_t name)
{
	uint64_t hash = xs_hash_mix(((uint64_t)site << 32) | name, kind);

	return (size_t)hash & (idents->slot_count - 1);
}

static int grow_slots(struct xs_idents *idents)
{
	size_t slot_count =
	    idents->slot_count ? 2 * idents->slot_count : FIRST_SLOTS;
	uint32_t *slots = calloc(slot_count, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	free(idents->slots);
	idents->slots = slots;
	idents->slot_count = slot_count;
	for (size_t i = 0; i < idents->count; i++) {
		const struct xs_ident *ident = &idents->items[i];
		size_t slot =
		    first_slot(idents, ident->kind, ident->site, ident->name);

		while (slots[slot])
			slot = (slot + 1) & (slot_count - 1);
		slots[slot] = (uint32_t)i + 1;
	}
	return 0;
}

static int add(struct xs_idents *idents, const struct xs_trace *trace,
	       const struct xs_ident *ident)
{
	struct xs_ident *items =
	    xs_array_grow(idents->items, idents->count, sizeof(*items));
	uint64_t hash;

	if (!items)
		return -ENOMEM;
	idents->items = items;
	hash = xs_hash_mix(hash_site(trace, ident->site), ident->kind);
	hash = xs_hash_text(hash, trace->strings[ident->name]);
	items[idents->count] = *ident;
	items[idents->count++].hash = hash;
	return 0;
}

int xs_idents_find(struct xs_idents *idents, const struct xs_trace *trace,
		   const struct xs_op *op, uint32_t *index)
{
	struct xs_ident wanted = {
	    .site = op->call == XS_NONE ? XS_NONE : trace->calls[op->call].site,
	    .name = op->shape == XS_NONE ? 0 : trace->shapes[op->shape].name,
	    .kind = op->kind};
	size_t slot;

	if (2 * idents->count >= idents->slot_count && grow_slots(idents))
		return -ENOMEM;
	slot = first_slot(idents, wanted.kind, wanted.site, wanted.name);
	while (idents->slots[slot]) {
		const struct xs_ident *ident =
		    &idents->items[idents->slots[slot] - 1];

		if (ident->site == wanted.site && ident->name == wanted.name &&
		    ident->kind == wanted.kind) {
			*index = idents->slots[slot] - 1;
			return 0;
		}
		slot = (slot + 1) & (idents->slot_count - 1);
	}
	if (add(idents, trace, &wanted))
		return -ENOMEM;
	*index = (uint32_t)idents->count - 1;
	idents->slots[slot] = (uint32_t)idents->count;
	return 0;
}

void xs_idents_free(struct xs_idents *idents)
{
	free(idents->items);
	free(idents->slots);
	*idents = (struct xs_idents){0};
}
