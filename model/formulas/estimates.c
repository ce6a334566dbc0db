/* SPDX-License-Identifier: MIT */
#include "model/formulas/estimates.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int xs_estimates_add(struct xs_estimates *list,
		     const struct xs_estimate *estimate)
{
	struct xs_estimate *grown;
	size_t room;

	if (list->count == list->room) {
		room = list->room ? 2 * list->room : 16;
		grown = realloc(list->items, room * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		list->items = grown;
		list->room = room;
	}
	list->items[list->count++] = *estimate;
	return 0;
}

void xs_estimates_free(struct xs_estimates *list)
{
	free(list->items);
	memset(list, 0, sizeof(*list));
}
