/* SPDX-License-Identifier: MIT */
/* What an export of Nsight Systems says of the run, and what it lacks. */
#pragma once

#include "analyzer/import/foreign.h"
#include "analyzer/import/nsys_db.h"

#define XS_NSYS_USAGE  "CUDA_GPU_MEMORY_USAGE_EVENTS"
#define XS_NSYS_STACKS "CUDA_CALLCHAINS"

struct xs_nsys {
	struct xs_nsys_db db;
	struct xs_foreign foreign;
	uint64_t process; /* that is read: xs_nsys_process() */
	uint64_t base_ns; /* CLOCK_REALTIME of time 0; 0: unknown */
	bool is_cut;	  /* it has a part of the capture, or shifted times */
	/* xs_foreign_queue of default streams: context and stream alone */
	struct xs_distinct defaults;
	size_t capped;	      /* copies that stand for more than can be said */
	uint8_t memories[16]; /* enum xs_memory by number in the file */
	/* numbers of strings + 1, by their ids in the file */
	struct xs_distinct_map strings;
	sqlite3_stmt *find_string, *find_frames;
};

/* The process of a global id: 8 bits of the hardware, 8 of the virtual machine,
 * and 24 of its pid there, which another host may have, too. */
static inline uint64_t xs_nsys_process(sqlite3_stmt *values, int column)
{
	return (uint64_t)sqlite3_column_int64(values, column) >> 24;
}

static inline uint32_t xs_nsys_pid(const struct xs_nsys *nsys)
{
	return (uint32_t)nsys->process & 0xffffffu;
}

/* The hardware and the virtual machine of the process that is read. */
static inline uint32_t xs_nsys_host(const struct xs_nsys *nsys)
{
	return (uint32_t)(nsys->process >> 24);
}

/* Whether the row is of the process that is read. The column may be missing. */
static inline bool xs_nsys_is_mine(const struct xs_nsys *nsys,
				   sqlite3_stmt *values, int column)
{
	return sqlite3_column_type(values, column) == SQLITE_NULL ||
	       xs_nsys_process(values, column) == nsys->process;
}

/* Whether the row's first two columns are times, in their order. If not, it is
 * counted as left out. */
bool xs_nsys_is_timed(struct xs_nsys *nsys, sqlite3_stmt *values);

/* Returns a column's time on the clock of the records, its thread. */
static inline uint64_t xs_nsys_time(const struct xs_nsys *nsys,
				    sqlite3_stmt *values, int column)
{
	const uint64_t time_ns = xs_nsys_db_number(values, column);

	return nsys->base_ns + time_ns < time_ns ? UINT64_MAX
						 : nsys->base_ns + time_ns;
}

static inline uint32_t xs_nsys_thread(sqlite3_stmt *values, int column)
{
	return (uint32_t)xs_nsys_db_number(values, column) & 0xffffffu;
}

/* Returns the part of a path after its last slash. */
const char *xs_nsys_base_name(const char *path);

/* Before and after the tables are read. Return 0 or -errno with a message. */
int xs_nsys_info_begin(struct xs_nsys *nsys);
int xs_nsys_info_end(struct xs_nsys *nsys);
void xs_nsys_info_release(struct xs_nsys *nsys);

/* Stores the number of a string of the file; 0 if it has none of this id. */
int xs_nsys_string(struct xs_nsys *nsys, uint64_t id, uint32_t *number);
/* Reads the NVTX ranges. Returns 0 or -errno with a message. */
int xs_nsys_ranges(struct xs_nsys *nsys);
/* Fills in who called, if the file has call stacks: the innermost frame outside
 * of CUDA's own libraries. */
int xs_nsys_caller(struct xs_nsys *nsys, uint64_t stack,
		   struct xs_foreign_site *site);
/* Returns the kind of memory in a column. */
uint8_t xs_nsys_memory(const struct xs_nsys *nsys, sqlite3_stmt *values,
		       int column);
