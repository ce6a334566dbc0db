/* SPDX-License-Identifier: MIT */
#include "preload/trace_name.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_PATTERN "xferspy.%h.%p.xspy"

/* Variables of launchers, those first that others start in a task of theirs: of
 * PyTorch (torchrun, DeepSpeed, Accelerate), Open MPI, MVAPICH2, MPICH and
 * other PMI, PMIx, Slurm, and PyTorch's that a script sets. */
static const struct {
	const char *rank, *ranks;
	const char *only_with; /* NULL: always */
} launchers[] = {
    {"RANK", "WORLD_SIZE", "LOCAL_RANK"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", NULL},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", NULL},
    {"PMI_RANK", "PMI_SIZE", NULL},
    {"PMIX_RANK", "SLURM_NTASKS", NULL},
    {"SLURM_PROCID", "SLURM_NTASKS", NULL},
    {"RANK", "WORLD_SIZE", NULL},
};

const char *xs_trace_name_rank(const char **ranks)
{
	for (size_t i = 0; i < sizeof(launchers) / sizeof(*launchers); i++) {
		const char *rank = getenv(launchers[i].rank);

		if (!rank || !rank[0] || rank[strspn(rank, "0123456789")] ||
		    (launchers[i].only_with && !getenv(launchers[i].only_with)))
			continue;
		if (ranks)
			*ranks = getenv(launchers[i].ranks);
		return rank;
	}
	if (ranks)
		*ranks = NULL;
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
					 xs_trace_name_rank(NULL));
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
