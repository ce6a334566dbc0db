/* SPDX-License-Identifier: MIT */
/* What a job's answer is made of. */
#pragma once

#include "report/job/job.h"

/* A table of a program, whose rows become items of a job. */
struct xs_job_table {
	const char *name;
	size_t size; /* of an item */
	void (*fill)(struct xs_job *job, const json_t *program, const char *key,
		     const json_t *row, void *item);
	int (*order)(const void *left, const void *right);
};

/* Returns the items in their order, and how many. */
void *xs_job_items(struct xs_job *job, const json_t *program,
		   const struct xs_job_table *table, size_t *count);

/* Returns a text of a program, "name" or "incomplete"; "": it has none. */
const char *xs_job_of(const json_t *program, const char *what);

/* Returns how many traces a row is of; 0 or more. */
int64_t xs_job_traces(const json_t *group);

/* Return a text of the arena, "" if there is none; the second, of one line. */
const char *xs_job_text(struct xs_arena *arena, const json_t *object,
			const char *key);
const char *xs_job_line(struct xs_arena *arena, const json_t *object,
			const char *key);

/* Returns the mean of a sum over traces; XS_UNKNOWN without either. */
int64_t xs_job_mean(int64_t sum, int64_t traces);

struct xs_job_spread xs_job_spread(const json_t *group, const char *name);

/* Fill the members of that name; need the times. */
void xs_job_fill_steps(struct xs_job *job, const json_t *program);
void xs_job_fill_groups(struct xs_job *job, const json_t *program);

/* Fills the slowest and the busiest; needs the groups and parts, for why they
 * are. */
void xs_job_fill_processes(struct xs_job *job, const json_t *program);

/* Adds a problem of so many traces; names of some, or ""; partial: by it
 * figures are not of all processes of the job, each once. */
void xs_job_add(struct xs_job *job, const char *what, bool partial,
		int64_t traces, const char *names, const char *text);

/* Fills ranks, and problems that they have. Returns whether each of them has
 * one trace. */
bool xs_job_fill_ranks(struct xs_job *job, const json_t *program);

/* Fills problems and ranks; program NULL: none. */
void xs_job_fill_problems(struct xs_job *job, const json_t *digest,
			  const json_t *program);

/* Returns what bounds the job, in a few sentences. */
const char *xs_job_verdict(struct xs_job *job);
