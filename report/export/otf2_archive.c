/* SPDX-License-Identifier: MIT */
#include "report/export/otf2_archive.h"

#include "analyzer/util/escape.h"
#include "analyzer/util/memory.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/statvfs.h>

/* The metrics of copies and sets, in this order. */
enum { BYTES, RATE, METRICS };
#define COPY_METRICS 0 /* number of their class */

/* A buffer is flushed when it has so many chunks, of 1 MiB for events; by
 * itself the library takes 128 MiB. */
#define MOST_CHUNKS	 4
#define LEAST_ROOM_BYTES (16u << 20)

struct chunks {
	size_t count;
	void *bytes[MOST_CHUNKS];
};

/* Returns the -errno of an error of the library. */
static int error_of(OTF2_ErrorCode code)
{
#define SAME(name)                                                             \
	{                                                                      \
		OTF2_ERROR_##name, name                                        \
	}
	static const struct {
		OTF2_ErrorCode code;
		int error;
	} rows[] = {
	    SAME(EACCES),
	    SAME(EDQUOT),
	    SAME(EEXIST),
	    SAME(EFBIG),
	    SAME(EMFILE),
	    SAME(ENFILE),
	    SAME(ENOENT),
	    SAME(ENOMEM),
	    SAME(ENAMETOOLONG),
	    SAME(ENOSPC),
	    SAME(EPERM),
	    SAME(EROFS),
	    {OTF2_ERROR_MEM_FAULT, ENOMEM},
	    {OTF2_ERROR_MEM_ALLOC_FAILED, ENOMEM},
	};
#undef SAME

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].code == code)
			return -rows[i].error;
	return -EIO;
}

/* Keeps the first error. */
static void check(struct xs_otf2 *to, OTF2_ErrorCode code)
{
	if (!to->error && code != OTF2_SUCCESS)
		to->error = error_of(code);
}

/* Nothing is printed, since the command tells errors itself. The first one that
 * the library tells is the cause of those that its functions return. */
static OTF2_ErrorCode be_quiet(void *to, const char *file, uint64_t line,
			       const char *function, OTF2_ErrorCode code,
			       const char *format, va_list values)
{
	(void)file, (void)line, (void)function, (void)format, (void)values;
	if (to && code > OTF2_SUCCESS)
		check(to, code);
	return code;
}

/* Returns memory for a chunk of a buffer; NULL: the library flushes first. */
static void *allocate(void *data, OTF2_FileType type, OTF2_LocationRef location,
		      void **of_buffer, uint64_t bytes)
{
	struct chunks *chunks = *of_buffer;

	(void)data, (void)type, (void)location;
	if (!chunks)
		chunks = *of_buffer = xs_calloc(1, sizeof(*chunks));
	if (chunks->count == MOST_CHUNKS)
		return NULL;
	chunks->bytes[chunks->count] = xs_malloc(bytes);
	return chunks->bytes[chunks->count++];
}

static void free_all(void *data, OTF2_FileType type, OTF2_LocationRef location,
		     void **of_buffer, bool final)
{
	struct chunks *chunks = *of_buffer;

	(void)data, (void)type, (void)location;
	while (chunks && chunks->count > 0)
		free(chunks->bytes[--chunks->count]);
	if (!final)
		return;
	free(chunks);
	*of_buffer = NULL;
}

/* Full buffers go to the files while there is room for one and for a file's own
 * 4 MiB: if those cannot be written, the library (3.0.2) frees them twice. */
static OTF2_FlushType flush(void *data, OTF2_FileType type,
			    OTF2_LocationRef location, void *caller, bool final)
{
	struct xs_otf2 *to = data;
	struct statvfs disk;

	(void)type, (void)location, (void)caller, (void) final;
	if (statvfs(to->folder, &disk) ||
	    disk.f_bavail * disk.f_frsize >= LEAST_ROOM_BYTES)
		return OTF2_FLUSH;
	check(to, OTF2_ERROR_ENOSPC);
	return OTF2_NO_FLUSH;
}

uint32_t xs_otf2_string(struct xs_otf2 *to, const char *text)
{
	char *safe = xs_escape_copy(text, "");

	check(to, OTF2_GlobalDefWriter_WriteString(to->definitions, to->strings,
						   safe));
	free(safe);
	return to->strings++;
}

uint32_t xs_otf2_region(struct xs_otf2 *to, const char *name,
			OTF2_RegionRole role)
{
	const OTF2_Paradigm paradigm = role == OTF2_REGION_ROLE_CODE
					   ? OTF2_PARADIGM_USER
					   : OTF2_PARADIGM_CUDA;
	const uint32_t text = xs_otf2_string(to, name);

	check(to, OTF2_GlobalDefWriter_WriteRegion(
		      to->definitions, to->regions, text, text, 0, role,
		      paradigm, OTF2_REGION_FLAG_NONE, 0, 0, 0));
	return to->regions++;
}

static uint32_t define_group(struct xs_otf2 *to, const char *name,
			     OTF2_LocationGroupType type,
			     OTF2_LocationGroupRef creator)
{
	check(to, OTF2_GlobalDefWriter_WriteLocationGroup(
		      to->definitions, to->groups, xs_otf2_string(to, name),
		      type, 0, creator));
	return to->groups++;
}

uint32_t xs_otf2_group(struct xs_otf2 *to, const char *name)
{
	return define_group(to, name, OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, 0);
}

static void define_attributes(struct xs_otf2 *to)
{
	static const struct {
		const char *name;
		OTF2_Type type;
	} rows[XS_OTF2_ATTRIBUTES] = {
	    [XS_OTF2_CALL] = {"call", OTF2_TYPE_UINT64},
	    [XS_OTF2_BYTES] = {"bytes", OTF2_TYPE_UINT64},
	    [XS_OTF2_CALLED] = {"called at", OTF2_TYPE_STRING},
	    [XS_OTF2_FROM] = {"from", OTF2_TYPE_STRING},
	    [XS_OTF2_TO] = {"to", OTF2_TYPE_STRING},
	};

	for (uint32_t i = 0; i < XS_OTF2_ATTRIBUTES; i++)
		check(to,
		      OTF2_GlobalDefWriter_WriteAttribute(
			  to->definitions, i, xs_otf2_string(to, rows[i].name),
			  0, rows[i].type));
}

static void define_metrics(struct xs_otf2 *to)
{
	static const OTF2_MetricMemberRef members[METRICS] = {BYTES, RATE};

	check(to, OTF2_GlobalDefWriter_WriteMetricMember(
		      to->definitions, BYTES,
		      xs_otf2_string(to, "bytes of the copy"), 0,
		      OTF2_METRIC_TYPE_USER, OTF2_METRIC_ABSOLUTE_NEXT,
		      OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 0,
		      xs_otf2_string(to, "B")));
	check(to,
	      OTF2_GlobalDefWriter_WriteMetricMember(
		  to->definitions, RATE, xs_otf2_string(to, "rate of the copy"),
		  0, OTF2_METRIC_TYPE_USER, OTF2_METRIC_ABSOLUTE_NEXT,
		  OTF2_TYPE_DOUBLE, OTF2_BASE_DECIMAL, 0,
		  xs_otf2_string(to, "B/s")));
	check(to, OTF2_GlobalDefWriter_WriteMetricClass(
		      to->definitions, COPY_METRICS, METRICS, members,
		      OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_GPU));
}

static void define(struct xs_otf2 *to, const struct xs_otf2_run *run)
{
	xs_otf2_string(to, ""); /* number 0: no text */
	check(to, OTF2_GlobalDefWriter_WriteClockProperties(
		      to->definitions, 1000000000, 0, run->ns, run->start_ns));
	check(to,
	      OTF2_GlobalDefWriter_WriteSystemTreeNode(
		  to->definitions, 0, xs_otf2_string(to, run->host),
		  xs_otf2_string(to, "node"), OTF2_UNDEFINED_SYSTEM_TREE_NODE));
	define_group(to, run->process, OTF2_LOCATION_GROUP_TYPE_PROCESS,
		     OTF2_UNDEFINED_LOCATION_GROUP);
	define_attributes(to);
	define_metrics(to);
}

int xs_otf2_open(struct xs_otf2 *to, const char *folder,
		 const struct xs_otf2_run *run)
{
	static const OTF2_FlushCallbacks callbacks = {.otf2_pre_flush = flush};
	static const OTF2_MemoryCallbacks memory = {.otf2_allocate = allocate,
						    .otf2_free_all = free_all};

	*to = (struct xs_otf2){.folder = folder};
	OTF2_Error_RegisterCallback(be_quiet, to);
	to->archive = OTF2_Archive_Open(
	    folder, "traces", OTF2_FILEMODE_WRITE,
	    OTF2_CHUNK_SIZE_EVENTS_DEFAULT, OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT,
	    OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	to->attributes = OTF2_AttributeList_New();
	if (!to->archive || !to->attributes)
		check(to, OTF2_ERROR_ENOMEM);
	if (to->error)
		return to->error;
	check(to, OTF2_Archive_SetFlushCallbacks(to->archive, &callbacks, to));
	check(to, OTF2_Archive_SetMemoryCallbacks(to->archive, &memory, NULL));
	check(to, OTF2_Archive_SetSerialCollectiveCallbacks(to->archive));
	check(to, OTF2_Archive_SetCreator(to->archive, "xferspy " XS_VERSION));
	check(to, OTF2_Archive_OpenEvtFiles(to->archive));
	check(to, OTF2_Archive_OpenDefFiles(to->archive));
	to->definitions = OTF2_Archive_GetGlobalDefWriter(to->archive);
	if (!to->definitions)
		check(to, OTF2_ERROR_EIO);
	if (to->error)
		return to->error;
	define(to, run);
	return to->error;
}

int xs_otf2_close(struct xs_otf2 *to)
{
	if (to->archive) {
		check(to, OTF2_Archive_CloseEvtFiles(to->archive));
		check(to, OTF2_Archive_CloseDefFiles(to->archive));
		check(to, OTF2_Archive_Close(to->archive));
	}
	if (to->attributes)
		OTF2_AttributeList_Delete(to->attributes);
	OTF2_Error_RegisterCallback(be_quiet, NULL);
	return to->error;
}

void xs_otf2_number(struct xs_otf2 *to, enum xs_otf2_attribute attribute,
		    uint64_t number)
{
	check(to,
	      OTF2_AttributeList_AddUint64(to->attributes, attribute, number));
}

void xs_otf2_text(struct xs_otf2 *to, enum xs_otf2_attribute attribute,
		  uint32_t text)
{
	check(to,
	      OTF2_AttributeList_AddStringRef(to->attributes, attribute, text));
}

static void put_metrics(struct xs_otf2 *to, struct xs_otf2_lane *lane,
			uint64_t at_ns, uint64_t bytes, double rate)
{
	static const OTF2_Type types[METRICS] = {OTF2_TYPE_UINT64,
						 OTF2_TYPE_DOUBLE};
	const OTF2_MetricValue values[METRICS] = {{.unsigned_int = bytes},
						  {.floating_point = rate}};

	check(to, OTF2_EvtWriter_Metric(lane->writer, NULL, at_ns, COPY_METRICS,
					METRICS, types, values));
	lane->events++;
}

/* Leaves the regions that end at or before a time. */
static void leave(struct xs_otf2 *to, struct xs_otf2_lane *lane,
		  uint64_t before_ns)
{
	while (lane->depth > 0 &&
	       lane->open[lane->depth - 1].end_ns <= before_ns) {
		const struct xs_otf2_slice *slice = &lane->open[--lane->depth];

		lane->last_ns = slice->end_ns;
		if (slice->bytes > 0)
			put_metrics(to, lane, slice->end_ns, 0, 0);
		check(to, OTF2_EvtWriter_Leave(lane->writer, NULL,
					       slice->end_ns, slice->region));
		lane->events++;
	}
}

static void begin_lane(struct xs_otf2 *to, struct xs_otf2_lane *lane)
{
	OTF2_DefWriter *none;

	lane->location = to->locations++;
	lane->writer = OTF2_Archive_GetEvtWriter(to->archive, lane->location);
	none = OTF2_Archive_GetDefWriter(to->archive, lane->location);
	if (!lane->writer || !none)
		check(to, OTF2_ERROR_MEM_ALLOC_FAILED);
	else /* readers expect the file */
		check(to, OTF2_Archive_CloseDefWriter(to->archive, none));
}

static bool fits(const struct xs_otf2_track *track,
		 const struct xs_otf2_lane *lane,
		 const struct xs_otf2_slice *slice)
{
	if (slice->start_ns < lane->last_ns)
		return false;
	return lane->depth == 0 ||
	       (track->nests && lane->depth < XS_OTF2_DEPTH &&
		slice->end_ns <= lane->open[lane->depth - 1].end_ns);
}

/* Returns the lane for a slice, which begins later if there is none for it;
 * NULL after an error. */
static struct xs_otf2_lane *find_lane(struct xs_otf2 *to,
				      struct xs_otf2_track *track,
				      struct xs_otf2_slice *slice)
{
	struct xs_otf2_lane *lane = NULL;

	for (size_t i = 0; i < XS_OTF2_LANES && !to->error; i++) {
		lane = &track->lanes[i];
		if (!lane->writer)
			begin_lane(to, lane);
		leave(to, lane, slice->start_ns);
		if (fits(track, lane, slice))
			return to->error ? NULL : lane;
	}
	if (to->error)
		return NULL;
	leave(to, lane, UINT64_MAX);
	slice->start_ns = lane->last_ns;
	return lane;
}

void xs_otf2_slice(struct xs_otf2 *to, struct xs_otf2_track *track,
		   const struct xs_otf2_slice *given)
{
	struct xs_otf2_slice slice = *given;
	struct xs_otf2_lane *lane = find_lane(to, track, &slice);
	double ns;

	if (!lane)
		return;
	if (slice.end_ns < slice.start_ns)
		slice.end_ns = slice.start_ns;
	ns = (double)(slice.end_ns - slice.start_ns);
	check(to, OTF2_EvtWriter_Enter(lane->writer, to->attributes,
				       slice.start_ns, slice.region));
	OTF2_AttributeList_RemoveAllAttributes(to->attributes);
	lane->events++;
	lane->last_ns = slice.start_ns;
	lane->open[lane->depth++] = slice;
	if (slice.bytes > 0)
		put_metrics(to, lane, slice.start_ns, slice.bytes,
			    ns > 0 ? 1e9 * (double)slice.bytes / ns : 0);
}

void xs_otf2_end_track(struct xs_otf2 *to, struct xs_otf2_track *track)
{
	if (!track->lanes[0].writer)
		begin_lane(to, &track->lanes[0]);
	for (size_t i = 0; i < XS_OTF2_LANES && track->lanes[i].writer; i++) {
		struct xs_otf2_lane *lane = &track->lanes[i];

		leave(to, lane, UINT64_MAX);
		check(to, OTF2_GlobalDefWriter_WriteLocation(
			      to->definitions, lane->location, track->name,
			      track->type, lane->events, track->group));
		check(to,
		      OTF2_Archive_CloseEvtWriter(to->archive, lane->writer));
	}
}
