/* SPDX-License-Identifier: MIT */
/* Where an output is shown. */
#ifndef XS_REPORT_RESULT_DISPLAY_H
#define XS_REPORT_RESULT_DISPLAY_H

#include <stdbool.h>

/* Columns of an output that is no terminal. */
#define XS_DISPLAY_COLUMNS 80

struct xs_display {
	bool color;  /* it shows colours */
	int columns; /* that a line has */
};

#endif
