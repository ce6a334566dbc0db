/* SPDX-License-Identifier: MIT */
/* The GPUs of an export of Nsight Systems, and notes on what it lacks. */
#include "analyzer/import/nsys_info.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	G_ID,
	G_CUDA,
	G_NAME,
	G_L2,
	G_MEMORY,
	G_BANDWIDTH,
	G_CLOCK,
	G_SMS,
	G_UUID,
	G_SHARED,
	G_REGISTERS,
	G_WARP,
	G_ENGINES,
	G_WARPS,
	G_BLOCKS,
	G_MAJOR,
	G_MINOR,
	G_VM
};
static const char *const gpu_columns[] = {"id",
					  "cuDevice",
					  "name",
					  "l2CacheSize",
					  "totalMemory",
					  "memoryBandwidth",
					  "clockRate",
					  "smCount",
					  "uuid",
					  "maxShmemPerSm",
					  "maxRegistersPerSm",
					  "threadsPerWarp",
					  "asyncEngines",
					  "maxWarpsPerSm",
					  "maxBlocksPerSm",
					  "computeMajor",
					  "computeMinor",
					  "vmId",
					  NULL};

/* CUDA's number of a GPU: CUDA_VISIBLE_DEVICES may change it from process to
 * process. */
static uint32_t number_of(const struct xs_nsys *n, sqlite3_stmt *values)
{
	char query[128], pid[16], number[16];

	snprintf(query, sizeof(query),
		 "SELECT cudaId FROM TARGET_INFO_CUDA_DEVICE WHERE gpuId = %u "
		 "AND pid = CAST(?1 AS INTEGER)",
		 xs_nsys_db_number32(values, G_ID));
	snprintf(pid, sizeof(pid), "%u", xs_nsys_pid(n));
	xs_nsys_db_find(&n->db, query, pid, number, sizeof(number));
	if (number[0])
		return (uint32_t)strtoul(number, NULL, 10);
	return xs_nsys_db_number32(
	    values,
	    sqlite3_column_type(values, G_CUDA) == SQLITE_NULL ? G_ID : G_CUDA);
}

static int add_device(void *self, sqlite3_stmt *values)
{
	struct xs_nsys *n = self;
	const uint32_t number = number_of(n, values);
	const uint64_t threads = xs_nsys_db_number(values, G_WARPS) *
				 xs_nsys_db_number(values, G_WARP);
	const struct xs_rec_device device = {
	    .device = (xs_u16)number,
	    .cc_major = xs_nsys_db_number16(values, G_MAJOR),
	    .cc_minor = xs_nsys_db_number16(values, G_MINOR),
	    .copy_engines = xs_nsys_db_number16(values, G_ENGINES),
	    .max_blocks_per_sm = xs_nsys_db_number16(values, G_BLOCKS),
	    .sm_count = xs_nsys_db_number32(values, G_SMS),
	    .clock_khz = (xs_u32)(xs_nsys_db_number(values, G_CLOCK) / 1000),
	    .max_threads_per_sm = threads < UINT32_MAX ? (xs_u32)threads : 0,
	    .registers_per_sm = xs_nsys_db_number32(values, G_REGISTERS),
	    .shared_per_sm_bytes = xs_nsys_db_number32(values, G_SHARED),
	    .l2_bytes = xs_nsys_db_number32(values, G_L2),
	    .memory_bytes = xs_nsys_db_number(values, G_MEMORY),
	    .memory_bandwidth = xs_nsys_db_number(values, G_BANDWIDTH)};
	const char *uuid = xs_nsys_db_text(values, G_UUID);
	const uint64_t vm =
	    (uint64_t)sqlite3_column_int64(values, G_VM); /* a global id */

	if (number > UINT16_MAX ||
	    (vm >> 48 && (uint32_t)(vm >> 48) != xs_nsys_host(n)))
		return 0;
	if (uuid[0])
		xs_foreign_add_info(&n->foreign, "uuid.%u=GPU-%s", number,
				    uuid);
	xs_foreign_add_device(&n->foreign, &device,
			      xs_nsys_db_text(values, G_NAME));
	return 0;
}

static bool has_waits(const struct xs_foreign *f)
{
	for (size_t i = 0; i < f->call_count; i++)
		if (f->calls[i].call_class == XS_CALL_SYNC_STREAM ||
		    f->calls[i].call_class == XS_CALL_SYNC_EVENT)
			return true;
	return false;
}

static bool has_stacks(const struct xs_foreign *f)
{
	for (size_t i = 0; i < f->sites.count; i++) {
		const struct xs_foreign_site *site =
		    xs_distinct_value(&f->sites, i);

		if (site->symbol)
			return true;
	}
	return false;
}

/* Whether nsys says that it lost events. */
static bool has_lost(const struct xs_nsys_db *db)
{
	char value[32];

	xs_nsys_db_find(db,
			"SELECT 1 FROM DIAGNOSTIC_EVENT WHERE text LIKE "
			"'%not all%collected%'",
			NULL, value, sizeof(value));
	return value[0] != '\0';
}

static void note_capped(struct xs_nsys *n)
{
	if (n->capped) {
		xs_foreign_add_info(
		    &n->foreign,
		    "note=%zu copies stand for %u or more each, and count as "
		    "that: numbers of copies are lower bounds",
		    n->capped, UINT16_MAX);
		return;
	}
}

/* Each is a line under Coverage; docs/coverage.md explains them. */
static void add_notes(struct xs_nsys *n)
{
	struct xs_foreign *f = &n->foreign;
	const struct {
		bool missing;
		const char *text;
	} notes[] = {
	    {f->has_span,
	     "the run is the time of the capture, which may begin before the "
	     "process"},
	    {n->is_cut,
	     "the export has a part of the capture or other times than it: "
	     "when the run began and ended is not known (export it again "
	     "without --times, --ts-shift and --ts-normalize)"},
	    {has_lost(&n->db),
	     "nsys says that it did not collect all events (table "
	     "DIAGNOSTIC_EVENT)"},
	    {f->call_count && !has_stacks(f),
	     "the export has no call stacks (nsys profile "
	     "--cudabacktrace=all records them): calls of one function count "
	     "as one call site; it never has source lines"},
	    {f->op_count > 0,
	     "the export has no addresses of host memory: which buffers there "
	     "are to pin, whether data is copied in again (resident), and "
	     "which op needs what another one wrote (--dataflow) is not "
	     "known"},
	    {!xs_nsys_db_has_table(&n->db, XS_NSYS_USAGE) && f->call_count,
	     "the export has no sizes of allocations (nsys profile "
	     "--cuda-memory-usage=true records those of the device)"},
	    {has_waits(f) && !xs_nsys_db_has_table(
				 &n->db, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"),
	     "the export does not say for which stream or event a call "
	     "waited"},
	};

	note_capped(n);
	for (size_t i = 0; i < sizeof(notes) / sizeof(*notes); i++)
		if (notes[i].missing)
			xs_foreign_add_info(f, "note=%s", notes[i].text);
}

int xs_nsys_info_end(struct xs_nsys *n)
{
	int rc = xs_nsys_db_each(&n->db, "TARGET_INFO_GPU", gpu_columns, 1,
				 add_device, n);

	if (!rc)
		add_notes(n);
	return rc;
}
