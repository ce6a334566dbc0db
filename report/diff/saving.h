/* SPDX-License-Identifier: MIT */
/* The change of the whole run: which part of it, and what was predicted. */
#pragma once

#include "report/diff/diff.h"

/* Fills diff->parts and diff->saving. Needs totals and phases. */
void xs_diff_explain(struct xs_diff *diff);
