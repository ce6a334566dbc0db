/* SPDX-License-Identifier: MIT */
#include "report/commands/dumb.h"

#include <stdlib.h>
#include <string.h>

bool xs_dumb_terminal(void)
{
	const char *type = getenv("TERM");

	return type && strcmp(type, "dumb") == 0;
}
