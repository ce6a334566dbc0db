/* SPDX-License-Identifier: MIT */
#include "analyzer/import/nsys_db.h"

#include "analyzer/import/import.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Longer texts and rows are damage. */
#define LENGTH_MOST (1 << 20)

/* SQLite's instructions per byte of the file, and how often they are counted:
 * a whole export takes one or two. */
#define STEPS_MOST 20
#define STEPS	   1000

/* Bytes of a database's header. */
enum { WRITE_VERSION = 18, READ_VERSION = 19 };
#define WITHOUT_LOG 1

static int fail(const struct xs_nsys_db *db, int code)
{
	if (code == SQLITE_IOERR)
		return -EIO;
	if (code == SQLITE_INTERRUPT)
		return xs_import_fail(
		    db->error, "the SQLite database takes too long to read for "
			       "its size: it is damaged, or its tables have no "
			       "keys; export it again");
	if (code == SQLITE_TOOBIG)
		return xs_import_fail(db->error,
				      "the SQLite database has a text or row "
				      "of more than 1 MiB");
	return xs_import_fail(
	    db->error,
	    "the SQLite database is damaged or incomplete (%s); export it "
	    "again",
	    sqlite3_errstr(code));
}

/* SQLite reads no database from memory whose header says that it may have a
 * log: here there is none. */
static int open_memory(struct xs_nsys_db *db,
		       const struct xs_trace_bytes *bytes)
{
	xs_u8 *data = (xs_u8 *)(uintptr_t)bytes->data;
	const sqlite3_int64 size = (sqlite3_int64)bytes->size;
	int code =
	    sqlite3_open_v2(":memory:", &db->db,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);

	if (bytes->is_own && size > READ_VERSION)
		data[WRITE_VERSION] = data[READ_VERSION] = WITHOUT_LOG;
	return code ? code
		    : sqlite3_deserialize(db->db, "main", data, size, size,
					  SQLITE_DESERIALIZE_READONLY);
}

/* The file is opened again by its number: SQLite then needs no name, and
 * writes nothing beside it. */
static int open_file(struct xs_nsys_db *db, const struct xs_trace_bytes *bytes)
{
	char name[64];

	snprintf(name, sizeof(name), "file:/proc/self/fd/%d?immutable=1",
		 bytes->fd);
	return sqlite3_open_v2(
	    name, &db->db,
	    SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
}

static int is_too_long(void *self)
{
	struct xs_nsys_db *db = self;

	db->steps += STEPS;
	return db->steps / STEPS_MOST > db->bytes + LENGTH_MOST;
}

/* Values that are computed when they are read may be of any size. */
static int refuse_computed(const struct xs_nsys_db *db)
{
	char name[128];

	xs_nsys_db_find(db,
			"SELECT m.name FROM sqlite_master m, "
			"pragma_table_xinfo(m.name) c WHERE c.hidden IN (2, 3) "
			"LIMIT 1",
			"", name, sizeof(name));
	return name[0] ? xs_import_fail(db->error,
					"its table %s has computed columns: it "
					"is no export of Nsight Systems",
					name)
		       : 0;
}

/* Whether the file beside it has pages that are not in the database: a log with
 * a frame since it was last emptied, or a journal that was not ended. */
static bool is_in_use(const char *name, bool is_log)
{
	static const unsigned char log[] = {0x37, 0x7f, 0x06},
				   journal[] = {0xd9, 0xd5, 0x05, 0xf9};
	unsigned char head[48] = {0}; /* a log's frames begin at 32 */
	const int file = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t size = -1;

	if (file >= 0) {
		size = read(file, head, sizeof(head));
		close(file);
	}
	if (!is_log)
		return size > 0 && !memcmp(head, journal, sizeof(journal));
	/* a frame has the salt of the log's header */
	return size == sizeof(head) && !memcmp(head, log, sizeof(log)) &&
	       !memcmp(head + 16, head + 40, 8);
}

/* What a program has written last may lie beside the file, which is not whole
 * without it. */
static int refuse_unfinished(const struct xs_nsys_db *db, int fd)
{
	static const char *const suffixes[] = {"-wal", "-journal"};
	char link[64], name[PATH_MAX + 16];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, name, PATH_MAX);
	for (size_t i = 0; length > 0 && i < 2; i++) {
		snprintf(name + length, 16, "%s", suffixes[i]);
		if (is_in_use(name, i == 0))
			return xs_import_fail(
			    db->error,
			    "what was written last is still in its %s beside "
			    "it; `sqlite3 %.*s .tables` joins them",
			    suffixes[i], (int)length, name);
	}
	return 0;
}

/* The file may come from anywhere: nothing in it is run. */
static void distrust(sqlite3 *db)
{
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, LENGTH_MOST);
	sqlite3_exec(db, "PRAGMA cell_size_check=ON", NULL, NULL, NULL);
}

int xs_nsys_db_open(struct xs_nsys_db *db, const struct xs_trace_bytes *bytes,
		    const char **error)
{
	int code, rc;

	*db = (struct xs_nsys_db){.bytes = bytes->size, .error = error};
	rc = bytes->fd >= 0 ? refuse_unfinished(db, bytes->fd) : 0;
	if (rc)
		return rc;
	code = bytes->fd >= 0 ? open_file(db, bytes) : open_memory(db, bytes);
	if (!code) {
		distrust(db->db);
		code =
		    sqlite3_exec(db->db, "SELECT count(*) FROM sqlite_master",
				 NULL, NULL, NULL);
	}
	if (!code)
		sqlite3_progress_handler(db->db, STEPS, is_too_long, db);
	return code ? fail(db, code) : refuse_computed(db);
}

void xs_nsys_db_close(struct xs_nsys_db *db)
{
	sqlite3_close(db->db);
}

static bool has_column(const struct xs_nsys_db *db, const char *table,
		       const char *column)
{
	return sqlite3_table_column_metadata(db->db, "main", table, column,
					     NULL, NULL, NULL, NULL,
					     NULL) == SQLITE_OK;
}

bool xs_nsys_db_has_table(const struct xs_nsys_db *db, const char *table)
{
	return has_column(db, table, NULL);
}

static int refuse(const struct xs_nsys_db *db, const char *table,
		  const char *column)
{
	return xs_import_fail(db->error,
			      "its table %s has no column %s: this version of "
			      "the export is not known",
			      table, column);
}

/* Writes the statement that selects the columns. */
static int write_query(const struct xs_nsys_db *db, const char *table,
		       const char *const *columns, size_t needed, char *query,
		       size_t size)
{
	size_t length = (size_t)snprintf(query, size, "SELECT");

	for (size_t i = 0; columns[i]; i++) {
		const bool has = has_column(db, table, columns[i]);

		if (!has && i < needed)
			return refuse(db, table, columns[i]);
		length += (size_t)snprintf(
		    query + length, size - length, "%s %s%s%s", i ? "," : "",
		    has ? "\"" : "", has ? columns[i] : "NULL",
		    has ? "\"" : "");
	}
	snprintf(query + length, size - length, " FROM main.\"%s\"", table);
	return 0;
}

static int prepare(const struct xs_nsys_db *db, const char *query,
		   sqlite3_stmt **values)
{
	const int code = sqlite3_prepare_v2(db->db, query, -1, values, NULL);

	return code ? fail(db, code) : 0;
}

int xs_nsys_db_prepare(const struct xs_nsys_db *db, const char *table,
		       const char *const *columns, const char *query,
		       sqlite3_stmt **values)
{
	for (; *columns; columns++)
		if (!has_column(db, table, *columns))
			return refuse(db, table, *columns);
	return prepare(db, query, values);
}

int xs_nsys_db_step(const struct xs_nsys_db *db, sqlite3_stmt *values)
{
	const int code = sqlite3_step(values);

	if (code == SQLITE_ROW)
		return 1;
	return code == SQLITE_DONE ? 0 : fail(db, code);
}

/* A view is not read, and must not count as a table that is missing. */
static int refuse_view(const struct xs_nsys_db *db, const char *name)
{
	char view[8];

	xs_nsys_db_find(db,
			"SELECT type FROM sqlite_master WHERE name = ?1 AND "
			"type = 'view'",
			name, view, sizeof(view));
	return view[0] ? xs_import_fail(db->error,
					"its %s is a view and no table: it is "
					"no export of Nsight Systems",
					name)
		       : 0;
}

int xs_nsys_db_each(const struct xs_nsys_db *db, const char *table,
		    const char *const *columns, size_t needed,
		    int (*row)(void *self, sqlite3_stmt *values), void *self)
{
	char query[XS_NSYS_COLUMNS * 40];
	sqlite3_stmt *values = NULL;
	uint64_t rows = 0;
	int rc;

	if (!xs_nsys_db_has_table(db, table))
		return refuse_view(db, table);
	rc = write_query(db, table, columns, needed, query, sizeof(query));
	if (!rc)
		rc = prepare(db, query, &values);
	while (!rc && (rc = xs_nsys_db_step(db, values)) > 0)
		/* a damaged table may have its pages in a circle */
		rc = rows++ < db->bytes ? row(self, values)
					: fail(db, SQLITE_CORRUPT);
	sqlite3_finalize(values);
	return rc;
}

bool xs_nsys_db_is_number(sqlite3_stmt *values, int column)
{
	return sqlite3_column_type(values, column) == SQLITE_INTEGER &&
	       (uint64_t)sqlite3_column_int64(values, column) <= 1ull << 62;
}

uint64_t xs_nsys_db_number(sqlite3_stmt *values, int column)
{
	const sqlite3_int64 number = sqlite3_column_int64(values, column);

	return number > 0 ? (uint64_t)number : 0;
}

uint32_t xs_nsys_db_number32(sqlite3_stmt *values, int column)
{
	const uint64_t number = xs_nsys_db_number(values, column);

	return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

uint32_t xs_nsys_db_id(sqlite3_stmt *values, int column)
{
	const uint64_t number = xs_nsys_db_number(values, column);

	return number <= UINT32_MAX ? (uint32_t)number : 0;
}

uint16_t xs_nsys_db_number16(sqlite3_stmt *values, int column)
{
	const uint64_t number = xs_nsys_db_number(values, column);

	return number < UINT16_MAX ? (uint16_t)number : UINT16_MAX;
}

const char *xs_nsys_db_text(sqlite3_stmt *values, int column)
{
	const unsigned char *text = sqlite3_column_text(values, column);

	return text ? (const char *)text : "";
}

void xs_nsys_db_find(const struct xs_nsys_db *db, const char *query,
		     const char *parameter, char *value, size_t size)
{
	sqlite3_stmt *values = NULL;

	value[0] = '\0';
	if (sqlite3_prepare_v2(db->db, query, -1, &values, NULL) == SQLITE_OK) {
		sqlite3_bind_text(values, 1, parameter, -1, SQLITE_STATIC);
		if (sqlite3_step(values) == SQLITE_ROW)
			snprintf(value, size, "%s", xs_nsys_db_text(values, 0));
	}
	sqlite3_finalize(values);
}
