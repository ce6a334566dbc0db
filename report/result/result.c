/* SPDX-License-Identifier: MIT */
#include "report/result/result.h"

#include <stdlib.h>

void xs_result_free(struct xs_result *result)
{
	if (!result)
		return;
	xs_arena_free(&result->arena);
	free(result);
}
