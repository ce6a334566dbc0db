/* SPDX-License-Identifier: MIT */
/* The digest of one trace. */
#pragma once

#include "report/result/result.h"

#include <jansson.h>

/* Returns the group of a result's digest, whose size does not depend on that of
 * the trace. The caller owns it; the result's arena gets texts. */
json_t *xs_digest_of_result(struct xs_result *result);

/* Returns the group of a trace that is in no figure, and why: "unreadable", or
 * "duplicate". The caller owns it. */
json_t *xs_digest_of_problem(const char *what, const char *path);
