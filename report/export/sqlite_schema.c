/* SPDX-License-Identifier: MIT */
/* The tables and views of --to sqlite. */

/* Of a table of ops. */
#define OPS(name)                                                              \
	"CREATE TABLE " name " (kind TEXT, gpu INTEGER, stream INTEGER, "      \
	"start_ns INTEGER, duration_ns INTEGER, bytes INTEGER, "               \
	"copies INTEGER, src_memory TEXT, dst_memory TEXT, async INTEGER, "    \
	"kernel INTEGER REFERENCES kernel, call INTEGER REFERENCES call);"

/* busy: the spans in which at least one op of a kind ran. An op begins a span
 * if all before it, of the kind, ended before. busy_gpu: of any kind. */
#define SPANS(name, group, partition)                                          \
	"CREATE VIEW " name " AS WITH "                                        \
	"o AS (SELECT kind, start_ns, start_ns + duration_ns AS end_ns, "      \
	"max(start_ns + duration_ns) OVER (" partition                         \
	" ORDER BY start_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)" \
	" AS before_ns FROM op), "                                             \
	"s AS (SELECT kind, start_ns, end_ns, "                                \
	"sum(before_ns IS NULL OR before_ns < start_ns) OVER (" partition      \
	" ORDER BY start_ns ROWS UNBOUNDED PRECEDING) AS span FROM o) "        \
	"SELECT " group "min(start_ns) AS start_ns, max(end_ns) AS end_ns "    \
	"FROM s GROUP BY " group "span;"

extern const char xs_export_sqlite_schema[];
const char xs_export_sqlite_schema[] =
    "CREATE TABLE run (app TEXT, host TEXT, pid INTEGER, start_ns INTEGER, "
    "wall_ns INTEGER, driver TEXT);"
    "CREATE TABLE gpu (gpu INTEGER, name TEXT);"
    "CREATE TABLE site (site INTEGER PRIMARY KEY, function TEXT, class TEXT, "
    "caller TEXT, file TEXT, line INTEGER);"
    "CREATE TABLE kernel (kernel INTEGER PRIMARY KEY, name TEXT, "
    "blocks INTEGER, threads INTEGER);"
    "CREATE TABLE call (call INTEGER PRIMARY KEY, thread INTEGER, "
    "start_ns INTEGER, duration_ns INTEGER, site INTEGER REFERENCES site, "
    "bytes INTEGER, stream INTEGER, error INTEGER, startup_ns INTEGER);" OPS(
	"op")
	OPS("migration") "CREATE TABLE range (name TEXT, domain TEXT, thread "
			 "INTEGER, "
			 "start_ns INTEGER, duration_ns INTEGER, process "
			 "INTEGER);" SPANS("busy", "kind, ",
					   "PARTITION BY kind")
			     SPANS(
				 "busy_gpu", "",
				 "") "CREATE VIEW calls AS SELECT c.*, "
				     "s.function, s.class, s.caller, "
				     "s.file, s.line FROM call c LEFT JOIN "
				     "site "
				     "s USING (site);"
				     "CREATE VIEW ops AS SELECT o.*, k.name AS "
				     "kernel_name, c.function, "
				     "c.caller, c.file, c.line FROM op o LEFT "
				     "JOIN "
				     "kernel "
				     "k USING (kernel) "
				     "LEFT JOIN calls c USING (call);";
