/* SPDX-License-Identifier: MIT */
/* Files without a name: gone when they are closed, or the process ends. */
#pragma once

/* Returns $TMPDIR, or /tmp where that is no folder to write in. It is not to be
 * freed. */
const char *xs_temporary_folder(void);

/* Returns the descriptor of a new file in the folder, to read and write, or
 * -errno. */
int xs_unnamed_open(const char *folder);
