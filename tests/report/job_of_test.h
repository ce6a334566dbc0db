/* SPDX-License-Identifier: MIT */
/* Jobs of results that a test writes by hand. */
#pragma once

#include "report/job/digest.h"
#include "report/job/job.h"
#include "report/job/trace_digest.h"
#include "tests/unit.h"

/* Adds the digest of the result. */
static inline void merge_result(json_t *all, struct xs_result *result)
{
	json_t *group = xs_digest_of_result(result);

	xs_digest_merge(all, group);
	json_decref(group);
}

/* Returns the job of the digest, which it frees. */
static inline struct xs_job *job_of_all(json_t *all)
{
	struct xs_job *job;

	job = xs_job_build(all);
	json_decref(all);
	return job;
}
