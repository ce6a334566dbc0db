/* SPDX-License-Identifier: MIT */
#include "analyzer/rounds/phase.h"

#include "analyzer/util/hash.h"
#include "analyzer/util/memory.h"
#include "analyzer/util/sort.h"

#include <math.h>
#include <stdlib.h>

/* The median of this many launches of a kernel is enough. */
#define LAUNCHES_MAX 64

/* A counted run counts so many launches of each kernel. */
#define FIRST_LAUNCHES 3

/* Launches of one kernel did different work if the most instructions are more
 * than this many times the least. */
#define SAME_WORK 1.1

#define COUNTS(F)                                                              \
	F(sectors_read)                                                        \
	F(sectors_written)                                                     \
	F(requests_read)                                                       \
	F(requests_written)                                                    \
	F(host_sectors_read)                                                   \
	F(host_sectors_written)                                                \
	F(instructions)                                                        \
	F(l1_fills)                                                            \
	F(waiting_cycles)                                                      \
	F(warp_cycles)                                                         \
	F(stores)                                                              \
	F(store_sectors)

static const struct xs_counts not_counted = {NAN, NAN, NAN, NAN, NAN, NAN,
					     NAN, NAN, NAN, NAN, NAN, NAN};

struct lookup {
	const struct xs_trace *counted;
	struct xs_key *keys; /* counted launches by kernel */
	uint64_t *names;     /* hashes of the strings; 0: not computed yet */
};

/* Key of a kernel with its grid and block. names: hashes of that trace's
 * strings. */
static uint64_t kernel_key(const struct xs_trace *trace, uint64_t *names,
			   uint32_t name, const uint32_t *grid,
			   const uint32_t *block)
{
	uint64_t key;

	if (!names[name])
		names[name] = xs_hash_text(1, trace->strings[name]) | 1;
	key = names[name];
	for (size_t i = 0; i < 3; i++)
		key = xs_hash_mix(xs_hash_mix(key, grid[i]), block[i]);
	return key;
}

static void start(struct lookup *lookup)
{
	const struct xs_trace *counted = lookup->counted;

	lookup->keys =
	    xs_malloc((counted->counter_count + 1) * sizeof(*lookup->keys));
	lookup->names =
	    xs_calloc(counted->string_count, sizeof(*lookup->names));
	for (size_t i = 0; i < counted->counter_count; i++) {
		const struct xs_counter *c = &counted->counters[i];

		lookup->keys[i].key = kernel_key(counted, lookup->names,
						 c->name, c->grid, c->block);
		lookup->keys[i].index = (uint32_t)i;
	}
	xs_keys_sort(lookup->keys, counted->counter_count);
}

/* Returns the median, NAN if some launch was not counted. Sorts the values. */
static double median(uint64_t *values, size_t count)
{
	xs_values_sort(values, count);
	return values[count - 1] == XS_UNCOUNTED
		   ? NAN
		   : (double)values[(count - 1) / 2];
}

/* Returns whether launches with that key were counted. */
static bool find(const struct lookup *lookup, uint64_t key,
		 struct xs_counts *out)
{
	const struct xs_trace *counted = lookup->counted;
	uint64_t values[LAUNCHES_MAX];
	size_t first = xs_keys_from(lookup->keys, counted->counter_count, key);
	size_t count = 0;

	while (count < LAUNCHES_MAX && first + count < counted->counter_count &&
	       lookup->keys[first + count].key == key)
		count++;
	if (!count)
		return false;
#define MEDIAN(field)                                                          \
	for (size_t i = 0; i < count; i++)                                     \
		values[i] =                                                    \
		    counted->counters[lookup->keys[first + i].index].field;    \
	out->field = median(values, count);
	COUNTS(MEDIAN)
#undef MEDIAN
	return true;
}

/* The counters of each shape: the median, followed by its first launches if
 * they did different work; otherwise these are the median, too. */
struct xs_shape_counts {
	struct xs_counts of[1 + FIRST_LAUNCHES];
	uint64_t start_ns[FIRST_LAUNCHES]; /* of its first launches; 0: none */
};

static double or_nan(uint64_t value)
{
	return value == XS_UNCOUNTED ? NAN : (double)value;
}

/* Stores the first launches with that key if they did different work. */
static void find_launches(const struct lookup *lookup, uint64_t key,
			  struct xs_shape_counts *out)
{
	const struct xs_trace *counted = lookup->counted;
	size_t i = xs_keys_from(lookup->keys, counted->counter_count, key);
	struct xs_counts launch[FIRST_LAUNCHES + 1] = {0};
	double least = INFINITY, most = 0;

	for (; i < counted->counter_count && lookup->keys[i].key == key; i++) {
		const struct xs_counter *c =
		    &counted->counters[lookup->keys[i].index];
		const double work = or_nan(c->instructions);

		if (c->launch < 1 || c->launch > FIRST_LAUNCHES)
			continue;
#define SET(field) launch[c->launch].field = or_nan(c->field);
		COUNTS(SET)
#undef SET
		least = fmin(least, work);
		most = fmax(most, work);
	}
	for (i = 1; i <= FIRST_LAUNCHES && most > SAME_WORK * least; i++)
		if (launch[i].instructions > 0)
			out->of[i] = launch[i];
}

/* Stores when each shape was launched first. */
static void find_starts(const struct xs_trace *trace,
			struct xs_shape_counts *counts)
{
	XS_EACH(op, trace->ops, trace->op_count) {
		size_t n = 0;

		if (op->shape >= trace->shape_count)
			continue;
		while (n < FIRST_LAUNCHES && counts[op->shape].start_ns[n])
			n++;
		if (n < FIRST_LAUNCHES)
			counts[op->shape].start_ns[n] = op->start_ns;
	}
}

/* Returns the counters of a step: of its launch in the first round if that was
 * counted, otherwise the median. */
static const struct xs_counts *counts_of(const struct xs_phase *phase, size_t i,
					 const struct xs_shape_counts *counts)
{
	size_t n = 0;

	while (n < FIRST_LAUNCHES && counts->start_ns[n] &&
	       counts->start_ns[n] < phase->first_start_ns)
		n++;
	for (size_t k = 0; k < i && n < FIRST_LAUNCHES; k++)
		n += phase->steps[k].shape == phase->steps[i].shape;
	return &counts->of[n < FIRST_LAUNCHES ? 1 + n : 0];
}

/*
 * Finds the counters of each shape of `trace`: the median over the launches of
 * the same kernel, grid and block in `counted`. Stores in *found the number of
 * shapes with counters; the counters of the others are NAN. Caller frees *out.
 */
static void count_by_shape(const struct xs_trace *trace,
			   const struct xs_trace *counted,
			   struct xs_shape_counts **out, size_t *found)
{
	struct lookup lookup = {.counted = counted};
	struct xs_shape_counts *counts =
	    xs_calloc(trace->shape_count + 1, sizeof(*counts));
	uint64_t *names = xs_calloc(trace->string_count, sizeof(*names));

	start(&lookup);
	*found = 0;
	for (size_t i = 0; i < trace->shape_count; i++) {
		const struct xs_shape *shape = &trace->shapes[i];
		const uint64_t key = kernel_key(trace, names, shape->name,
						shape->grid, shape->block);

		counts[i].of[0] = not_counted;
		*found += find(&lookup, key, &counts[i].of[0]);
		for (size_t n = 1; n <= FIRST_LAUNCHES; n++)
			counts[i].of[n] = counts[i].of[0];
		find_launches(&lookup, key, &counts[i]);
	}
	find_starts(trace, counts);
	free(lookup.keys);
	free(lookup.names);
	free(names);
	*out = counts;
}

void xs_phase_counts(const struct xs_phase *phase, struct xs_counts *sum)
{
	*sum = (struct xs_counts){0};
	for (size_t i = 0; i < phase->step_count; i++) {
		const struct xs_counts *counts = phase->steps[i].counts;

		if (phase->steps[i].kind != XS_STEP_KERNEL)
			continue;
		if (!counts)
			counts = &not_counted;
#define ADD(field) sum->field += counts->field;
		COUNTS(ADD)
#undef ADD
	}
}

void xs_phases_count(struct xs_phases *phases, const struct xs_trace *trace,
		     const struct xs_trace *counted)
{
	struct xs_shape_counts *counts;
	size_t found;

	count_by_shape(trace, counted, &counts, &found);
	free(phases->counts);
	phases->counts = counts;
	phases->counted_shapes = found;
	for (size_t p = 0; p < phases->count; p++)
		for (size_t i = 0; i < phases->items[p].step_count; i++) {
			struct xs_step *step = &phases->items[p].steps[i];

			step->counts = step->shape < trace->shape_count
					   ? counts_of(&phases->items[p], i,
						       &counts[step->shape])
					   : NULL;
		}
}
