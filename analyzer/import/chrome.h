/* SPDX-License-Identifier: MIT */
/* Events of a trace in the format of Chrome, and the traces of frameworks that
 * are read from them. */
#pragma once

#include "analyzer/import/foreign.h"
#include "analyzer/import/json_pull.h"

/* Processes of a trace of JAX that are told apart: those of the devices have
 * small numbers. */
#define XS_CHROME_DEVICES 512u

/* One event. What it does not have is 0 or "". An X has times. */
struct xs_chrome_event {
	const char *name;
	char phase; /* X: it has a duration; M: a name of a process */
	char category[32];
	uint64_t pid, tid;
	uint64_t start_ns, end_ns;
	/* from its arguments; stream -1 is none */
	bool has_device, has_stream;
	uint64_t device, context, stream, bytes, correlation;
	bool has_bytes;	    /* they are a size */
	uint64_t waits_for; /* correlation of the record of an event */
	uint64_t registers, shared_bytes, grid[3], block[3];
	char label[64];	   /* name of a process */
	char details[192]; /* of a kernel or copy */
};

/* A function, or an operation of the framework, while it runs. */
struct xs_chrome_frame {
	uint64_t start_ns, end_ns;
	uint32_t thread, symbol, file, line;
	bool python;
};

struct xs_chrome_thread {
	uint32_t pid, tid;
};

struct xs_chrome {
	struct xs_foreign foreign;
	/* xs_chrome_thread, which calls, ranges and frames number until
	 * xs_chrome_choose_process() */
	struct xs_distinct threads;
	struct xs_chrome_frame *frames;
	size_t frame_count;
	uint64_t base_ns; /* CLOCK_REALTIME of time 0 */
	uint64_t driver;  /* 13020: CUDA 13.2; 0: unknown */
	size_t events;	  /* of a framework */
	bool torch;	  /* of PyTorch's profiler */
	bool has_stack;	  /* frames of Python */
	/* JAX: number of a device + 1, by its process; 0: the host */
	unsigned devices[XS_CHROME_DEVICES];
};

/* Take an event. */
void xs_kineto_add(struct xs_chrome *chrome,
		   const struct xs_chrome_event *event);
void xs_jax_add(struct xs_chrome *chrome, const struct xs_chrome_event *event);

/* Adds the op of an event on a device; direction, memories and flags of `op`
 * are kept. */
void xs_chrome_add_op(struct xs_chrome *chrome,
		      const struct xs_chrome_event *event,
		      struct xs_foreign_op *op);
/* Leaves what is of the process of the calls, and numbers threads by their
 * tids. Returns 0, or -errno with *error set: calls are of several. */
int xs_chrome_choose_process(struct xs_chrome *chrome, const char **error);
/* Finds what called each call: the functions and operations around it. */
void xs_chrome_find_sites(struct xs_chrome *chrome);
/* Adds the infos, and notes on what such a file lacks. */
void xs_chrome_add_notes(struct xs_chrome *chrome);
