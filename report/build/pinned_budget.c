/* SPDX-License-Identifier: MIT */
/* Which buffers to pin first within a budget of pinned memory: those with the
 * most gain per byte. */
#include "report/build/build.h"

#include "analyzer/read/names.h"
#include "analyzer/util/sort.h"
#include "model/replay/recorded_plan.h"
#include "report/result/best.h"

#include <math.h>
#include <stdlib.h>

/* Host memory of a copy; without an address, that of its site. Rounds may use
 * `count` of them in turn; bytes: of each, the times of all. */
struct buffer {
	uint64_t address, end; /* end: 0 without an address */
	double count, bytes, excess_ns, saves_ns;
	uint32_t site;
	uint8_t kind; /* enum xs_step_kind */
	uint32_t phase;
	uint32_t place; /* of the result */
};

struct builder {
	struct xs_result *result;
	const struct xs_trace *trace;
	const struct xs_phases *phases;
	struct buffer *buffers;
	size_t count;
};

static uint64_t host_address(const struct xs_step *step)
{
	return step->kind == XS_STEP_H2D ? step->src : step->dst;
}

static uint64_t end_of(uint64_t address, uint64_t bytes)
{
	uint64_t end;

	if (__builtin_add_overflow(address, bytes, &end))
		end = UINT64_MAX;
	return address ? end : 0;
}

/* How much longer the copy takes than a pinned one; of small copies, whose
 * calls take longer, next to nothing. */
static double excess_ns(const struct xs_machine *m, const struct xs_step *step)
{
	const bool in = step->kind == XS_STEP_H2D;
	const double pinned_ns =
	    in ? m->lo_h2d_ns.value + m->G_h2d.value * (double)step->bytes
	       : m->lo_d2h_ns.value + m->G_d2h.value * (double)step->bytes;

	return fmax((double)(step->end_ns - step->start_ns) - pinned_ns, 1);
}

static int by_address(const void *a, const void *b)
{
	const struct buffer *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->bytes < y->bytes || x->bytes > y->bytes)
		return x->bytes < y->bytes ? -1 : 1;
	if (x->address)
		return 0;
	return (x->site > y->site) - (x->site < y->site);
}

static void sort(struct builder *b, size_t first,
		 int (*compare)(const void *, const void *))
{
	if (first < b->count)
		qsort(b->buffers + first, b->count - first, sizeof(*b->buffers),
		      compare);
}

/* Copies of one buffer in one direction become one; from `first` on. */
static void merge_copies(struct builder *b, size_t first)
{
	size_t kept = first;

	sort(b, first, by_address);
	for (size_t i = first; i < b->count; i++) {
		struct buffer *last =
		    kept > first ? &b->buffers[kept - 1] : NULL;

		if (last && by_address(last, &b->buffers[i]) == 0)
			last->excess_ns += b->buffers[i].excess_ns;
		else
			b->buffers[kept++] = b->buffers[i];
	}
	b->count = kept;
}

static int by_range(const void *a, const void *b)
{
	const struct buffer *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return by_address(a, b);
}

static bool is_same_memory(const struct buffer *x, const struct buffer *y)
{
	return x->address ? y->address < x->end : by_address(x, y) == 0;
}

/* The place named is that of the copies that gain most. */
static void join(struct buffer *to, const struct buffer *from)
{
	struct buffer both = to->saves_ns < from->saves_ns ? *from : *to;
	const double more =
	    from->end > to->end ? (double)(from->end - to->end) : 0;

	both.address = to->address;
	both.end = from->end > to->end ? from->end : to->end;
	both.bytes = fmax(to->bytes + more, from->bytes);
	both.count = fmax(to->count, from->count);
	both.saves_ns = to->saves_ns + from->saves_ns;
	*to = both;
}

/* Buffers of all phases that overlap become one: it is pinned once. */
static void merge_buffers(struct builder *b)
{
	size_t kept = 0;

	sort(b, 0, by_range);
	for (size_t i = 0; i < b->count; i++) {
		if (kept &&
		    is_same_memory(&b->buffers[kept - 1], &b->buffers[i]))
			join(&b->buffers[kept - 1], &b->buffers[i]);
		else
			b->buffers[kept++] = b->buffers[i];
	}
	b->count = kept;
}

/* Rounds of a phase may use other buffers than the one with the steps, unless
 * they are to use these. Returns the bytes of all. */
static double scale(struct builder *b, size_t first,
		    const struct xs_phase *phase, bool is_one_set)
{
	double bytes[XS_STEP_KINDS] = {0}, shown[XS_STEP_KINDS] = {0}, sum = 0;
	const double all[] = {[XS_STEP_H2D] = (double)phase->h2d_buffer_bytes,
			      [XS_STEP_D2H] = (double)phase->d2h_buffer_bytes};
	const double count[] = {[XS_STEP_H2D] = (double)phase->h2d_buffers,
				[XS_STEP_D2H] = (double)phase->d2h_buffers};

	for (size_t i = first; i < b->count; i++) {
		bytes[b->buffers[i].kind] += b->buffers[i].bytes;
		shown[b->buffers[i].kind]++;
	}
	for (size_t i = first; i < b->count; i++) {
		struct buffer *buffer = &b->buffers[i];
		const uint8_t kind = buffer->kind;

		if (!is_one_set && all[kind] > bytes[kind]) {
			buffer->count =
			    fmax(round(count[kind] / shown[kind]), 1);
			buffer->bytes *=
			    all[kind] / bytes[kind] / buffer->count;
		}
		sum += buffer->bytes * buffer->count;
	}
	return sum;
}

/* Buffers share by their excess what is saved in rounds, and by their bytes
 * what pinning takes: all together save what the row does. */
static void share(struct builder *b, size_t first, double excess_ns,
		  double saves_ns, double pinning_byte_ns)
{
	for (size_t i = first; i < b->count; i++) {
		struct buffer *buffer = &b->buffers[i];

		buffer->saves_ns =
		    buffer->excess_ns / excess_ns * saves_ns -
		    buffer->bytes * buffer->count * pinning_byte_ns;
	}
}

/* The phase's buffers share what `pinned` saves. */
static void add_phase(struct builder *b, uint32_t index)
{
	const struct xs_phase *phase = &b->phases->items[index];
	const struct xs_result_phase *out = &b->result->phases[index];
	const struct xs_result_estimate *pinned =
	    xs_result_best(out, "pinned", false);
	const size_t first = b->count;
	double sum_ns = 0;

	if (!pinned || pinned->round_ns >= xs_result_untraced_ns(out))
		return;
	XS_EACH(step, phase->steps, phase->step_count) {
		if (!xs_step_is_pageable(step))
			continue;
		const struct buffer buffer = {
		    .address = host_address(step),
		    .end = end_of(host_address(step), step->bytes),
		    .count = 1,
		    .bytes = (double)step->bytes,
		    .excess_ns = excess_ns(&b->result->machine, step),
		    .site = step->site,
		    .kind = step->kind,
		    .phase = index};

		XS_ARRAY_ADD(b->buffers, b->count, buffer);
	}
	merge_copies(b, first);
	for (size_t i = first; i < b->count; i++)
		sum_ns += b->buffers[i].excess_ns;
	share(b, first, sum_ns,
	      xs_result_of_run(
		  out, (double)(xs_result_untraced_ns(out) - pinned->round_ns)),
	      fmax((double)pinned->setup_ns, 0) /
		  scale(b, first, phase, pinned->only_if));
}

static int by_gain(const void *a, const void *b)
{
	const struct buffer *x = a, *y = b;
	const double left = x->saves_ns * y->bytes * y->count,
		     right = y->saves_ns * x->bytes * x->count;

	return left > right ? -1 : left < right ? 1 : by_address(a, b);
}

/* Keeps what pays for pinning and is not larger than any memory. */
static void keep_worthy(struct builder *b)
{
	size_t kept = 0;

	XS_EACH(buffer, b->buffers, b->count) {
		if (buffer->saves_ns > 0 && buffer->bytes > 0 &&
		    buffer->bytes * buffer->count < 0x1p60)
			b->buffers[kept++] = *buffer;
	}
	b->count = kept;
}

/* Returns the place of the buffer's copies, a new one if there is none. */
static struct xs_result_pinned_place *
place_of(struct builder *b, struct xs_result_pinned_budget *out,
	 struct buffer *buffer, size_t before)
{
	struct xs_result_pinned_place *place;
	struct xs_result_site *site;

	for (size_t i = 0; i < before; i++)
		if (b->buffers[i].site == buffer->site &&
		    b->buffers[i].kind == buffer->kind &&
		    b->buffers[i].phase == buffer->phase) {
			buffer->place = b->buffers[i].place;
			return &out->places[buffer->place];
		}
	buffer->place = (uint32_t)out->count;
	place = &out->places[out->count++];
	XS_ARENA_NEW(&b->result->arena, site, 1);
	xs_build_site(b->result, b->trace, buffer->site, site);
	*place = (struct xs_result_pinned_place){
	    .site = site,
	    .step = xs_name_op(buffer->kind),
	    .phase = b->phases->items[buffer->phase].id};
	return place;
}

static void take(struct builder *b, struct xs_result_pinned_budget *out)
{
	for (size_t i = 0; i < b->count; i++) {
		struct buffer *buffer = &b->buffers[i];
		struct xs_result_pinned_place *place =
		    place_of(b, out, buffer, i);
		const double left =
		    (double)(out->budget_bytes - out->used_bytes);
		const double taken =
		    fmin(floor(left / buffer->bytes), buffer->count);
		const int64_t bytes = xs_number_round(taken * buffer->bytes);
		const int64_t saves_ns =
		    xs_number_round(buffer->saves_ns * taken / buffer->count);

		place->buffers += xs_number_round(buffer->count);
		xs_number_add(&place->bytes,
			      xs_number_round(buffer->bytes * buffer->count));
		place->taken += xs_number_round(taken);
		xs_number_add(&place->taken_bytes, bytes);
		xs_number_add(&place->saves_ns, saves_ns);
		out->used_bytes += bytes;
		xs_number_add(&out->saves_ns, saves_ns);
	}
}

void xs_build_pinned_budget(struct xs_result *result,
			    const struct xs_trace *trace,
			    const struct xs_phases *phases,
			    int64_t budget_bytes)
{
	struct builder b = {.result = result, .trace = trace, .phases = phases};
	struct xs_result_pinned_budget *out =
	    xs_arena_alloc(&result->arena, 1, sizeof(*out));

	/* of another GPU's time, nothing is saved */
	for (uint32_t i = 0;
	     !result->machine_choice.other_gpu && i < result->phase_count; i++)
		add_phase(&b, i);
	merge_buffers(&b);
	keep_worthy(&b);
	sort(&b, 0, by_gain);
	out->budget_bytes = budget_bytes;
	XS_ARENA_NEW(&result->arena, out->places, b.count + 1);
	take(&b, out);
	free(b.buffers);
	result->pinned_budget = out;
}
