/* SPDX-License-Identifier: MIT */
#include "report/export/ids.h"

#include "analyzer/util/sort.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_ROOM 1024

int xs_export_ids_sort(struct xs_export_ids *set)
{
	uint64_t *scratch = malloc((set->count + 1) * sizeof(*scratch));
	size_t kept = 0;

	if (!scratch)
		return -ENOMEM;
	xs_values_sort(set->ids, scratch, set->count);
	free(scratch);
	for (size_t i = 0; i < set->count; i++)
		if (i == 0 || set->ids[i] != set->ids[kept - 1])
			set->ids[kept++] = set->ids[i];
	set->count = kept;
	return set->error;
}

/* Makes room for at least as many numbers again as there are distinct ones. */
static int make_room(struct xs_export_ids *set)
{
	const size_t room = set->room ? 2 * set->room : FIRST_ROOM;
	int err = xs_export_ids_sort(set);
	uint64_t *ids;

	if (err || set->count < set->room / 2)
		return err;
	ids = realloc(set->ids, room * sizeof(*ids));
	if (!ids)
		return -ENOMEM;
	set->ids = ids;
	set->room = room;
	return 0;
}

void xs_export_ids_add(struct xs_export_ids *set, uint64_t id)
{
	if (set->error || (set->count && set->ids[set->count - 1] == id))
		return;
	if (set->count == set->room)
		set->error = make_room(set);
	if (!set->error)
		set->ids[set->count++] = id;
}
