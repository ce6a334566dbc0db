/* SPDX-License-Identifier: MIT */
#include "analyzer/import/nsys_info.h"

#include "analyzer/import/import.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The schemas that were tried; other minor versions are read as well. */
#define NEWEST_MINOR 25

static void find_meta(const struct xs_nsys *n, const char *name, char *value,
		      size_t size)
{
	xs_nsys_db_find(&n->db,
			"SELECT value FROM META_DATA_EXPORT WHERE name = ?1",
			name, value, size);
	if (!value[0])
		xs_nsys_db_find(
		    &n->db,
		    "SELECT value FROM EXPORT_META_DATA WHERE name = ?1", name,
		    value, size);
}

/* An export names its schema. Older ones than 2.9 do not, but have the same
 * tables of strings and calls. */
static int check_schema(struct xs_nsys *n)
{
	char schema[32], product[32];
	unsigned major = 0, minor = 0;
	int digits;

	find_meta(n, "EXPORT_SCHEMA_VERSION", schema, sizeof(schema));
	digits = (int)strspn(schema, "0123456789."); /* the rest may be bytes */
	find_meta(n, "EXPORT_PRODUCT_VERSION", product, sizeof(product));
	if (!xs_nsys_db_has_table(&n->db, "StringIds"))
		return xs_import_fail(
		    n->db.error,
		    "an SQLite database, but no export of Nsight Systems; give "
		    "one that `nsys export --type sqlite` wrote");
	if (!schema[0])
		snprintf(schema, sizeof(schema), "unknown");
	else if (sscanf(schema, "%u.%u", &major, &minor) != 2 || major < 2)
		return xs_import_fail(n->db.error,
				      "its schema %.*s is not known; export it "
				      "with a newer nsys",
				      digits, schema);
	if (major > 3) {
		xs_import_fail(n->db.error,
			       "its schema %.*s is newer than this xferspy; "
			       "read it with a newer one",
			       digits, schema);
		return -EPROTONOSUPPORT;
	}
	xs_foreign_add_info(&n->foreign,
			    "imported=Nsight Systems%s%s, SQLite schema "
			    "%s",
			    product[0] ? " " : "", product, schema);
	if (major == 3 && minor > NEWEST_MINOR)
		xs_foreign_add_info(
		    &n->foreign,
		    "note=the export's schema %s is newer than those that were "
		    "tried (up to 3.%u)",
		    schema, NEWEST_MINOR);
	return 0;
}

/* The names of ENUM_CUDA_MEM_KIND. Without that table, kinds are unknown: their
 * numbers changed. */
static int add_memory(void *self, sqlite3_stmt *values)
{
	static const char prefix[] = "CUDA_MEMOPR_MEMORY_KIND_";
	struct xs_nsys *n = self;
	const uint64_t id = xs_nsys_db_number(values, 0);
	const char *name = xs_nsys_db_text(values, 1);

	if (id >= sizeof(n->memories) ||
	    strncmp(name, prefix, sizeof(prefix) - 1) != 0)
		return 0;
	n->memories[id] = xs_foreign_memory(name + sizeof(prefix) - 1);
	return 0;
}

uint8_t xs_nsys_memory(const struct xs_nsys *n, sqlite3_stmt *values,
		       int column)
{
	const uint64_t id = xs_nsys_db_number(values, column);

	return xs_nsys_db_is_number(values, column) && id < sizeof(n->memories)
		   ? n->memories[id]
		   : XS_MEM_UNKNOWN;
}

bool xs_nsys_is_timed(struct xs_nsys *n, sqlite3_stmt *values)
{
	const bool is =
	    xs_nsys_db_is_number(values, 0) &&
	    xs_nsys_db_is_number(values, 1) &&
	    xs_nsys_db_number(values, 0) <= xs_nsys_db_number(values, 1);

	n->foreign.left_out += !is;
	return is;
}

/* Whether the numbers of hardware and virtual machine, in the columns 3 and 4,
 * are those of the process. They may be missing. */
static bool is_of_host(const struct xs_nsys *n, sqlite3_stmt *values)
{
	return sqlite3_column_type(values, 3) == SQLITE_NULL ||
	       (xs_nsys_db_number(values, 3) << 8 |
		xs_nsys_db_number(values, 4)) == xs_nsys_host(n);
}

static int add_default(void *self, sqlite3_stmt *values)
{
	struct xs_nsys *n = self;
	const struct xs_foreign_queue queue = {
	    .context = xs_nsys_db_number32(values, 1),
	    .stream = xs_nsys_db_number32(values, 2)};

	if (xs_nsys_db_number(values, 0) != xs_nsys_pid(n) ||
	    !is_of_host(n, values))
		return 0;
	xs_distinct_find(&n->defaults, &queue, sizeof(queue));
	return 0;
}

/* The default stream of each context: in one table or, before 3.8, another. */
static int find_defaults(struct xs_nsys *n)
{
	static const char *const infos[] = {
	    "processId", "contextId", "nullStreamId", "hwId", "vmId", NULL};
	static const char *const nulls[] = {
	    "processId", "contextId", "streamId", "hwId", "vmId", NULL};
	int rc = xs_nsys_db_each(&n->db, "TARGET_INFO_CUDA_CONTEXT_INFO", infos,
				 0, add_default, n);

	return rc ? rc
		  : xs_nsys_db_each(&n->db, "TARGET_INFO_CUDA_NULL_STREAM",
				    nulls, 0, add_default, n);
}

/* Counts rows by process. */
static int count_row(void *self, sqlite3_stmt *values)
{
	const uint64_t process = xs_nsys_process(values, 0);
	uint64_t *rows;

	if (sqlite3_column_type(values, 0) == SQLITE_NULL)
		return 0;
	rows = xs_distinct_map_find(self, &process, sizeof(process),
				    sizeof(*rows));
	++*rows;
	return 0;
}

/* In a query: false for rows of a host, whose number follows. */
#define OF_ANOTHER_HOST "(globalVid >> 48 & 65535) <> "

/* Finds what the system of the process was. */
static void find_environment(const struct xs_nsys *n, const char *name,
			     char *value, size_t size)
{
	char query[160];

	snprintf(query, sizeof(query),
		 "SELECT value FROM TARGET_INFO_SYSTEM_ENV WHERE name = ?1 "
		 "ORDER BY " OF_ANOTHER_HOST "%u",
		 xs_nsys_host(n));
	xs_nsys_db_find(&n->db, query, name, value, size);
}

/* A trace is of one process: that with the most calls and GPU work. */
static int choose_process(struct xs_nsys *n)
{
	static const char *const tid[] = {"globalTid", NULL};
	static const char *const pid[] = {"globalPid", NULL};
	struct xs_distinct_map rows = {0};
	char host[256];
	const uint64_t *counts;
	size_t most = 0;
	int rc = xs_nsys_db_each(&n->db, "CUPTI_ACTIVITY_KIND_RUNTIME", tid, 0,
				 count_row, &rows);

	if (!rc)
		rc = xs_nsys_db_each(&n->db, "CUPTI_ACTIVITY_KIND_KERNEL", pid,
				     0, count_row, &rows);
	if (!rc)
		rc = xs_nsys_db_each(&n->db, "CUPTI_ACTIVITY_KIND_MEMCPY", pid,
				     0, count_row, &rows);
	counts = rows.items;
	for (size_t i = 0; !rc && i < rows.keys.count; i++)
		if (counts[i] > counts[most])
			most = i;
	if (!rc && rows.keys.count)
		memcpy(&n->process, xs_distinct_value(&rows.keys, most),
		       sizeof(n->process));
	find_environment(n, "Hostname", host, sizeof(host));
	n->foreign.pid = xs_nsys_pid(n);
	if (!rc && rows.keys.count > 1)
		xs_foreign_add_info(&n->foreign,
				    "note=%zu processes of the file used CUDA; "
				    "this is process %u%s%s, which did most",
				    rows.keys.count, n->foreign.pid,
				    host[0] ? " of " : "", host);
	xs_distinct_map_release(&rows);
	return rc;
}

/* The year 2116 as a date. No time is so long, and a negative number is none.
 */
#define NO_TIME_NS (1ull << 62)

/* Returns a number of the session on the host of the process; 0: unknown. */
static uint64_t session_number(const struct xs_nsys *n, const char *column)
{
	char value[32], query[160];

	snprintf(query, sizeof(query),
		 "SELECT %s FROM ANALYSIS_DETAILS ORDER BY " OF_ANOTHER_HOST
		 "%u",
		 column, xs_nsys_host(n));
	xs_nsys_db_find(&n->db, query, NULL, value, sizeof(value));
	return strtoull(value, NULL, 10);
}

static bool is_cut(const struct xs_nsys_db *db)
{
	char value[32];

	xs_nsys_db_find(db,
			"SELECT 1 FROM META_DATA_EXPORT WHERE "
			"name = 'EXPORT_PARAM_TIMES_TO_EXPORT' AND value <> '' "
			"OR name = 'EXPORT_PARAM_TIME_SHIFT' AND value <> '0' "
			"OR name = 'EXPORT_PARAM_TIME_NORMALIZE' AND value = "
			"'true'",
			NULL, value, sizeof(value));
	return value[0] != '\0';
}

/* Times of events count from the start of the session. The span of an export of
 * a part, or with shifted times, is unknown. */
static void find_span(struct xs_nsys *n)
{
	const uint64_t duration_ns = session_number(n, "duration");
	const uint64_t start_ns = session_number(n, "startTime");
	const uint64_t stop_ns = session_number(n, "stopTime");
	char value[32];

	xs_nsys_db_find(&n->db,
			"SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME",
			NULL, value, sizeof(value));
	n->base_ns = strtoull(value, NULL, 10);
	if (n->base_ns > NO_TIME_NS)
		n->base_ns = 0;
	n->is_cut = is_cut(&n->db);
	if (!duration_ns || duration_ns > NO_TIME_NS || start_ns > NO_TIME_NS ||
	    (stop_ns && stop_ns - start_ns != duration_ns) || n->is_cut)
		return;
	n->foreign.begin_ns = n->base_ns + start_ns;
	n->foreign.end_ns = n->foreign.begin_ns + duration_ns;
}

static void add_info(struct xs_nsys *n, const char *key, const char *value)
{
	if (value[0]) {
		xs_foreign_add_info(&n->foreign, "%s=%s", key, value);
		return;
	}
}

const char *xs_nsys_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The name of the process; with its arguments if it is the one that nsys
 * started, and no child of it. */
static void add_app(struct xs_nsys *n)
{
	char process[24], name[512], command[512];
	size_t length;

	snprintf(process, sizeof(process), "%" PRIu64, n->process);
	xs_nsys_db_find(&n->db,
			"SELECT name FROM PROCESSES WHERE (globalPid >> 24 & "
			"0xffffffffff) = CAST(?1 AS INTEGER)",
			process, name, sizeof(name));
	xs_nsys_db_find(
	    &n->db,
	    "SELECT group_concat(value, ' ') FROM META_DATA_CAPTURE WHERE name "
	    "= 'PROCESS_0:COMMAND' OR name LIKE ?1 ESCAPE '!'",
	    "PROCESS!_0:ARGUMENT!_%", command, sizeof(command));
	length = strcspn(command, " ");
	if (length && strlen(name) >= length &&
	    strncmp(xs_nsys_base_name(name), command, length) == 0) {
		add_info(n, "app", command);
		return;
	}
	add_info(n, "app", name);
}

/* What the system was. */
static void add_system(struct xs_nsys *n)
{
	char value[512];

	find_environment(n, "Hostname", value, sizeof(value));
	add_info(n, "host", value);
	find_environment(n, "CudaDriverVersion", value, sizeof(value));
	xs_foreign_add_driver(&n->foreign, strtoull(value, NULL, 10));
	add_app(n);
}

int xs_nsys_info_begin(struct xs_nsys *n)
{
	static const char *const memory[] = {"id", "name", NULL};
	static const char *const string[] = {"id", "value", NULL};
	int rc = check_schema(n);

	if (!rc)
		rc = choose_process(n);
	if (!rc)
		rc = find_defaults(n);
	if (!rc)
		rc = xs_nsys_db_each(&n->db, "ENUM_CUDA_MEM_KIND", memory, 2,
				     add_memory, n);
	find_span(n);
	if (!rc)
		add_system(n);
	if (!rc)
		rc = xs_nsys_db_prepare(
		    &n->db, "StringIds", string,
		    "SELECT value FROM main.StringIds WHERE id = ?1",
		    &n->find_string);
	/* stacks may be missing */
	sqlite3_prepare_v2(n->db.db,
			   "SELECT symbol, module FROM main." XS_NSYS_STACKS
			   " WHERE id = ?1 ORDER BY stackDepth",
			   -1, &n->find_frames, NULL);
	return rc;
}

void xs_nsys_info_release(struct xs_nsys *n)
{
	sqlite3_finalize(n->find_string);
	sqlite3_finalize(n->find_frames);
	xs_distinct_map_release(&n->strings);
	xs_distinct_release(&n->defaults);
}
