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
	const char *only_with; /* "": always */
	/* What names a job has the same values in all of its ranks; "": nothing
	 * does. All that other PMI starts within one job of Slurm is one job:
	 * its ranks may be in a step for each node. */
	const char *job, *step;
} launchers[] = {
    {"RANK", "WORLD_SIZE", "LOCAL_RANK", "TORCHELASTIC_RUN_ID", ""},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "", "PMIX_NAMESPACE", ""},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "", "", ""},
    {"PMI_RANK", "PMI_SIZE", "", "SLURM_JOB_ID", ""},
    {"PMIX_RANK", "SLURM_NTASKS", "", "PMIX_NAMESPACE", ""},
    {"SLURM_PROCID", "SLURM_NTASKS", "", "SLURM_JOB_ID", "SLURM_STEP_ID"},
    {"RANK", "WORLD_SIZE", "", "", ""},
};

/* "none", which torchrun names each job without --rdzv-id, is no value. */
static const char *value_of(const char *variable)
{
	const char *value = *variable ? getenv(variable) : NULL;

	return value && strcmp(value, "none") != 0 ? value : "";
}

struct xs_launcher xs_trace_name_launcher(void)
{
	for (size_t i = 0; i < sizeof(launchers) / sizeof(*launchers); i++) {
		const char *rank = value_of(launchers[i].rank);

		if (rank[0] && !rank[strspn(rank, "0123456789")] &&
		    (!launchers[i].only_with[0] ||
		     getenv(launchers[i].only_with)))
			return (struct xs_launcher){
			    rank, getenv(launchers[i].ranks),
			    value_of(launchers[i].job),
			    value_of(launchers[i].step)};
	}
	return (struct xs_launcher){"0", NULL, "", ""};
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
					 xs_trace_name_launcher().rank);
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
