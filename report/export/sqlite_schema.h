/* SPDX-License-Identifier: MIT */
/* The tables and views of --to sqlite. */
#ifndef XS_REPORT_EXPORT_SQLITE_SCHEMA_H
#define XS_REPORT_EXPORT_SQLITE_SCHEMA_H

extern const char xs_export_sqlite_schema[];

#endif
