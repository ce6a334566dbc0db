/* SPDX-License-Identifier: MIT */
/* The distinct ones of many numbers, in memory for these alone. */
#ifndef XS_REPORT_EXPORT_IDS_H
#define XS_REPORT_EXPORT_IDS_H

#include <stddef.h>
#include <stdint.h>

/* Zeroed, it is empty. */
struct xs_export_ids {
	uint64_t *ids; /* owned: the caller frees it */
	size_t count;
	/* private */
	size_t room;
	int error;
};

void xs_export_ids_add(struct xs_export_ids *set, uint64_t id);

/* Sorts the numbers; each is there once. Returns 0 or -ENOMEM. */
int xs_export_ids_sort(struct xs_export_ids *set);

#endif
