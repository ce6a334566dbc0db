/* SPDX-License-Identifier: MIT */
/* "Did you mean ...": the nearest of several names to a word. */
#pragma once

/* Start with only word set. */
struct xs_nearest {
	const char *word; /* ends at '=', too: "--format=json" */
	const char *best; /* NULL: no name offered so far is near */
	unsigned distance;
};

/* Offers a name, which must outlive nearest. Upper and lower case are the same;
 * two letters may differ, but at most half of them. */
void xs_nearest_offer(struct xs_nearest *nearest, const char *name);
