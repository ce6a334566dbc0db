/* SPDX-License-Identifier: MIT */
/* The tables and views of --to sqlite. */
#pragma once

extern const char xs_export_sqlite_schema[];
