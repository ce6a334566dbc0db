/* SPDX-License-Identifier: MIT */
/* Tables of an SQLite export of Nsight Systems, whose columns depend on its
 * version. */
#pragma once

#include "analyzer/records/trace_reader.h"

#include <sqlite3.h>
#include <stdbool.h>

#define XS_NSYS_COLUMNS 24

struct xs_nsys_db {
	sqlite3 *db;
	uint64_t bytes;	    /* of the file */
	uint64_t steps;	    /* of SQLite so far */
	const char **error; /* where messages go */
};

/* Opens the file, or what is in memory, for reading; *db must not move. Returns
 * 0 or -errno; close it in any case. */
int xs_nsys_db_open(struct xs_nsys_db *db, const struct xs_trace_bytes *bytes,
		    const char **error);
void xs_nsys_db_close(struct xs_nsys_db *db);

bool xs_nsys_db_has_table(const struct xs_nsys_db *db, const char *table);

/*
 * Calls `row` for each row of a table; its statement has the columns in their
 * order, NULL for those that the table lacks. A table that is not there has no
 * rows. columns: ends in NULL; without the first `needed` ones a table is
 * refused. Returns 0, what `row` returned, or -errno with a message.
 */
int xs_nsys_db_each(const struct xs_nsys_db *db, const char *table,
		    const char *const *columns, size_t needed,
		    int (*row)(void *self, sqlite3_stmt *values), void *self);

/* Prepares a query on a table, which is refused without the columns; columns
 * end in NULL. Returns 0 or -errno with a message. Finalize the statement in
 * any case. */
int xs_nsys_db_prepare(const struct xs_nsys_db *db, const char *table,
		       const char *const *columns, const char *query,
		       sqlite3_stmt **values);
/* Returns 1 for a row, 0 at the end, or -errno with a message. */
int xs_nsys_db_step(const struct xs_nsys_db *db, sqlite3_stmt *values);

/* Whether it is an integer from 0 to 2^62. */
bool xs_nsys_db_is_number(sqlite3_stmt *values, int column);
/* Returns an integer, 0 if it is negative or missing. */
uint64_t xs_nsys_db_number(sqlite3_stmt *values, int column);
/* Returns at most the largest number of the type. */
uint32_t xs_nsys_db_number32(sqlite3_stmt *values, int column);
uint16_t xs_nsys_db_number16(sqlite3_stmt *values, int column);
/* Returns a correlation id, 0 (none) if it is larger than ids are. */
uint32_t xs_nsys_db_id(sqlite3_stmt *values, int column);
/* Returns a text, "" if it is missing; valid until the next row. */
const char *xs_nsys_db_text(sqlite3_stmt *values, int column);

/* Stores the first value of a query with the text parameter ?1, at most
 * size - 1 bytes; "" if there is none. */
void xs_nsys_db_find(const struct xs_nsys_db *db, const char *query,
		     const char *parameter, char *value, size_t size);
