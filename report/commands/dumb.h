/* SPDX-License-Identifier: MIT */
/* Terminals without escape sequences. */
#ifndef XS_REPORT_COMMANDS_DUMB_H
#define XS_REPORT_COMMANDS_DUMB_H

#include <stdbool.h>

/* Whether TERM says that the terminal has none. */
bool xs_dumb_terminal(void);

#endif
