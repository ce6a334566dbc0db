/* SPDX-License-Identifier: MIT */
/* "xferspy complete WORD...": what the completion of shells asks
 * (report/install/). */
#pragma once

#include "report/commands/cli.h"

/*
 * Prints candidates for the last of the words after "xferspy", which may be
 * empty. A line is a candidate, after which a tab and a description may follow;
 * or ":files", for names of files; or ":program N": the words from the Nth on,
 * counted from 0, are those of another program. Returns an exit code.
 */
int xs_cli_complete(int count, char **words);
