/* SPDX-License-Identifier: MIT */
/* The readable signature of a phase: "2×H2D 512 MiB → stencil7 → ...". */
#include "analyzer/rounds/measure.h"
#include "analyzer/symbols/symbols.h"
#include "analyzer/util/hash.h"
#include "analyzer/util/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define KERNELS_SHOWN 3

/* All ops of one kind, or all launches of one kernel. */
struct group {
	uint64_t count, bytes;
	uint64_t op_bytes; /* bytes of each op; 0 if they differ */
	bool alike;
	uint32_t name;
};

struct groups {
	struct group kinds[XS_OP_KINDS];
	struct group kernels[KERNELS_SHOWN];
	size_t kernel_count;
	uint64_t other_launches; /* launches of kernels that are not shown */
};

static void add_to_group(struct group *group, uint64_t bytes)
{
	group->alike =
	    group->count == 0 || (group->alike && group->op_bytes == bytes);
	group->op_bytes = bytes;
	group->bytes += bytes;
	group->count++;
}

static void add_kernel(struct groups *groups, uint32_t name)
{
	size_t i = 0;

	while (i < groups->kernel_count && groups->kernels[i].name != name)
		i++;
	if (i == KERNELS_SHOWN) {
		groups->other_launches++;
		return;
	}
	if (i == groups->kernel_count)
		groups->kernels[groups->kernel_count++].name = name;
	add_to_group(&groups->kernels[i], 0);
}

/* Three digits: sizes within the tolerance usually print alike. */
static void print_bytes(FILE *out, uint64_t bytes)
{
	static const char *const units[] = {"B",   "KiB", "MiB", "GiB",
					    "TiB", "PiB", "EiB"};
	double value = (double)bytes;
	size_t unit = 0;

	while (value >= 999.5 && unit + 1 < sizeof(units) / sizeof(*units)) {
		value /= 1024;
		unit++;
	}
	fprintf(out, "%.3g %s", value, units[unit]);
}

static void print_arrow(FILE *out)
{
	if (ftell(out) > 0)
		fprintf(out, " → ");
}

static void print_count(FILE *out, uint64_t count)
{
	if (count > 1)
		fprintf(out, "%" PRIu64 "×", count);
}

static void print_transfer(FILE *out, const struct group *group,
			   const char *label)
{
	if (group->count == 0)
		return;
	print_arrow(out);
	print_count(out, group->count);
	fprintf(out, "%s %s", label, group->alike ? "" : "Σ ");
	print_bytes(out, group->alike ? group->op_bytes : group->bytes);
}

static void print_kernel(FILE *out, const struct xs_trace *trace,
			 const struct group *group)
{
	char *name = xs_symbols_demangle(trace->strings[group->name]);
	const char *bare;
	size_t length;

	bare = xs_symbols_bare_name(name, &length);
	print_arrow(out);
	print_count(out, group->count);
	fprintf(out, "%.*s", length ? (int)length : 6,
		length ? bare : "kernel");
	free(name);
}

static void print_groups(FILE *out, const struct xs_trace *trace,
			 const struct groups *groups, unsigned device)
{
	print_transfer(out, &groups->kinds[XS_OP_H2D], "H2D");
	print_transfer(out, &groups->kinds[XS_OP_SET], "set");
	print_transfer(out, &groups->kinds[XS_OP_D2D], "D2D");
	print_transfer(out, &groups->kinds[XS_OP_P2P], "P2P");
	print_transfer(out, &groups->kinds[XS_OP_H2H], "H2H");
	for (size_t i = 0; i < groups->kernel_count; i++)
		print_kernel(out, trace, &groups->kernels[i]);
	if (groups->other_launches) {
		print_arrow(out);
		fprintf(out, "%" PRIu64 " more kernels",
			groups->other_launches);
	}
	print_transfer(out, &groups->kinds[XS_OP_D2H], "D2H");
	if (device != 0)
		fprintf(out, " on device %u", device);
}

/* The earliest round determines the order of the kernels. */
static const struct xs_round *earliest(const struct xs_phase_members *m)
{
	const struct xs_round *first = xs_phase_member(m, 0);

	for (size_t i = 1; i < m->count; i++)
		if (xs_phase_member(m, i)->begin_ns < first->begin_ns)
			first = xs_phase_member(m, i);
	return first;
}

void xs_signature_build(const struct xs_phase_members *m,
			struct xs_phase *phase)
{
	const struct xs_round *round = earliest(m);
	struct groups groups = {0};
	size_t size;
	FILE *out;

	for (uint32_t i = 0; i < round->op_count; i++) {
		const struct xs_op *op =
		    &m->trace->ops[xs_round_op(m->rounds, round, i)];

		if (op->kind == XS_OP_KERNEL)
			add_kernel(&groups, m->trace->shapes[op->shape].name);
		else
			add_to_group(&groups.kinds[op->kind], op->bytes);
	}
	out = open_memstream(&phase->signature, &size);
	if (!out)
		xs_no_memory();
	print_groups(out, m->trace, &groups, round->device);
	/* closing what lacks memory may succeed, without a text */
	if (fclose(out) || !phase->signature)
		xs_no_memory();
	phase->signature_hash = xs_hash_text(round->key, phase->signature);
}
