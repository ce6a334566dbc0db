/* SPDX-License-Identifier: MIT */
/*
 * Leaves the events of the one process that a file is of. Work of the GPU does
 * not name its process, and processes use the same ids: a joined file does not
 * tell whose it is.
 */
#include "analyzer/import/chrome.h"
#include "analyzer/import/import.h"

static const struct xs_chrome_thread *thread_of(const struct xs_chrome *c,
						uint32_t thread)
{
	return xs_distinct_value(&c->threads, thread);
}

/* Keeps the items of the process, all if no call names it, and numbers their
 * threads by tids. */
#define KEEP(items, count)                                                     \
	do {                                                                   \
		size_t kept = 0;                                               \
                                                                               \
		for (size_t i = 0; i < (count); i++) {                         \
			const struct xs_chrome_thread *t =                     \
			    thread_of(c, (items)[i].thread);                   \
                                                                               \
			if (f->pid && t->pid != f->pid)                        \
				continue;                                      \
			(items)[kept] = (items)[i];                            \
			(items)[kept++].thread = t->tid;                       \
		}                                                              \
		(count) = kept;                                                \
	} while (0)

int xs_chrome_choose_process(struct xs_chrome *c, const char **error)
{
	struct xs_foreign *f = &c->foreign;

	for (size_t i = 0; i < f->call_count; i++) {
		const uint32_t pid = thread_of(c, f->calls[i].thread)->pid;

		if (i && pid != f->pid)
			return xs_import_fail(
			    error, "it has the work of several processes, and "
				   "does not tell which GPU is whose; give the "
				   "file of one");
		f->pid = pid;
	}
	KEEP(f->calls, f->call_count);
	KEEP(f->ranges, f->range_count);
	KEEP(c->frames, c->frame_count);
	return 0;
}
