/* SPDX-License-Identifier: MIT */
/* The files of a report: traces, and digests, also in folders. */
#pragma once

#include "report/commands/cli.h"

#include <jansson.h>

struct xs_job_inputs {
	char **paths; /* owned, as each of them is */
	int count;
};

/*
 * Lists the files of what was given: each file, and of each folder its digests
 * (*.digest) and, unless digests alone are wanted, its traces (*.xspy,
 * *.xspy.N). The
 * digests come first, the largest before others, whatever the order of what was
 * given, then the traces in that order, those of a folder by name. Opens no
 * file of a folder. Returns 0, or XS_EXIT_INPUT after printing an error. Free
 * with xs_job_inputs_free().
 */
int xs_job_inputs_list(char *const *given, int count, bool digests,
		       struct xs_job_inputs *out);
void xs_job_inputs_free(struct xs_job_inputs *inputs);

/*
 * Reads a digest, or makes that of a trace (how NULL: digests alone). The
 * caller owns *group, which only counts a file that cannot be read. Returns 0,
 * or XS_EXIT_INPUT after printing why it cannot.
 */
int xs_job_inputs_read(const char *path, const struct xs_result_options *how,
		       json_t **group);

/*
 * Merges the digests of all files into *group, which the caller owns. At most
 * one trace is in memory. A file of traces that were all there before is only
 * counted as a duplicate, except if how is NULL: merging must not depend on its
 * order.
 * Returns how many cannot be read, after printing why.
 */
int xs_job_inputs_merge(const struct xs_job_inputs *inputs,
			const struct xs_result_options *how, json_t **group);

/* The same, and answers on them: the caller frees *job, NULL if no file can be
 * read. Returns 0, or XS_EXIT_INPUT after printing what is
 * wrong, or if files are damaged, which the answer tells. */
int xs_job_inputs_build(const struct xs_job_inputs *inputs,
			const struct xs_result_options *how,
			struct xs_job **job);

/* Returns 0, or XS_EXIT_USAGE after printing that a digest keeps its own
 * machine, if one was chosen. */
int xs_job_inputs_check_machine(const struct xs_job_inputs *inputs,
				const struct xs_result_options *how);

/* Prints that so many of the files could not be read. Returns XS_EXIT_INPUT, or
 * 0 if all could. */
int xs_job_inputs_tell(int failed, int count);
