/* SPDX-License-Identifier: MIT */
/* Options of single programs, besides those of options.h. */
#ifndef XS_EXAMPLES_ARGUMENTS_H
#define XS_EXAMPLES_ARGUMENTS_H

#include <cstring>

/* Removes `--name VALUE` from the arguments, so that options.h parses the rest.
 * Returns the value, or NULL. */
static inline const char *take_argument(int *argc, char **argv,
					const char *name)
{
	for (int i = 1; i + 1 < *argc; i++) {
		const char *value = argv[i + 1];

		if (strcmp(argv[i], name) != 0)
			continue;
		for (int j = i; j + 2 <= *argc; j++)
			argv[j] = argv[j + 2];
		*argc -= 2;
		return value;
	}
	return NULL;
}

#endif
