/* SPDX-License-Identifier: MIT */
#include "analyzer/symbols/op_identity.h"

#include "analyzer/symbols/symbols.h"
#include "analyzer/util/hash.h"
#include "analyzer/util/sort.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_SLOTS 64

/* A module counts by its build id, so a moved program hashes the same. All CUDA
 * calls from Python return to the same few addresses: there the Python line
 * counts. */
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

static size_t first_slot(const struct xs_op_identities *identities,
			 uint8_t kind, uint32_t site, uint32_t name)
{
	uint64_t hash = xs_hash_mix(((uint64_t)site << 32) | name, kind);

	return (size_t)hash & (identities->slot_count - 1);
}

static int grow_slots(struct xs_op_identities *identities)
{
	size_t slot_count =
	    identities->slot_count ? 2 * identities->slot_count : FIRST_SLOTS;
	uint32_t *slots = calloc(slot_count, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	free(identities->slots);
	identities->slots = slots;
	identities->slot_count = slot_count;
	for (size_t i = 0; i < identities->count; i++) {
		const struct xs_op_identity *identity = &identities->items[i];
		size_t slot = first_slot(identities, identity->kind,
					 identity->site, identity->name);

		while (slots[slot])
			slot = (slot + 1) & (slot_count - 1);
		slots[slot] = (uint32_t)i + 1;
	}
	return 0;
}

static int add(struct xs_op_identities *identities,
	       const struct xs_trace *trace,
	       const struct xs_op_identity *identity)
{
	struct xs_op_identity new = *identity;

	new.hash = xs_hash_mix(hash_site(trace, new.site), new.kind);
	new.hash = xs_hash_text(new.hash, trace->strings[new.name]);
	return XS_ARRAY_ADD(identities->items, identities->count, new);
}

int xs_op_identities_find(struct xs_op_identities *identities,
			  const struct xs_trace *trace, const struct xs_op *op,
			  uint32_t *index)
{
	struct xs_op_identity wanted = {
	    .site = op->call == XS_NONE ? XS_NONE : trace->calls[op->call].site,
	    .name = op->shape == XS_NONE ? 0 : trace->shapes[op->shape].name,
	    .kind = op->kind};
	size_t slot;

	if (2 * identities->count >= identities->slot_count &&
	    grow_slots(identities))
		return -ENOMEM;
	slot = first_slot(identities, wanted.kind, wanted.site, wanted.name);
	while (identities->slots[slot]) {
		const struct xs_op_identity *identity =
		    &identities->items[identities->slots[slot] - 1];

		if (identity->site == wanted.site &&
		    identity->name == wanted.name &&
		    identity->kind == wanted.kind) {
			*index = identities->slots[slot] - 1;
			return 0;
		}
		slot = (slot + 1) & (identities->slot_count - 1);
	}
	if (add(identities, trace, &wanted))
		return -ENOMEM;
	*index = (uint32_t)identities->count - 1;
	identities->slots[slot] = (uint32_t)identities->count;
	return 0;
}

void xs_op_identities_free(struct xs_op_identities *identities)
{
	free(identities->items);
	free(identities->slots);
	*identities = (struct xs_op_identities){0};
}
