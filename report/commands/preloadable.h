/* SPDX-License-Identifier: MIT */
/* Programs that LD_PRELOAD cannot reach. */
#ifndef XS_REPORT_COMMANDS_PRELOADABLE_H
#define XS_REPORT_COMMANDS_PRELOADABLE_H

/* Returns why the loader will not preload a library into the program, which is
 * searched in PATH as execvp() does. NULL: it will, as far as can be told. */
const char *xs_preload_obstacle(const char *program);

#endif
