/* SPDX-License-Identifier: MIT */
/* The streamable classes of Li et al. 2016. */
#pragma once

#include "analyzer/dataflow/dataflow.h"
#include "analyzer/rounds/phase.h"

/*
 * Sets the class of the tasks of a dataflow: copies in, the kernels up to the
 * next copy in, and their copies out. Allocations that kernels of several tasks
 * are given decide: those that each task (the first may differ) fills, or
 * copies out, as a whole are reused; those that no task copies, or that only
 * some fill, are shared; those that some copy out carry what kernels wrote.
 */
void xs_task_class(const struct xs_trace *trace,
		   const struct xs_dataflow *dataflow,
		   struct xs_task_class *out);
