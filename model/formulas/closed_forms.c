/* SPDX-License-Identifier: MIT */
#include "model/formulas/closed_forms.h"

#include <string.h>

const struct xs_closed_form_kind *const xs_closed_forms[] = {
    &xs_closed_form_explicit,  &xs_closed_form_streams,
    &xs_closed_form_both,      &xs_closed_form_cocopelia,
    &xs_closed_form_gomezluna, &xs_closed_form_mapped,
    &xs_closed_form_hybrid,    NULL};

void xs_closed_form_add(const struct xs_closed_form *c, const char *strategy,
			unsigned n, struct xs_estimates *out)
{
	for (size_t i = 0; xs_closed_forms[i]; i++)
		if (strcmp(xs_closed_forms[i]->strategy, strategy) == 0)
			xs_closed_forms[i]->add(c, n, out);
}
