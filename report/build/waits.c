/* SPDX-License-Identifier: MIT */
/* How long the host waited at each place, and for what. */
#include "report/build/build.h"

#include "analyzer/read/names.h"
#include "analyzer/waits/wait_sites.h"
#include "report/build/steady.h"
#include "report/build/wait_reason.h"
#include "report/result/site.h"

#include <math.h>
#include <stdlib.h>

/* Waits compared when looking for one at the same place. */
#define SAME_PLACE_SPAN 256

/* waits: it may wait for the GPU. hidden: it synchronises implicitly. */
static const struct {
	bool waits, hidden;
} kinds[XS_CALL_CLASSES] = {
    [XS_CALL_COPY] = {true, false},
    [XS_CALL_COPY_ASYNC] = {true, false},
    [XS_CALL_SET] = {true, true},
    [XS_CALL_ALLOC_DEVICE] = {true, true},
    [XS_CALL_ALLOC_PINNED] = {true, true},
    [XS_CALL_REGISTER] = {true, true},
    [XS_CALL_FREE_DEVICE] = {true, true},
    [XS_CALL_FREE_PINNED] = {true, true},
    [XS_CALL_UNREGISTER] = {true, true},
    [XS_CALL_SYNC_DEVICE] = {true, false},
    [XS_CALL_SYNC_STREAM] = {true, false},
    [XS_CALL_SYNC_EVENT] = {true, false},
    [XS_CALL_POLL] = {true, false},
    [XS_CALL_RESET] = {true, false},
};

/*
 * Estimates the time of first touches: what copies with them take beyond the
 * place's other copies, by bytes; by the profile if all copies or none touch,
 * or these only a part. At most the copies' time.
 */
static void build_faults(const struct xs_machine *machine,
			 struct xs_result_wait *wait)
{
	const int64_t most_ns = wait->own_ns + wait->latency_ns + wait->host_ns;
	const double all = (double)wait->touching_bytes;
	const double others = (double)wait->site.bytes - all;
	double ns = machine->touch_byte_ns.value * (double)wait->touched_bytes;

	if (wait->minor_faults == 0 && wait->major_faults == 0) {
		wait->minor_faults = wait->major_faults = XS_UNKNOWN;
		wait->touched_bytes = wait->touched_ns = XS_UNKNOWN;
		return;
	}
	if (all > 0 && others > 0)
		ns = fmax((double)wait->touching_ns -
			      all / others *
				  (double)(most_ns - wait->touching_ns),
			  0);
	wait->touched_ns = xs_number_round(ns);
	if (wait->touched_ns > most_ns)
		wait->touched_ns = most_ns;
}

static void build_wait(struct xs_result *result, const struct xs_trace *trace,
		       const struct xs_wait_site *in,
		       struct xs_result_wait *out)
{
	const uint64_t *part_ns = in->part_ns;

	*out = (struct xs_result_wait){
	    .kind = kinds[in->call_class].waits ? xs_name_call(in->call_class)
						: "call",
	    .hidden = kinds[in->call_class].hidden,
	    .pageable = in->pageable,
	    .gpu_calls = xs_number_bounded(in->gpu_calls),
	    .waited_ns = xs_number_bounded(in->waited_ns),
	    .own_ns = xs_number_bounded(part_ns[XS_WAIT_OWN]),
	    .own_out_ns = xs_number_bounded(in->own_out_ns),
	    .h2d_ns = xs_number_bounded(part_ns[XS_WAIT_H2D]),
	    .kernel_ns = xs_number_bounded(part_ns[XS_WAIT_KERNEL]),
	    .d2h_ns = xs_number_bounded(part_ns[XS_WAIT_D2H]),
	    .other_ns = xs_number_bounded(part_ns[XS_WAIT_OTHER]),
	    .latency_ns = xs_number_bounded(part_ns[XS_WAIT_LATENCY]),
	    .host_ns = xs_number_bounded(part_ns[XS_WAIT_HOST]),
	    .minor_faults = xs_number_bounded(in->minor_faults),
	    .major_faults = xs_number_bounded(in->major_faults),
	    .touched_bytes = xs_number_bounded(in->touched_bytes),
	    .touching_bytes = xs_number_bounded(in->touching_bytes),
	    .touching_ns = xs_number_bounded(in->touching_ns),
	};
	xs_build_site(result, trace, in->site, &out->site);
	out->site.calls = xs_number_bounded(in->calls);
	out->site.bytes = xs_number_bounded(in->bytes);
}

static void add_to(struct xs_result_wait *to, const struct xs_result_wait *from)
{
	to->pageable |= from->pageable;
	xs_number_add(&to->site.calls, from->site.calls);
	xs_number_add(&to->site.bytes, from->site.bytes);
	xs_number_add(&to->gpu_calls, from->gpu_calls);
	xs_number_add(&to->waited_ns, from->waited_ns);
	xs_number_add(&to->own_ns, from->own_ns);
	xs_number_add(&to->own_out_ns, from->own_out_ns);
	xs_number_add(&to->h2d_ns, from->h2d_ns);
	xs_number_add(&to->kernel_ns, from->kernel_ns);
	xs_number_add(&to->d2h_ns, from->d2h_ns);
	xs_number_add(&to->other_ns, from->other_ns);
	xs_number_add(&to->latency_ns, from->latency_ns);
	xs_number_add(&to->host_ns, from->host_ns);
	xs_number_add(&to->minor_faults, from->minor_faults);
	xs_number_add(&to->major_faults, from->major_faults);
	xs_number_add(&to->touched_bytes, from->touched_bytes);
	xs_number_add(&to->touching_bytes, from->touching_bytes);
	xs_number_add(&to->touching_ns, from->touching_ns);
}

/* Waits of a part of the run, and their sum. */
struct list {
	struct xs_result_wait **items;
	size_t *count;
	int64_t *blocked_ns; /* of all threads together */
	int64_t rounds;	     /* texts are of one of so many */
};

/* Returns the wait at the same place, or NULL. */
static struct xs_result_wait *same_place(const struct list *list,
					 const struct xs_result_wait *wait)
{
	size_t looked_at = 0;

	for (size_t i = *list->count; i-- > 0;) {
		if (xs_result_same_place(&(*list->items)[i].site, &wait->site))
			return &(*list->items)[i];
		if (++looked_at == SAME_PLACE_SPAN)
			break;
	}
	return NULL;
}

static int by_wait(const void *a, const void *b)
{
	const struct xs_result_wait *x = a, *y = b;

	return (x->waited_ns < y->waited_ns) - (x->waited_ns > y->waited_ns);
}

static void add_wait(struct xs_result *result, const struct xs_trace *trace,
		     const struct xs_wait_site *in, const struct list *list)
{
	struct xs_result_wait *wait = &(*list->items)[*list->count];
	struct xs_result_wait *other;

	build_wait(result, trace, in, wait);
	other = same_place(list, wait);
	xs_build_caller(result, trace, in->site, wait->site.calls,
			other ? &other->site : &wait->site);
	if (other)
		add_to(other, wait);
	else
		++*list->count;
}

static void finish(struct xs_result *result, const struct list *list)
{
	const bool is_known = *list->blocked_ns != XS_UNKNOWN;

	if (*list->count)
		qsort(*list->items, *list->count, sizeof(**list->items),
		      by_wait);
	if (is_known)
		*list->blocked_ns = 0;
	for (size_t i = 0; i < *list->count; i++) {
		struct xs_result_wait *wait = &(*list->items)[i];

		build_faults(&result->machine, wait);
		xs_result_order_callers(&wait->site);
		wait->text = xs_wait_reason(&result->arena, wait, list->rounds);
		if (is_known)
			xs_number_add(list->blocked_ns, wait->waited_ns);
	}
}

/* apart: also waits outside the steady part. */
static void build_list(struct xs_result *result, const struct xs_trace *trace,
		       const struct xs_wait_sites *sites, bool apart,
		       const struct list *list)
{
	*list->items =
	    xs_arena_alloc(&result->arena, sites->count, sizeof(**list->items));
	for (size_t i = 0; i < sites->count; i++)
		if (apart || !sites->items[i].apart)
			add_wait(result, trace, &sites->items[i], list);
	finish(result, list);
}

void xs_build_waits(struct xs_result *result, const struct xs_trace *trace,
		    const struct xs_steady *steady)
{
	struct xs_result_steady *out = &result->steady;
	struct xs_wait_sites sites;

	xs_wait_sites_build(trace, steady->repeats ? &steady->span : NULL,
			    &sites);
	build_list(result, trace, &sites, true,
		   &(struct list){&result->waits, &result->wait_count,
				  &result->totals.host_blocked_ns, 1});
	if (steady->repeats)
		build_list(result, trace, &sites, false,
			   &(struct list){
			       &out->waits, &out->wait_count,
			       &out->totals.host_blocked_ns,
			       out->rounds == XS_UNKNOWN ? 1 : out->rounds});
	result->coverage.unexamined_waits = xs_number_bounded(sites.unexamined);
	xs_build_note_waits(result);
	xs_wait_sites_free(&sites);
}
