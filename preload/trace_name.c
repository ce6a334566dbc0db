/* SPDX-License-Identifier: MIT */
#include "preload/trace_name.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_PATTERN "xferspy.%h.%p.xspy"

const char *xs_trace_name_rank(void)
{
	static const char *const names[] = {
	    "OMPI_COMM_WORLD_RANK", "PMIX_RANK",    "PMI_RANK",
	    "MV2_COMM_WORLD_RANK",  "SLURM_PROCID", "RANK",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *rank = getenv(names[i]);
		if (rank && rank[0])
			return rank;
	}
	return "0";
}

/* Expands a pattern and appends it to path[*used]. Returns 0 or
 * -ENAMETOOLONG. */
static int expand(const char *pattern, pid_t pid, char *path, size_t bytes,
		  size_t *used)
{
	for (const char *at = pattern; *at; at++) {
		char text[128] = {*at};
		size_t length;

		if (at[0] == '%' && at[1]) {
			switch (*++at) {
			case 'p':
				snprintf(text, sizeof(text), "%ld", (long)pid);
				break;
			case 'h':
				gethostname(text, sizeof(text) - 1);
				break;
			case 'r':
				snprintf(text, sizeof(text), "%s",
					 xs_trace_name_rank());
				break;
			case '%':
				break;
			default: /* unknown: copied unchanged */
				text[1] = *at;
			}
		}
		length = strlen(text);
		if (*used + length + 1 > bytes)
			return -ENAMETOOLONG;
		memcpy(path + *used, text, length);
		*used += length;
	}
	path[*used] = '\0';
	return 0;
}

int xs_trace_name_expand(const char *pattern, pid_t pid, char *path,
			 size_t bytes)
{
	const char *own = pattern && pattern[0] ? pattern : DEFAULT_PATTERN;
	size_t used = 0;
	struct stat found;
	int rc = expand(own, pid, path, bytes, &used);

	if (!rc && stat(path, &found) == 0 && S_ISDIR(found.st_mode))
		rc = expand(path[used - 1] == '/' ? DEFAULT_PATTERN
						  : "/" DEFAULT_PATTERN,
			    pid, path, bytes, &used);
	return rc;
}
