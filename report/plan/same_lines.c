/* SPDX-License-Identifier: MIT */
#include "report/plan/same_lines.h"

#include "report/plan/advice_text.h"
#include "report/result/site.h"

#include <string.h>

/* Whether only a library's address is known, which serves many lines. */
static bool is_of_library(const struct xs_result_site *site)
{
	return site->module && strstr(site->module, ".so");
}

/* By the line, or by the call of the program itself if no line is known. */
static bool is_same_line(const struct xs_result_site *a,
			 const struct xs_result_site *b)
{
	if (!a->file || !b->file)
		return !is_of_library(a) && xs_result_same_place(a, b);
	return xs_result_same_line(a, b);
}

/* Whether the row's strategy changes the place of the site for the phase. */
static bool changes(const struct xs_result_phase *phase,
		    const struct xs_result_estimate *row,
		    const struct xs_result_site *site,
		    bool (*is_same)(const struct xs_result_site *a,
				    const struct xs_result_site *b))
{
	for (size_t i = 0; i < phase->site_count; i++)
		if (is_same(&phase->sites[i], site) &&
		    xs_advice_is_about(phase, row, &phase->sites[i]))
			return true;
	return false;
}

bool xs_lines_are_within(const struct xs_result_phase *outer,
			 const struct xs_result_phase *phase,
			 const struct xs_result_estimate *row)
{
	bool any = false;

	for (size_t i = 0; i < phase->site_count; i++) {
		if (!xs_advice_is_about(phase, row, &phase->sites[i]))
			continue;
		if (!changes(outer, row, &phase->sites[i], is_same_line))
			return false;
		any = true;
	}
	return any;
}

bool xs_lines_are_same(const struct xs_result_phase *other,
		       const struct xs_result_phase *phase,
		       const struct xs_result_estimate *row)
{
	return other->apart == phase->apart &&
	       xs_lines_are_within(other, phase, row) &&
	       xs_lines_are_within(phase, other, row);
}

static bool is_same_text(const char *a, const char *b)
{
	return a && b && strcmp(a, b) == 0;
}

/* By the function; where no file is known, of the program itself. */
static bool is_near(const struct xs_result_site *a,
		    const struct xs_result_site *b)
{
	if (a->file || b->file)
		return is_same_text(a->file, b->file) &&
		       is_same_text(a->function, b->function);
	return is_same_text(a->module, b->module) && !is_of_library(a) &&
	       (is_same_text(a->function, b->function) ||
		(!a->function && !b->function));
}

/* Whether all places that the row's strategy changes for the phase are near to
 * the site; *any: it changes one. */
static bool are_near(const struct xs_result_phase *phase,
		     const struct xs_result_estimate *row,
		     const struct xs_result_site *site, bool *any)
{
	for (size_t i = 0; i < phase->site_count; i++) {
		if (!xs_advice_is_about(phase, row, &phase->sites[i]))
			continue;
		if (!is_near(&phase->sites[i], site))
			return false;
		*any = true;
	}
	return true;
}

bool xs_lines_are_near(const struct xs_result_phase *first,
		       const struct xs_result_phase *second,
		       const struct xs_result_estimate *row)
{
	bool any = false;

	for (size_t i = 0; i < first->site_count; i++)
		if (xs_advice_is_about(first, row, &first->sites[i]) &&
		    !are_near(second, row, &first->sites[i], &any))
			return false;
	return any;
}

bool xs_lines_meet(const struct xs_result_phase *first,
		   const struct xs_result_estimate *first_row,
		   const struct xs_result_phase *second,
		   const struct xs_result_estimate *second_row)
{
	for (size_t i = 0; i < second->site_count; i++)
		if (xs_advice_is_about(second, second_row, &second->sites[i]) &&
		    changes(first, first_row, &second->sites[i],
			    xs_result_same_place))
			return true;
	return false;
}
