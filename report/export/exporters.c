/* SPDX-License-Identifier: MIT */
#include "report/export/export.h"

const struct xs_exporter *const xs_exporters[] = {&xs_exporter_perfetto,
						  &xs_exporter_sqlite, NULL};
