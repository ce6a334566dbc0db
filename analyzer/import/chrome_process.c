/* SPDX-License-Identifier: MIT */
/*
 * Leaves the events of one process, of those that a joined file has: that with
 * the most calls and GPU work. Work of the GPU does not name its process, and
 * processes use the same ids: a GPU belongs to the process whose calls fit most
 * of the work on it.
 */
#include "analyzer/import/chrome.h"

#include "analyzer/import/import.h"
#include "analyzer/util/large.h"
#include "analyzer/util/sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* More are not told apart. */
#define MOST_PROCESSES 256
#define FEW	       20 /* one of so many may have a wrong time */

/* How a process fits a device. */
struct fit {
	size_t ops;    /* that start after its calls of their ids */
	double lag_ns; /* how long after, all of them */
};

struct chooser {
	struct xs_foreign *foreign;
	struct xs_distinct pids; /* those with calls come first */
	uint32_t *of_thread;	 /* numbers of processes */
	size_t processes, devices;
	struct xs_key *calls; /* that issue work, by correlation */
	size_t call_count;
	struct fit *fits; /* by device and process */
	uint32_t *owners; /* processes, by device */
	/* by process */
	size_t rows[MOST_PROCESSES]; /* calls, and ops on its devices */
	bool owns[MOST_PROCESSES];   /* a device */
	bool works[MOST_PROCESSES];  /* its calls may have made ops */
};

static const uint32_t *pid_of(const struct xs_chrome *c, uint32_t thread)
{
	const struct xs_chrome_thread *t =
	    xs_distinct_value(&c->threads, thread);

	return &t->pid;
}

/* Numbers the processes with calls. */
static int find_processes(struct chooser *k, const struct xs_chrome *c)
{
	const struct xs_foreign *f = k->foreign;
	uint32_t number;
	int rc = 0;

	k->of_thread = calloc(c->threads.count + 1, sizeof(*k->of_thread));
	if (!k->of_thread)
		return -ENOMEM;
	for (size_t i = 0; !rc && i < f->call_count; i++)
		rc = xs_distinct_find(&k->pids, pid_of(c, f->calls[i].thread),
				      sizeof(uint32_t), &number);
	k->processes = k->pids.count;
	for (uint32_t i = 0; !rc && i < c->threads.count; i++)
		rc = xs_distinct_find(&k->pids, pid_of(c, i), sizeof(uint32_t),
				      &k->of_thread[i]);
	return rc;
}

static uint32_t device_of(const struct chooser *k, uint16_t queue)
{
	const struct xs_foreign_queue *q =
	    xs_distinct_value(&k->foreign->queues, queue);

	return q->device;
}

static int sort_calls(struct chooser *k)
{
	const struct xs_foreign *f = k->foreign;

	k->calls = xs_large_new(f->call_count + 1, sizeof(*k->calls));
	if (!k->calls)
		return -ENOMEM;
	for (size_t i = 0; i < f->call_count; i++) {
		const struct xs_foreign_call *call = &f->calls[i];

		k->rows[k->of_thread[call->thread]]++;
		if (xs_call_issues(call->call_class) && call->correlation)
			k->calls[k->call_count++] =
			    (struct xs_key){call->correlation, (uint32_t)i};
	}
	xs_keys_sort(k->calls, k->call_count);
	return 0;
}

static void count_op(struct chooser *k, const struct xs_foreign_op *op)
{
	struct fit *fits = &k->fits[device_of(k, op->queue) * k->processes];

	for (size_t i = xs_keys_from(k->calls, k->call_count, op->correlation);
	     i < k->call_count && k->calls[i].key == op->correlation; i++) {
		const struct xs_foreign_call *call =
		    &k->foreign->calls[k->calls[i].index];
		const uint32_t process = k->of_thread[call->thread];

		k->works[process] = true;
		if (call->start_ns > op->start_ns)
			continue;
		fits[process].ops++;
		fits[process].lag_ns += (double)(op->start_ns - call->start_ns);
	}
}

static int count_fits(struct chooser *k)
{
	const struct xs_foreign *f = k->foreign;

	for (uint16_t i = 0; i < f->queues.count; i++)
		if (device_of(k, i) >= k->devices)
			k->devices = device_of(k, i) + 1;
	k->owners = calloc(k->devices + 1, sizeof(*k->owners));
	k->fits = calloc(k->devices * k->processes + 1, sizeof(*k->fits));
	if (!k->owners || !k->fits)
		return -ENOMEM;
	for (size_t i = 0; i < f->op_count; i++)
		count_op(k, &f->ops[i]);
	return 0;
}

/* Whether a process fits better than another one, where `most` ops fit some. Of
 * those that fit all but a twentieth, it is the one whose calls began last:
 * work that starts at once is before the calls of any other. */
static bool is_better(const struct fit *fit, const struct fit *best,
		      size_t most)
{
	const bool is_good = FEW * (most - fit->ops) <= most;
	const bool best_is_good = FEW * (most - best->ops) <= most;

	return is_good != best_is_good ? is_good : fit->lag_ns < best->lag_ns;
}

static void find_owners(struct chooser *k)
{
	const struct xs_foreign *f = k->foreign;

	for (size_t d = 0; d < k->devices; d++) {
		const struct fit *fits = &k->fits[d * k->processes];
		uint32_t best = 0;
		size_t most = 0;

		for (size_t p = 0; p < k->processes; p++)
			most = fits[p].ops > most ? fits[p].ops : most;
		for (uint32_t p = 1; p < k->processes; p++)
			if (is_better(&fits[p], &fits[best], most))
				best = p;
		k->owners[d] = best;
		k->owns[best] |= most > 0;
	}
	for (size_t i = 0; i < f->op_count; i++)
		k->rows[k->owners[device_of(k, f->ops[i].queue)]]++;
}

/* Work of a process may be on a device that another one owns. */
static int refuse_shared(const struct chooser *k, const char **error)
{
	for (size_t i = 0; i < k->processes; i++)
		if (k->works[i] && !k->owns[i])
			return xs_import_fail(
			    error,
			    "it has the work of several processes, and does "
			    "not tell which GPU is whose; give the file of "
			    "one");
	return 0;
}

/* Keeps the items of the process; `of` is an expression of the item's. */
#define KEEP(items, count, of)                                                 \
	do {                                                                   \
		size_t kept = 0;                                               \
                                                                               \
		for (size_t i = 0; i < (count); i++)                           \
			if ((of) == process)                                   \
				(items)[kept++] = (items)[i];                  \
		(count) = kept;                                                \
	} while (0)

/* A wait is for the only queue, if there is one: those of others are dropped.
 */
static int keep_ops(struct chooser *k, uint32_t process)
{
	struct xs_foreign *f = k->foreign;
	struct xs_distinct before = f->queues;
	int rc = 0;

	KEEP(f->ops, f->op_count, k->owners[device_of(k, f->ops[i].queue)]);
	f->queues = (struct xs_distinct){0};
	for (size_t i = 0; !rc && i < f->op_count; i++)
		rc = xs_foreign_add_queue(
		    f, xs_distinct_value(&before, f->ops[i].queue),
		    &f->ops[i].queue);
	xs_distinct_release(&before);
	return rc;
}

/* Threads of two processes may have one number. */
static void keep_threads(struct chooser *k, struct xs_chrome *c,
			 uint32_t process)
{
	struct xs_foreign *f = k->foreign;

	KEEP(f->calls, f->call_count, k->of_thread[f->calls[i].thread]);
	KEEP(f->ranges, f->range_count, k->of_thread[f->ranges[i].thread]);
	KEEP(c->frames, c->frame_count, k->of_thread[c->frames[i].thread]);
	memcpy(&f->pid, xs_distinct_value(&k->pids, process), sizeof(f->pid));
}

static int keep(struct chooser *k, struct xs_chrome *c)
{
	struct xs_foreign *f = k->foreign;
	uint32_t process = 0;
	int rc;

	for (uint32_t p = 0; p < k->processes; p++)
		if (k->rows[p] > k->rows[process])
			process = p;
	keep_threads(k, c, process);
	f->detail_count = 0;	     /* they do not name their process, */
	f->begin_ns = f->end_ns = 0; /* nor does the span */
	rc = keep_ops(k, process);
	return rc ? rc : xs_foreign_note_process(f, k->processes, "");
}

static int choose(struct chooser *k, struct xs_chrome *c, const char **error)
{
	int rc = find_processes(k, c);

	if (!rc && k->processes == 1)
		keep_threads(k, c, 0);
	if (rc || k->processes < 2)
		return rc;
	if (k->processes > MOST_PROCESSES)
		return xs_import_fail(error, "it has more than %u processes",
				      MOST_PROCESSES);
	rc = sort_calls(k);
	if (!rc)
		rc = count_fits(k);
	if (rc)
		return rc;
	find_owners(k);
	rc = refuse_shared(k, error);
	return rc ? rc : keep(k, c);
}

static uint32_t tid_of(const struct xs_chrome *c, uint32_t thread)
{
	const struct xs_chrome_thread *t =
	    xs_distinct_value(&c->threads, thread);

	return t->tid;
}

int xs_chrome_choose_process(struct xs_chrome *c, const char **error)
{
	struct chooser k = {.foreign = &c->foreign};
	struct xs_foreign *f = k.foreign;
	const int rc = choose(&k, c, error);

	for (size_t i = 0; i < f->call_count; i++)
		f->calls[i].thread = tid_of(c, f->calls[i].thread);
	for (size_t i = 0; i < f->range_count; i++)
		f->ranges[i].thread = tid_of(c, f->ranges[i].thread);
	for (size_t i = 0; i < c->frame_count; i++)
		c->frames[i].thread = tid_of(c, c->frames[i].thread);
	xs_distinct_release(&k.pids);
	free(k.of_thread);
	xs_large_free(k.calls);
	free(k.fits);
	free(k.owners);
	return rc;
}
