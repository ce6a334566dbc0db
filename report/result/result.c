/* SPDX-License-Identifier: MIT */
#include "report/result/result.h"

#include <stdlib.h>

const char *xs_result_flow_kind(int kind)
{
	static const char *const names[XS_RESULT_FLOW_KINDS] = {
	    "true", "reuse", "unknown", "stream", "host"};

	return names[kind];
}

void xs_result_free(struct xs_result *result)
{
	if (!result)
		return;
	xs_arena_free(&result->arena);
	free(result);
}
