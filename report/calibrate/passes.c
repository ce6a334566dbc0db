/* SPDX-License-Identifier: MIT */
/* Combines the passes of a parameter. */
#include "report/calibrate/bench.h"

#include <math.h>
#include <string.h>

/* Time limit of one measurement in one pass, so that all take well under a
 * minute on a slow link too. */
#define TURNS_NS 200e6

static const struct {
	size_t offset;
	const char *name;
} params[] = {
#define XS_ROW(name, unit, what)                                               \
	[XS_PARAM_##name] = {offsetof(struct xs_machine, name), #name},
    XS_MACHINE_PARAMS(XS_ROW)
#undef XS_ROW
};

struct xs_repeats xs_bench_repeats(int most)
{
	return (struct xs_repeats){.most = most,
				   .end_ns = xs_bench_now_ns() + TURNS_NS};
}

bool xs_bench_repeat(struct xs_repeats *repeats)
{
	if (repeats->done == repeats->most ||
	    (repeats->done > 0 && xs_bench_now_ns() > repeats->end_ns))
		return false;
	repeats->done++;
	return true;
}

struct xs_line xs_bench_line(struct xs_bench *bench,
			     const struct xs_sweep *sweep)
{
	double numbers[XS_FIT_MAX], ns[XS_FIT_MAX];

	for (int i = 0; i < sweep->sizes; i++) {
		const size_t number = sweep->most >> (sweep->sizes - 1 - i);

		numbers[i] = (double)number;
		ns[i] = sweep->time_ns(bench, sweep->what, number);
	}
	return xs_stats_fit(numbers, ns, (size_t)sweep->sizes);
}

struct xs_samples xs_bench_slopes(struct xs_bench *bench,
				  const struct xs_sweep *sweep, int most)
{
	struct xs_samples slopes = {0};
	struct xs_repeats repeats = xs_bench_repeats(most);

	sweep->time_ns(bench, sweep->what, sweep->most); /* the first: longer */
	while (xs_bench_repeat(&repeats))
		xs_samples_add(&slopes, xs_bench_line(bench, sweep).slope);
	return slopes;
}

void xs_bench_set_slope(struct xs_bench *bench, enum xs_param_id id,
			const struct xs_sweep *sweep, int most)
{
	const struct xs_samples slopes = xs_bench_slopes(bench, sweep, most);

	xs_bench_set(bench, id, &slopes);
}

/* Adds a pass; false if it has no samples. */
static bool add_pass(struct xs_bench *bench, struct xs_pass_medians *found,
		     const struct xs_samples *samples)
{
	if (samples->count == 0)
		xs_cuda_fail(&bench->gpu, "no measurement completed");
	if (xs_cuda_failed(&bench->gpu) || found->passes == XS_BENCH_PASSES)
		return false;
	for (size_t i = 0; i < samples->count; i++)
		xs_samples_add(&found->all, samples->values[i]);
	found->medians[found->passes++] = xs_samples_median(samples);
	return true;
}

/* Whether others on the host can only add to it. Of slopes and differences
 * the lowest pass is the one with the most noise. */
static bool is_of_calls(enum xs_param_id id)
{
	return strncmp(params[id].name, "call_", 5) == 0;
}

void xs_bench_set(struct xs_bench *bench, enum xs_param_id id,
		  const struct xs_samples *samples)
{
	struct xs_pass_medians *found = &bench->params[id];
	struct xs_param param;

	if (!add_pass(bench, found, samples))
		return;
	param = xs_samples_param(&found->all);
	if (is_of_calls(id))
		for (int pass = 0; pass < found->passes; pass++)
			param.value = fmin(param.value, found->medians[pass]);
	/* Most are differences of two times, which noise may make negative. */
	param.value = fmax(param.value, 0);
	param.low = fmax(fmin(param.low, param.value), 0);
	param.high = fmax(param.high, 0);
	*(struct xs_param *)((char *)bench->machine + params[id].offset) =
	    param;
}

void xs_bench_set_point(struct xs_bench *bench, int way, size_t point,
			size_t bytes, const struct xs_samples *samples)
{
	struct xs_pass_medians *found = &bench->curves[way][point];
	struct xs_curve *curve = way == XS_BENCH_IN
				     ? &bench->machine->pageable_h2d
				     : &bench->machine->pageable_d2h;
	struct xs_param param;

	if (!add_pass(bench, found, samples))
		return;
	curve->bytes[point] = (double)bytes;
	param = xs_samples_param(&found->all);
	curve->ns[point] = param.value;
	curve->low_ns[point] = param.low;
	curve->high_ns[point] = param.high;
	if (curve->count == point)
		curve->count++;
}
