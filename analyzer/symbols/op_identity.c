/* SPDX-License-Identifier: MIT */
#include "analyzer/symbols/op_identity.h"

#include "analyzer/symbols/symbols.h"
#include "analyzer/util/hash.h"
#include "analyzer/util/sort.h"

#include <stdlib.h>

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

static void add(struct xs_op_identities *identities,
		const struct xs_trace *trace,
		const struct xs_op_identity *identity)
{
	struct xs_op_identity new = *identity;

	new.hash = xs_hash_mix(hash_site(trace, new.site), new.kind);
	new.hash = xs_hash_text(new.hash, trace->strings[new.name]);
	XS_ARRAY_ADD(identities->items, identities->count, new);
}

void xs_op_identities_find(struct xs_op_identities *identities,
			   const struct xs_trace *trace, const struct xs_op *op,
			   uint32_t *index)
{
	const struct xs_op_identity wanted = {
	    .site = op->call == XS_NONE ? XS_NONE : trace->calls[op->call].site,
	    .name = op->shape == XS_NONE ? 0 : trace->shapes[op->shape].name,
	    .kind = op->kind};
	const uint32_t key[] = {wanted.site, wanted.name, wanted.kind};

	*index = xs_distinct_find(&identities->keys, key, sizeof(key));
	if (*index == identities->count)
		add(identities, trace, &wanted);
}

void xs_op_identities_free(struct xs_op_identities *identities)
{
	free(identities->items);
	xs_distinct_release(&identities->keys);
	*identities = (struct xs_op_identities){0};
}
