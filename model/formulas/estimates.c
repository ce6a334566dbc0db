/* SPDX-License-Identifier: MIT */
#include "model/formulas/estimates.h"

#include "analyzer/util/sort.h"

#include <stdlib.h>
#include <string.h>

void xs_estimates_add(struct xs_estimates *list,
		      const struct xs_estimate *estimate)
{
	XS_ARRAY_ADD(list->items, list->count, *estimate);
}

void xs_estimates_free(struct xs_estimates *list)
{
	free(list->items);
	memset(list, 0, sizeof(*list));
}
