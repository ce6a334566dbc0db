/* SPDX-License-Identifier: MIT */
/* --to sqlite: tables and views that docs/sqlite.md describes. Rows go to the
 * file one by one. */
#include "analyzer/read/names.h"
#include "analyzer/symbols/symbols.h"
#include "analyzer/util/escape.h"
#include "report/export/export.h"
#include "report/export/names.h"

#include <errno.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

extern const char xs_export_sqlite_schema[];

struct exporting {
	const struct xs_trace *trace;
	sqlite3 *db;
	sqlite3_stmt *insert; /* of the table that is written */
	int column;	      /* that was set last */
	int code;	      /* the first error of SQLite, or SQLITE_OK */
};

static void check(struct exporting *e, int code)
{
	if (e->code == SQLITE_OK && code != SQLITE_DONE && code != SQLITE_ROW)
		e->code = code;
}

static void run(struct exporting *e, const char *sql)
{
	if (!e->code)
		check(e, sqlite3_exec(e->db, sql, NULL, NULL, NULL));
}

/* Begins to write a table of so many columns. */
static void begin(struct exporting *e, const char *table, int columns)
{
	char sql[128] = "";
	int used =
	    snprintf(sql, sizeof(sql), "INSERT INTO %s VALUES (?", table);

	for (int i = 1; i < columns; i++)
		used += snprintf(sql + used, sizeof(sql) - (size_t)used, ", ?");
	snprintf(sql + used, sizeof(sql) - (size_t)used, ")");
	if (!e->code)
		check(e, sqlite3_prepare_v2(e->db, sql, -1, &e->insert, NULL));
	e->column = 0;
}

static void end(struct exporting *e)
{
	check(e, sqlite3_finalize(e->insert));
	e->insert = NULL;
}

/* What is beyond SQLite's integers becomes a real number. */
static void put_number(struct exporting *e, uint64_t value)
{
	e->column++;
	if (e->code)
		return;
	check(e, value > INT64_MAX
		     ? sqlite3_bind_double(e->insert, e->column, (double)value)
		     : sqlite3_bind_int64(e->insert, e->column,
					  (sqlite3_int64)value));
}

static void put_null(struct exporting *e)
{
	e->column++;
}

/* 0 is unknown. */
static void put_known(struct exporting *e, uint64_t value)
{
	if (value)
		put_number(e, value);
	else
		put_null(e);
}

/* Without characters that change a terminal. NULL becomes NULL. */
static void put_text(struct exporting *e, const char *text)
{
	char *safe = text ? xs_escape_copy(text, "") : NULL;

	if (text && !safe)
		check(e, SQLITE_NOMEM);
	if (!e->code)
		check(e, sqlite3_bind_text(e->insert, ++e->column, safe, -1,
					   SQLITE_TRANSIENT));
	free(safe);
}

/* Ends the row. What was not set is NULL. */
static void next_row(struct exporting *e)
{
	if (!e->code)
		check(e, sqlite3_step(e->insert));
	if (!e->code)
		check(e, sqlite3_reset(e->insert));
	if (!e->code)
		check(e, sqlite3_clear_bindings(e->insert));
	e->column = 0;
}

static void put_times(struct exporting *e, uint64_t start_ns, uint64_t end_ns)
{
	const uint64_t start = xs_export_since(e->trace, start_ns);

	put_number(e, start);
	put_number(e, end_ns > start_ns
			  ? xs_export_since(e->trace, end_ns) - start
			  : 0);
}

static void put_run(struct exporting *e)
{
	const struct xs_trace *trace = e->trace;

	begin(e, "run", 6);
	put_text(e, xs_trace_find_info(trace, "app"));
	put_text(e, xs_trace_find_info(trace, "host"));
	put_known(e, trace->header.pid);
	put_known(e, xs_trace_started_ns(trace) ? trace->begin_ns : 0);
	put_number(e, trace->end_ns - trace->begin_ns);
	put_text(e, xs_trace_find_info(trace, "driver"));
	next_row(e);
	end(e);
	begin(e, "gpu", 2);
	for (size_t i = 0; i < trace->device_count; i++) {
		put_number(e, trace->devices[i].rec.device);
		put_text(e, xs_export_string(trace, trace->devices[i].name));
		next_row(e);
	}
	end(e);
}

static void put_sites(struct exporting *e)
{
	const struct xs_trace *trace = e->trace;

	begin(e, "site", 6);
	for (uint32_t i = 0; i < trace->site_count; i++) {
		const struct xs_site *user = xs_symbols_user_site(trace, i);

		put_number(e, i);
		put_text(e, xs_export_function(trace, i));
		put_text(e, xs_name_call(trace->sites[i].call_class));
		put_text(e, user ? user->symbol : NULL);
		put_text(e, user ? user->file : NULL);
		if (user && user->file)
			put_number(e, user->line);
		next_row(e);
	}
	end(e);
}

static void put_calls(struct exporting *e)
{
	const struct xs_trace *trace = e->trace;

	begin(e, "call", 9);
	for (uint32_t i = 0; i < trace->call_count; i++) {
		const struct xs_call *call = &trace->calls[i];
		const uint64_t startup_ns =
		    i == trace->startup.call ? trace->startup.ns : 0;

		put_number(e, i);
		put_number(e, call->thread);
		put_times(e, call->start_ns, call->end_ns);
		put_number(e, call->site);
		put_number(e, call->bytes);
		put_number(e, call->stream);
		put_number(e, call->error);
		put_number(e, startup_ns);
		next_row(e);
	}
	end(e);
}

static void put_op(struct exporting *e, const struct xs_op *op)
{
	const struct xs_trace *trace = e->trace;
	const struct xs_queue *queue = xs_export_queue(trace, op->queue);

	put_text(e, xs_name_op(op->kind));
	put_number(e, queue->device);
	put_number(e, queue->stream);
	put_times(e, op->start_ns, op->end_ns);
	put_number(e, op->bytes);
	put_number(e, op->copies);
	put_text(e, xs_name_memory(op->src_memory));
	put_text(e, xs_name_memory(op->dst_memory));
	put_number(e, (op->flags & XS_OP_ASYNC) != 0);
	if (op->kind == XS_OP_KERNEL && op->shape < trace->shape_count)
		put_number(e, op->shape);
	else
		put_null(e);
	if (op->call < trace->call_count)
		put_number(e, op->call);
	next_row(e);
}

static void put_ops(struct exporting *e)
{
	const struct xs_trace *trace = e->trace;

	begin(e, "op", 12);
	for (size_t i = 0; i < trace->op_count; i++)
		put_op(e, &trace->ops[i]);
	end(e);
	begin(e, "migration", 12);
	for (size_t i = 0; i < trace->migration_count; i++)
		put_op(e, &trace->migrations[i]);
	end(e);
}

static void put_kernels(struct exporting *e)
{
	const struct xs_trace *trace = e->trace;

	begin(e, "kernel", 4);
	for (uint32_t i = 0; i < trace->shape_count; i++) {
		const struct xs_shape *shape = &trace->shapes[i];
		char *name = xs_export_kernel(trace, i);

		put_number(e, i);
		put_text(e, name);
		put_number(e, (uint64_t)shape->grid[0] * shape->grid[1] *
				  shape->grid[2]);
		put_number(e, (uint64_t)shape->block[0] * shape->block[1] *
				  shape->block[2]);
		next_row(e);
		free(name);
	}
	end(e);
}

static void put_ranges(struct exporting *e)
{
	const struct xs_trace *trace = e->trace;

	begin(e, "range", 6);
	XS_EACH(range, trace->nvtx, trace->nvtx_count) {
		put_text(e, xs_export_string(trace, range->name));
		put_text(e, xs_export_string(trace, range->domain));
		put_number(e, range->thread);
		put_times(e, range->start_ns, range->end_ns);
		put_number(e, range->process);
		next_row(e);
	}
	end(e);
}

/* Returns why SQLite failed. A full disk has an error of its own. */
static int error_of(const struct exporting *e)
{
	const int system = sqlite3_system_errno(e->db);

	switch (e->code & 0xff) {
	case SQLITE_OK:
		return 0;
	case SQLITE_NOMEM:
		return -ENOMEM;
	case SQLITE_FULL:
		return -ENOSPC;
	default:
		return system ? -system : -EIO;
	}
}

/* SQLite would apply the log to the new database. */
static bool has_log(const char *database)
{
	static const char *const ends[] = {"-wal", "-journal"};
	char path[PATH_MAX + sizeof("-journal")], target[PATH_MAX];
	bool found = false;

	if (realpath(database, target))
		database = target; /* of a link */
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		snprintf(path, sizeof(path), "%s%s", database, ends[i]);
		found |= access(path, F_OK) == 0;
	}
	return found;
}

/* Whether a database is there that has tables, but no view of ours. */
static bool is_of_others(const char *path)
{
	sqlite3_stmt *found = NULL;
	sqlite3 *db = NULL;
	bool is;

	sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL);
	sqlite3_prepare_v2(db,
			   "SELECT 1 FROM sqlite_master WHERE NOT EXISTS "
			   "(SELECT 1 FROM sqlite_master WHERE name = "
			   "'busy_gpu')",
			   -1, &found, NULL);
	is = sqlite3_step(found) == SQLITE_ROW;
	sqlite3_finalize(found);
	sqlite3_close(db);
	return is;
}

const char *xs_export_sqlite_refuse(const char *path, const char **what_to_do)
{
	struct stat there;

	if (stat(path, &there) == 0 && !S_ISREG(there.st_mode)) {
		*what_to_do = "give -o a file";
		return "a database is written to a file alone, not to a pipe "
		       "or device";
	}
	*what_to_do = "give -o another file";
	if (has_log(path))
		return "a log of an earlier database is beside it";
	return is_of_others(path) ? "it is a database that export did not write"
				  : NULL;
}

int xs_export_sqlite(const struct xs_trace *trace, FILE *out, const char *path)
{
	struct exporting e = {.trace = trace};
	int err;

	(void)out;
	e.code = sqlite3_open_v2(path, &e.db,
				 SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
				     SQLITE_OPEN_NOMUTEX,
				 NULL);
	/* the file is new: if writing fails, it is deleted as a whole */
	run(&e, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN");
	run(&e, xs_export_sqlite_schema);
	put_run(&e);
	put_sites(&e);
	put_kernels(&e);
	put_calls(&e);
	put_ops(&e);
	put_ranges(&e);
	run(&e, "COMMIT");
	err = error_of(&e);
	sqlite3_close(e.db);
	return err;
}
