/* SPDX-License-Identifier: MIT */
/*
 * An archive of OTF2, the Open Trace Format, version 2: locations with nested
 * regions. Times are ns after the start of the run.
 */
#pragma once

#include <otf2/otf2.h>

#include <stdbool.h>
#include <stdint.h>

/* What overlaps without being nested is on locations of its own, up to so
 * many; what has no place even then begins late. */
#define XS_OTF2_LANES 16
/* What is nested more deeply has a location of its own, too. */
#define XS_OTF2_DEPTH 64

struct xs_otf2 {
	const char *folder; /* the caller's */
	OTF2_Archive *archive;
	OTF2_GlobalDefWriter *definitions;
	OTF2_AttributeList *attributes; /* of the next slice */
	uint32_t strings, regions, groups;
	uint64_t locations;
	int error; /* the first one: 0 or -errno */
};

/* Of events. */
enum xs_otf2_attribute {
	XS_OTF2_CALL,	/* the number of a call, at it and at its ops */
	XS_OTF2_BYTES,	/* of a call */
	XS_OTF2_CALLED, /* file and line */
	XS_OTF2_FROM,	/* kinds of memory of a copy */
	XS_OTF2_TO,
	XS_OTF2_ATTRIBUTES
};

struct xs_otf2_slice {
	uint64_t start_ns, end_ns;
	uint64_t bytes; /* of a copy or set: has metrics; 0: none */
	uint32_t region;
};

struct xs_otf2_lane {
	uint64_t location, events;
	OTF2_EvtWriter *writer; /* NULL: not in use */
	uint64_t last_ns;	/* time of the last event */
	unsigned depth;
	struct xs_otf2_slice open[XS_OTF2_DEPTH];
};

/* The locations of one thread or stream. */
struct xs_otf2_track {
	uint32_t group, name; /* numbers of a group and of a string */
	OTF2_LocationType type;
	bool nests; /* a slice may be within another one */
	struct xs_otf2_lane lanes[XS_OTF2_LANES];
};

/* What an archive tells of its run. */
struct xs_otf2_run {
	const char *host, *process; /* names */
	uint64_t start_ns;	    /* since 1970 */
	uint64_t ns;
};

/* Opens an archive in a folder that exists; group 0 is the process. Returns 0
 * or -errno; close it in any case, which returns the first error: 0 or -errno.
 */
int xs_otf2_open(struct xs_otf2 *to, const char *folder,
		 const struct xs_otf2_run *run);
int xs_otf2_close(struct xs_otf2 *to);

/* Define what events refer to. Return its number. Characters that change a
 * terminal are escaped. A role of CODE is the user's, others are CUDA's. */
uint32_t xs_otf2_string(struct xs_otf2 *to, const char *text);
uint32_t xs_otf2_region(struct xs_otf2 *to, const char *name,
			OTF2_RegionRole role);
/* Of a GPU. */
uint32_t xs_otf2_group(struct xs_otf2 *to, const char *name);

/* Give the next slice an attribute. A text is a number of a string. */
void xs_otf2_number(struct xs_otf2 *to, enum xs_otf2_attribute attribute,
		    uint64_t number);
void xs_otf2_text(struct xs_otf2 *to, enum xs_otf2_attribute attribute,
		  uint32_t text);

/* Writes slices, in order of their start, those that contain others first; one
 * track after the other. A track without slices is an empty location. */
void xs_otf2_slice(struct xs_otf2 *to, struct xs_otf2_track *track,
		   const struct xs_otf2_slice *slice);
void xs_otf2_end_track(struct xs_otf2 *to, struct xs_otf2_track *track);
