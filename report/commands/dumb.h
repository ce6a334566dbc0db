/* SPDX-License-Identifier: MIT */
/* Terminals without escape sequences. */
#pragma once

#include <stdbool.h>

/* Whether TERM says that the terminal has none. */
bool xs_dumb_terminal(void);
