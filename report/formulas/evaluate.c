/* SPDX-License-Identifier: MIT */
#include "report/formulas/evaluate.h"

#include "model/formulas/closed_forms.h"
#include "model/formulas/vanwerkhoven.h"
#include "report/formulas/answers.h"
#include "report/formulas/choice.h"
#include "report/result/estimate.h"
#include "report/result/number.h"

#include <errno.h>
#include <math.h>

static double or_zero(double number)
{
	return isnan(number) ? 0 : number;
}

static struct xs_atgpu_launch launch_of(const struct xs_formulas_input *q)
{
	return (struct xs_atgpu_launch){
	    .blocks = q->blocks,
	    .shared_words = or_zero(q->shared_bytes) / XS_ATGPU_WORD_BYTES,
	    .operations = q->operations,
	    .accesses = q->memory_bytes / XS_ATGPU_BLOCK_BYTES};
}

static bool has_atgpu(const struct xs_formulas_input *q)
{
	return !isnan(q->blocks + q->operations + q->memory_bytes);
}

/* Evaluates all equations on one machine: for the best n, for the given n, and
 * ATGPU. Returns 0 or -errno. */
static int evaluate(const struct xs_formulas_input *q,
		    const struct xs_workload *work,
		    const struct xs_machine *machine, struct xs_estimates *out)
{
	const struct xs_closed_form closed = {machine, *work, 1, 1, 0, false};
	const struct xs_atgpu_launch launch = launch_of(q);
	struct xs_model_options how = {0};
	struct xs_estimates more = {0};
	int err = xs_model_workload(work, machine, &how, out);

	how.streams = q->streams;
	if (!err && how.streams)
		err = xs_model_workload(work, machine, &how, &more);
	for (size_t i = 0; !err && i < more.count; i++)
		if (more.items[i].n_streams)
			xs_estimates_add(out, &more.items[i]);
	if (!err && has_atgpu(q))
		xs_closed_form_atgpu(&closed, &launch, out);
	xs_estimates_free(&more);
	return err;
}

/* Without L+o, G alone is enough to tell what dominates. */
static double time_of(double ns, double bytes, double lo_ns, double G)
{
	if (!isnan(ns))
		return ns;
	return bytes > 0 ? or_zero(lo_ns) + bytes * G : 0;
}

static void fill_workload(struct xs_formulas_result *out,
			  const struct xs_workload *work)
{
	const struct xs_machine *m = &out->machine;

	out->h2d_bytes = xs_number_round(work->h2d_bytes);
	out->d2h_bytes = xs_number_round(work->d2h_bytes);
	out->h2d_ns = xs_number_round(time_of(
	    work->h2d_ns, work->h2d_bytes, m->lo_h2d_ns.value, m->G_h2d.value));
	out->d2h_ns = xs_number_round(time_of(
	    work->d2h_ns, work->d2h_bytes, m->lo_d2h_ns.value, m->G_d2h.value));
	out->kernel_ns = xs_number_round(work->kernel_ns);
}

/* Converts estimates to rows of a result, with explicit_ns as the baseline. */
static struct xs_result_estimate *rows_of(struct xs_result *owner,
					  const struct xs_estimates *list,
					  int64_t explicit_ns)
{
	struct xs_result_estimate *rows =
	    xs_arena_alloc(&owner->arena, list->count, sizeof(*rows));

	for (size_t i = 0; i < list->count; i++) {
		struct xs_result_estimate *row = &rows[i];

		xs_result_set_estimate(&owner->arena, &list->items[i], row);
		if (!row->applies || row->round_ns <= 0 ||
		    explicit_ns == XS_UNKNOWN)
			continue;
		row->speedup = (double)explicit_ns / (double)row->round_ns;
		row->saves_ns = explicit_ns - row->round_ns;
	}
	return rows;
}

static struct xs_vw_roofline roofline_of(const struct xs_formulas_input *q,
					 const struct xs_machine *m)
{
	return (struct xs_vw_roofline){.peak_flops = m->peak_flops,
				       .memory_bandwidth = m->memory_bandwidth,
				       .flops = q->flops,
				       .memory_bytes = q->memory_bytes};
}

/* Who starts the transfers, in each direction with bytes. */
static void fill_control(const struct xs_formulas_input *q,
			 struct xs_formulas_result *out)
{
	const double bytes[] = {q->work.h2d_bytes, q->work.d2h_bytes};

	out->choice = XS_FORMULAS_NO_CHOICE;
	fill_workload(out, &q->work);
	out->connections = q->connections;
	out->peer = q->peer;

	for (size_t i = 0; i < 2; i++) {
		if (!(bytes[i] > 0))
			continue;
		xs_closed_form_klenk(
		    &out->machine,
		    &(struct xs_control_question){.bytes = bytes[i],
						  .connections = q->connections,
						  .to_host = i == 1,
						  .peer = q->peer},
		    &out->control[out->control_count]);
		out->control_count += XS_CONTROL_ROWS;
	}
}

/* The link bandwidth is that of this workload, one direction after the other.
 */
static void fill_bounds(const struct xs_formulas_input *q,
			struct xs_formulas_result *out)
{
	struct xs_vw_roofline r = roofline_of(q, &out->machine);
	const double link_ns = (double)out->h2d_ns + (double)out->d2h_ns;

	if (isnan(q->flops + q->memory_bytes) || q->flops <= 0 ||
	    q->memory_bytes <= 0 || out->h2d_bytes == XS_UNKNOWN ||
	    out->d2h_bytes == XS_UNKNOWN || link_ns <= 0 || r.peak_flops <= 0 ||
	    r.memory_bandwidth <= 0)
		return;
	r.link_bytes = (double)out->h2d_bytes + (double)out->d2h_bytes;
	r.link_bandwidth = r.link_bytes / link_ns * 1e9;
	out->has_bounds = true;
	out->bounds = (struct xs_formulas_bounds){
	    .data_intensity = xs_vw_data_intensity(&r),
	    .operational_intensity = r.flops / r.memory_bytes,
	    .zero_overlap = xs_vw_bound_zero_overlap(&r),
	    .full_overlap = xs_vw_bound_full_overlap(&r),
	    .mapped = xs_vw_bound_mapped(&r)};
}

static int evaluate_rounds(const struct xs_formulas_input *q,
			   struct xs_formulas_result *out, const char **unknown)
{
	const struct xs_atgpu_launch launch = launch_of(q);
	struct xs_workload work = q->work;
	struct xs_estimates list = {0};
	int err;

	if (isnan(work.kernel_ns)) {
		if (has_atgpu(q))
			work.kernel_ns = xs_closed_form_atgpu_kernel_ns(
			    &out->machine, &launch, unknown);
		if (!isfinite(work.kernel_ns))
			return -EDOM;
		out->kernel_from_atgpu = true;
	}
	err = evaluate(q, &work, &out->machine, &list);
	if (!err)
		err = xs_formulas_choose(&work, &out->machine, 0, &out->choice);
	if (err)
		goto out;
	fill_workload(out, &work);
	out->estimates = rows_of(&out->base, &list, out->choice.explicit_ns);
	out->estimate_count = list.count;
	fill_bounds(q, out);
	err = xs_formulas_try_faster(&work, out);
out:
	xs_estimates_free(&list);
	return err;
}

int xs_formulas_evaluate(const struct xs_formulas_input *q,
			 struct xs_formulas_result *out, const char **unknown)
{
	int err = 0;

	out->machine = *q->machine;
	out->base.run.wall_ns = XS_UNKNOWN;
	*unknown = NULL;
	if (q->control)
		fill_control(q, out);
	else
		err = evaluate_rounds(q, out, unknown);
	if (!err)
		xs_formulas_answer(out);
	return err;
}

void xs_formulas_result_free(struct xs_formulas_result *result)
{
	xs_arena_free(&result->base.arena);
}
