/* SPDX-License-Identifier: MIT */
/*
 * Reads SQLite exports of Nsight Systems, of schema 2.9 to 3.25: what the
 * program called, what the GPU did, what calls waited for. Columns are found by
 * their names; a fact whose column is missing stays unknown.
 */
#include "analyzer/import/call_class.h"
#include "analyzer/import/foreign.h"
#include "analyzer/import/import.h"
#include "analyzer/import/nsys_db.h"
#include "analyzer/import/nsys_info.h"

#include <errno.h>

/* Streams and events of calls that have none. */
#define INVALID_ID UINT32_MAX

static uint16_t add_queue(struct xs_nsys *n, sqlite3_stmt *values, int device)
{
	struct xs_foreign_queue new = {
	    .device = xs_nsys_db_number16(values, device),
	    .context = xs_nsys_db_number32(values, device + 1),
	    .stream = xs_nsys_db_number32(values, device + 2)};
	const struct xs_foreign_queue id = {.context = new.context,
					    .stream = new.stream};

	if (xs_distinct_has(&n->defaults, &id, sizeof(id)))
		new.queue_kind = XS_QUEUE_DEFAULT;
	return xs_foreign_add_queue(&n->foreign, &new);
}

/* RUNTIME: calls of the runtime and of the driver. */
enum { R_START, R_END, R_NAME, R_ID, R_TID, R_RESULT, R_STACK };
static const char *const runtime_columns[] = {
    "start",	 "end",		"nameId",      "correlationId",
    "globalTid", "returnValue", "callchainId", NULL};

static int add_site(struct xs_nsys *n, sqlite3_stmt *values,
		    struct xs_foreign_call *call)
{
	struct xs_foreign_site site = {0};
	const char *name;
	int rc;

	rc = xs_nsys_string(n, xs_nsys_db_number(values, R_NAME),
			    &site.function);
	if (rc)
		return rc;
	name = xs_distinct_value(&n->foreign.strings, site.function);
	call->call_class = xs_call_class_of(name);
	if (call->call_class == XS_CALL_OTHER)
		return 0;
	site.call_class = call->call_class;
	rc = xs_nsys_caller(n, xs_nsys_db_number(values, R_STACK), &site);
	if (!rc)
		xs_foreign_add_site(&n->foreign, &site, &call->site);
	return rc;
}

static int add_call(void *self, sqlite3_stmt *values)
{
	struct xs_nsys *n = self;
	const bool has_result =
	    xs_nsys_db_is_number(values, R_RESULT) &&
	    xs_nsys_db_number(values, R_RESULT) <= UINT16_MAX;
	struct xs_foreign_call call = {
	    .start_ns = xs_nsys_time(n, values, R_START),
	    .end_ns = xs_nsys_time(n, values, R_END),
	    .thread = xs_nsys_thread(values, R_TID),
	    .correlation = xs_nsys_db_id(values, R_ID),
	    .error = has_result ? xs_nsys_db_number16(values, R_RESULT) : 0,
	    .result_unknown = !has_result};
	int rc;

	if (!xs_nsys_is_mine(n, values, R_TID) || !xs_nsys_is_timed(n, values))
		return 0;
	rc = add_site(n, values, &call);
	if (!rc && call.call_class != XS_CALL_OTHER)
		xs_foreign_add_call(&n->foreign, &call);
	return rc;
}

/* Ops begin with the same columns, which are NULL where a table lacks them.
 * Those of kernels and graphs lack the size and the kind. */
#define OP_COLUMNS                                                             \
	"start", "end", "deviceId", "contextId", "streamId", "correlationId",  \
	    "bytes", "copyKind", "globalPid", "graphNodeId"
enum {
	O_START,
	O_END,
	O_DEVICE,
	O_CONTEXT,
	O_STREAM,
	O_ID,
	O_BYTES,
	O_KIND,
	O_PID,
	O_NODE
};

static void leave_out(struct xs_nsys *n)
{
	n->foreign.left_out++;
}

/* The published numbers of ENUM_CUDA_MEMCPY_OPER. */
#define FIRST_MIGRATION 11
#define COPY_KINDS	14

/* Returns false for an op of another process or without a stream. */
static bool begin_op(struct xs_nsys *n, sqlite3_stmt *values, uint8_t kind,
		     struct xs_foreign_op *op)
{
	if (!xs_nsys_is_mine(n, values, O_PID) || !xs_nsys_is_timed(n, values))
		return false;
	if (!xs_nsys_db_is_number(values, O_STREAM) &&
	    xs_nsys_db_number(values, O_KIND) < FIRST_MIGRATION) {
		leave_out(n);
		return false;
	}
	*op =
	    (struct xs_foreign_op){.kind = kind,
				   .start_ns = xs_nsys_time(n, values, O_START),
				   .end_ns = xs_nsys_time(n, values, O_END),
				   .correlation = xs_nsys_db_id(values, O_ID)};
	if (xs_nsys_db_number(values, O_NODE))
		op->flags = XS_OP_GRAPH;
	op->queue = add_queue(n, values, O_DEVICE);
	return true;
}

enum {
	K_MANGLED = O_NODE + 1,
	K_NAME,
	K_SHORT,
	K_REGISTERS,
	K_GRID,
	K_BLOCK = K_GRID + 3,
	K_STATIC = K_BLOCK + 3,
	K_DYNAMIC,
	K_LOCAL
};
static const char *const kernel_columns[] = {OP_COLUMNS,
					     "mangledName",
					     "demangledName",
					     "shortName",
					     "registersPerThread",
					     "gridX",
					     "gridY",
					     "gridZ",
					     "blockX",
					     "blockY",
					     "blockZ",
					     "staticSharedMemory",
					     "dynamicSharedMemory",
					     "localMemoryPerThread",
					     NULL};

static int add_kernel(void *self, sqlite3_stmt *values)
{
	struct xs_nsys *n = self;
	struct xs_rec_shape shape = {
	    .registers = xs_nsys_db_number16(values, K_REGISTERS),
	    .grid_x = xs_nsys_db_number32(values, K_GRID),
	    .grid_y = xs_nsys_db_number32(values, K_GRID + 1),
	    .grid_z = xs_nsys_db_number32(values, K_GRID + 2),
	    .block_x = xs_nsys_db_number16(values, K_BLOCK),
	    .block_y = xs_nsys_db_number16(values, K_BLOCK + 1),
	    .block_z = xs_nsys_db_number16(values, K_BLOCK + 2),
	    .local_bytes = xs_nsys_db_number16(values, K_LOCAL),
	    .shared_static_bytes = xs_nsys_db_number32(values, K_STATIC),
	    .shared_dynamic_bytes = xs_nsys_db_number32(values, K_DYNAMIC)};
	struct xs_foreign_op op;
	uint64_t id = 0;
	int rc;

	if (!begin_op(n, values, XS_REC_kernel, &op))
		return 0;
	for (int i = K_MANGLED; i <= K_SHORT && !id; i++)
		id = xs_nsys_db_number(values, i);
	rc = xs_nsys_string(n, id, &shape.name);
	op.shape = xs_distinct_find(&n->foreign.shapes, &shape, sizeof(shape));
	if (!rc)
		xs_foreign_add_op(&n->foreign, &op);
	return rc;
}

enum { M_SRC = O_NODE + 1, M_DST, M_COUNT, M_FROM, M_TO };
static const char *const copy_columns[] = {
    OP_COLUMNS,	   "srcKind",	  "dstKind", "copyCount",
    "srcDeviceId", "dstDeviceId", NULL};

static uint8_t direction_of(uint64_t copy_kind, bool *migration)
{
	static const uint8_t directions[COPY_KINDS] = {
	    XS_DIR_UNKNOWN, XS_DIR_H2D, XS_DIR_D2H, XS_DIR_H2D, XS_DIR_D2H,
	    XS_DIR_D2D,	    XS_DIR_D2D, XS_DIR_D2D, XS_DIR_D2D, XS_DIR_H2H,
	    XS_DIR_P2P,	    XS_DIR_H2D, XS_DIR_D2H, XS_DIR_D2D};

	*migration = copy_kind >= FIRST_MIGRATION;
	return directions[copy_kind];
}

/* Returns the other device of a copy between GPUs + 1; 0: unknown. */
static uint16_t peer_of(sqlite3_stmt *values)
{
	const uint32_t from = xs_nsys_db_number16(values, M_FROM);
	const uint32_t to = xs_nsys_db_number16(values, M_TO);
	const uint32_t own = xs_nsys_db_number16(values, O_DEVICE);

	if (sqlite3_column_type(values, M_FROM) == SQLITE_NULL ||
	    sqlite3_column_type(values, M_TO) == SQLITE_NULL)
		return 0;
	return (uint16_t)((from == own ? to : from) + 1);
}

static int add_copy(void *self, sqlite3_stmt *values)
{
	struct xs_nsys *n = self;
	struct xs_foreign_op op;
	bool migration;

	if (!begin_op(n, values, XS_REC_copy, &op))
		return 0;
	if (!xs_nsys_db_is_number(values, O_BYTES) ||
	    !xs_nsys_db_is_number(values, O_KIND) ||
	    xs_nsys_db_number(values, O_KIND) >= COPY_KINDS) {
		leave_out(n);
		return 0;
	}
	op.bytes = xs_nsys_db_number(values, O_BYTES);
	op.copies = xs_nsys_db_number16(values, M_COUNT);
	n->capped += op.copies == UINT16_MAX;
	op.direction =
	    direction_of(xs_nsys_db_number(values, O_KIND), &migration);
	op.peer = peer_of(values);
	if (migration) {
		op.flags |= XS_OP_MIGRATION;
		op.src_memory = op.dst_memory = XS_MEM_MANAGED;
	} else {
		op.src_memory = xs_nsys_memory(n, values, M_SRC);
		op.dst_memory = xs_nsys_memory(n, values, M_DST);
	}
	xs_foreign_add_op(&n->foreign, &op);
	return 0;
}

enum { S_MEMORY = O_NODE + 1 };
static const char *const set_columns[] = {OP_COLUMNS, "memKind", NULL};

static int add_set(void *self, sqlite3_stmt *values)
{
	struct xs_nsys *n = self;
	struct xs_foreign_op op;

	if (!begin_op(n, values, XS_REC_set, &op))
		return 0;
	if (!xs_nsys_db_is_number(values, O_BYTES)) {
		leave_out(n);
		return 0;
	}
	op.bytes = xs_nsys_db_number(values, O_BYTES);
	op.dst_memory = xs_nsys_memory(n, values, S_MEMORY);
	xs_foreign_add_op(&n->foreign, &op);
	return 0;
}

/* GRAPH_TRACE: a launch of a graph as one; the graph's nodes have no rows. */
enum { G_EXEC = O_NODE + 1 };
static const char *const graph_columns[] = {OP_COLUMNS, "graphExecId", NULL};

static int add_graph(void *self, sqlite3_stmt *values)
{
	struct xs_nsys *n = self;
	struct xs_foreign_op op;

	if (!begin_op(n, values, XS_REC_graph, &op))
		return 0;
	op.shape = xs_nsys_db_number32(values, G_EXEC);
	xs_foreign_add_op(&n->foreign, &op);
	return 0;
}

/* SYNCHRONIZATION and CUDA_EVENT: the stream and event of a call. */
enum { D_DEVICE, D_CONTEXT, D_STREAM, D_ID, D_PID, D_EVENT };
static const char *const detail_columns[] = {
    "deviceId",	 "contextId", "streamId", "correlationId",
    "globalPid", "eventId",   NULL};

static int add_detail(void *self, sqlite3_stmt *values)
{
	struct xs_nsys *n = self;
	struct xs_foreign_detail detail = {.correlation =
					       xs_nsys_db_id(values, D_ID)};
	const uint32_t event = xs_nsys_db_number32(values, D_EVENT);

	if (!xs_nsys_is_mine(n, values, D_PID))
		return 0;
	if (sqlite3_column_type(values, D_EVENT) != SQLITE_NULL &&
	    event != INVALID_ID)
		detail.event = (uint64_t)event + 1;
	if (xs_nsys_db_number32(values, D_STREAM) != INVALID_ID) {
		detail.has_stream = true;
		detail.stream = xs_foreign_stream(
		    &n->foreign, add_queue(n, values, D_DEVICE));
	}
	xs_foreign_add_detail(&n->foreign, &detail);
	return 0;
}

/* MEMORY_USAGE: what a call allocated or freed. */
enum { A_ID, A_PID, A_ADDRESS, A_BYTES };
static const char *const usage_columns[] = {"correlationId", "globalPid",
					    "address", "bytes", NULL};

static int add_usage(void *self, sqlite3_stmt *values)
{
	struct xs_nsys *n = self;
	const struct xs_foreign_detail detail = {
	    .correlation = xs_nsys_db_id(values, A_ID),
	    .address = xs_nsys_db_number(values, A_ADDRESS),
	    .bytes = xs_nsys_db_number(values, A_BYTES)};

	if (xs_nsys_is_mine(n, values, A_PID))
		xs_foreign_add_detail(&n->foreign, &detail);
	return 0;
}

static int read_tables(struct xs_nsys *n)
{
	static const struct {
		const char *table;
		const char *const *columns;
		size_t needed; /* columns without which it cannot be read */
		int (*row)(void *self, sqlite3_stmt *values);
	} tables[] = {
	    {"CUPTI_ACTIVITY_KIND_RUNTIME", runtime_columns, 4, add_call},
	    {"CUPTI_ACTIVITY_KIND_KERNEL", kernel_columns, 6, add_kernel},
	    {"CUPTI_ACTIVITY_KIND_MEMCPY", copy_columns, 8, add_copy},
	    {"CUPTI_ACTIVITY_KIND_MEMSET", set_columns, 7, add_set},
	    {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", graph_columns, 6, add_graph},
	    {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", detail_columns, 4,
	     add_detail},
	    {"CUPTI_ACTIVITY_KIND_CUDA_EVENT", detail_columns, 4, add_detail},
	    {XS_NSYS_USAGE, usage_columns, 1, add_usage},
	};
	int rc = 0;

	for (size_t i = 0; !rc && i < sizeof(tables) / sizeof(*tables); i++)
		rc = xs_nsys_db_each(&n->db, tables[i].table, tables[i].columns,
				     tables[i].needed, tables[i].row, n);
	return rc;
}

int xs_import_nsys(const struct xs_trace_bytes *bytes,
		   const struct xs_trace_visitor *visitor, const char **error)
{
	struct xs_nsys n = {0};
	int rc;

	xs_foreign_init(&n.foreign);
	n.foreign.source_bytes = bytes->size;
	rc = xs_nsys_db_open(&n.db, bytes, error);
	if (!rc)
		rc = xs_nsys_info_begin(&n);
	if (!rc)
		rc = read_tables(&n);
	if (!rc)
		rc = xs_nsys_ranges(&n);
	if (!rc)
		rc = xs_foreign_join(&n.foreign, error);
	if (!rc)
		rc = xs_nsys_info_end(&n);
	if (!rc)
		xs_foreign_pass(&n.foreign, visitor);
	xs_nsys_info_release(&n);
	xs_foreign_release(&n.foreign);
	xs_nsys_db_close(&n.db);
	return rc;
}
