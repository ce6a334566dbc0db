/* SPDX-License-Identifier: MIT */
/*
 * Packets of a trace of Perfetto (https://perfetto.dev, protos/perfetto/trace):
 * tracks, slices, counters and interned names. Times are ns after the start of
 * the run.
 */
#pragma once

#include "report/export/proto.h"

/* Slices of a track must not overlap, so those that do are on lanes. */
#define XS_PERFETTO_LANES 16u

/* A track of slices. The ids of tracks are multiples of XS_PERFETTO_LANES. */
struct xs_perfetto_track {
	uint64_t id;
	uint64_t parent;   /* id of a track; 0: none */
	uint32_t pid, tid; /* of a host thread's own track; 0: of none */
	const char *name;
	/* private */
	unsigned lanes; /* that were described */
	uint64_t ends_ns[XS_PERFETTO_LANES];
};

struct xs_perfetto {
	FILE *out;
	struct xs_proto packet;
	bool begun;
	int error; /* the first one of writing: 0 or -errno */
};

struct xs_perfetto_slice {
	uint64_t start_ns, end_ns;
	uint64_t name;	  /* number given to xs_perfetto_name() */
	uint64_t flow;	  /* slices of one flow are joined by an arrow; 0 */
	uint64_t bytes;	  /* 0: none */
	const char *site; /* NULL: unknown */
	const char *from, *to; /* kinds of memory; NULL: unknown */
};

/* The process, as the parent of all other tracks. */
void xs_perfetto_process(struct xs_perfetto *to, uint64_t id, uint32_t pid,
			 const char *name);

/* A track that has no slices: the parent of others. */
void xs_perfetto_group(struct xs_perfetto *to, uint64_t id, uint64_t parent,
		       const char *name);

/* Gives a name its number, not 0, once and before slices use it. */
void xs_perfetto_name(struct xs_perfetto *to, uint64_t number,
		      const char *name);

/* Writes the track, if it was not written, as the parent of others. Its slices
 * do that, too. */
void xs_perfetto_describe(struct xs_perfetto *to,
			  struct xs_perfetto_track *track);

/* Slices of a track come in order of their start. */
void xs_perfetto_slice(struct xs_perfetto *to, struct xs_perfetto_track *track,
		       const struct xs_perfetto_slice *slice);

/* A counter of bytes per second, and its value from a time on. */
void xs_perfetto_counter(struct xs_perfetto *to, uint64_t id, uint64_t parent,
			 const char *name);
void xs_perfetto_count(struct xs_perfetto *to, uint64_t id, uint64_t at_ns,
		       double value);
