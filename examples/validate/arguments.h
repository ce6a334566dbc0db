/* SPDX-License-Identifier: MIT */
/* Options that one program has besides those that common.h knows. */
#ifndef XS_EXAMPLES_ARGUMENTS_H
#define XS_EXAMPLES_ARGUMENTS_H

#include <cstring>

/* Takes `--name VALUE` out of the arguments, for common.h to read the rest.
 * Returns the value, or NULL where there is none. */
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
