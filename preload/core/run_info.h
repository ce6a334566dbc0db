/* SPDX-License-Identifier: MIT */
/* What a trace says about the run before its first call. */
#pragma once

/* Writes the command line, host, rank and settings as info records, and a note
 * for each wrong setting. The trace must be open. */
void xs_run_info_write(void);
