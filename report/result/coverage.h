/* SPDX-License-Identifier: MIT */
/* How complete a trace is: a part of the result. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Calls of a kind without GPU records. */
struct xs_result_gap {
	const char *kind;	/* "copies", "sets", "kernels" */
	int64_t from_ns, to_ns; /* of all of them, since the run began */
	int64_t calls, of;	/* without, and all that should have some */
};

/* Calls of a class or ops of a kind; matched: with an op, or with a call. */
struct xs_result_match_count {
	const char *name;
	int64_t count, matched;
};

/* A CUDA runtime of the process, or a library that links one statically. */
struct xs_result_cudart {
	const char *path;
	bool shared;
};

/* How complete the trace is. */
struct xs_result_coverage {
	int64_t api_calls_seen, gpu_ops_seen;
	int64_t calls_counted;	 /* only counted, not recorded or not read */
	bool read_in_windows;	 /* they were recorded: a long trace */
	int64_t calls_estimated; /* part of calls_counted that nobody saw */
	int64_t matched;	 /* ops whose call is known */
	int64_t lost;		 /* records of all kinds */
	int64_t lost_calls, lost_ops, lost_cupti;
	int64_t graphs_as_one;	/* launches of graphs without their nodes */
	int64_t graphs_by_node; /* launches of the same graphs that have them */
	int64_t graphs_unknown; /* of graphs_as_one: of unknown nodes */
	int64_t untimed; /* calls without CUPTI whose GPU work was not timed */
	int64_t failed;	 /* calls that returned an error */
	int64_t missing_bytes;	  /* of a file that was cut */
	int64_t unexamined_waits; /* calls that may have waited for the GPU */
	const char *incomplete;	  /* why the run's end, or a part, is not in the
				   * trace; NULL: it is */
	bool damaged;		  /* bytes of the file are missing or wrong */
	const char *lacking;	  /* which GPU records are not, so that figures
				   * mislead; NULL: none */
	const char *imported;	  /* the tool that recorded it; NULL: xferspy */
	const char *mode;
	bool counted; /* counters of launches were read, which slows the run */
	const char *timing_source; /* "callbacks", ...; NULL: old trace */
	struct xs_result_match_count *classes, *kinds; /* of calls; of ops */
	size_t class_count, kind_count;
	int64_t driver_calls; /* calls of the driver API */
	/* Without a call: before the first one; with the id of one that had not
	 * returned at the end; without an id, as the driver's own. */
	int64_t early_ops, unreturned_ops, own_ops;
	struct xs_result_cudart *cudarts;
	size_t cudart_count;
	struct xs_result_gap *gaps;
	size_t gap_count;
	const char **remarks; /* texts: what is missing and why */
	size_t remark_count;
	const char **notes;	 /* texts, most important first */
	const char **note_kinds; /* of each: the same whatever its figures */
	size_t note_count;
};
