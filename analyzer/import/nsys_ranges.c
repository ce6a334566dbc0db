/* SPDX-License-Identifier: MIT */
/* NVTX ranges of an export of Nsight Systems. */
#include "analyzer/import/nsys_info.h"

#include <inttypes.h>
#include <stdio.h>

#define TABLE "NVTX_EVENTS"

enum { E_START, E_END, E_TYPE, E_TEXT, E_TEXT_ID, E_TID, E_DOMAIN };
static const char *const columns[] = {"start",	  "end",    "eventType",
				      "text",	  "textId", "globalTid",
				      "domainId", NULL};
#define NEEDED 3

/* The published numbers of eventType. */
#define PUSHED	       59
#define STARTED	       60
#define DOMAIN_CREATED 75

/* The domains' names: strings, by id in the file; 0: the default one. */
struct domains {
	struct xs_nsys *nsys;
	struct xs_distinct_map names;
};

/* A text is in the row, or a string of the file. */
static int text_of(struct xs_nsys *n, sqlite3_stmt *values, uint32_t *number)
{
	if (sqlite3_column_type(values, E_TEXT) != SQLITE_NULL) {
		xs_foreign_add_string(&n->foreign,
				      xs_nsys_db_text(values, E_TEXT), number);
		return 0;
	}
	return xs_nsys_string(n, xs_nsys_db_number(values, E_TEXT_ID), number);
}

/* Returns the name of the row's domain. */
static uint32_t *find_domain(struct domains *d, sqlite3_stmt *values)
{
	const uint64_t id = xs_nsys_db_number(values, E_DOMAIN);

	return xs_distinct_map_find(&d->names, &id, sizeof(id),
				    sizeof(uint32_t));
}

static int add_domain(void *self, sqlite3_stmt *values)
{
	struct domains *d = self;
	uint32_t *name;

	if (xs_nsys_db_number(values, E_TYPE) != DOMAIN_CREATED ||
	    !xs_nsys_is_mine(d->nsys, values, E_TID))
		return 0;
	name = find_domain(d, values);
	return text_of(d->nsys, values, name);
}

/* Of a domain whose creation is not in the file. */
static void name_domain(const struct domains *d, sqlite3_stmt *values,
			uint32_t *number)
{
	char name[40];

	snprintf(name, sizeof(name), "domain %" PRIu64,
		 xs_nsys_db_number(values, E_DOMAIN));
	xs_foreign_add_string(&d->nsys->foreign, name, number);
}

static int add_range(void *self, sqlite3_stmt *values)
{
	struct domains *d = self;
	const uint64_t type = xs_nsys_db_number(values, E_TYPE);
	struct xs_foreign_range range = {
	    .start_ns = xs_nsys_time(d->nsys, values, E_START),
	    .end_ns = xs_nsys_time(d->nsys, values, E_END),
	    .thread = xs_nsys_thread(values, E_TID),
	    .process = type == STARTED};
	uint32_t *domain;
	int rc;

	if ((type != PUSHED && type != STARTED) ||
	    sqlite3_column_type(values, E_END) == SQLITE_NULL ||
	    !xs_nsys_is_mine(d->nsys, values, E_TID) ||
	    !xs_nsys_is_timed(d->nsys, values))
		return 0;
	domain = find_domain(d, values);
	if (!*domain && xs_nsys_db_number(values, E_DOMAIN))
		name_domain(d, values, domain);
	range.domain = *domain;
	rc = text_of(d->nsys, values, &range.name);
	if (!rc)
		xs_foreign_add_range(&d->nsys->foreign, &range);
	return rc;
}

int xs_nsys_ranges(struct xs_nsys *n)
{
	struct domains d = {.nsys = n};
	int rc =
	    xs_nsys_db_each(&n->db, TABLE, columns, NEEDED, add_domain, &d);

	if (!rc)
		rc = xs_nsys_db_each(&n->db, TABLE, columns, NEEDED, add_range,
				     &d);
	xs_distinct_map_release(&d.names);
	return rc;
}
