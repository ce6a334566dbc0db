/* SPDX-License-Identifier: MIT */
#include "report/export/export.h"

#ifndef XS_HAVE_OTF2
static const char *refuse_otf2(const char *path, const char **what_to_do)
{
	(void)path;
	*what_to_do = "install libotf2-trace-dev and build xferspy again";
	return "this build has no OTF2";
}
#endif

const struct xs_exporter xs_exporters[] = {
    {.name = "perfetto",
     .help = "a trace for ui.perfetto.dev",
     .write = xs_export_perfetto},
    {.name = "sqlite",
     .help = "a database with tables and views",
     .refuse = xs_export_sqlite_refuse,
     .write = xs_export_sqlite},
    {.name = "otf2",
     .help = "a folder for Vampir or Scalasca",
     .folder = true,
#ifdef XS_HAVE_OTF2
     .write = xs_export_otf2
#else
     .refuse = refuse_otf2
#endif
    },
    {0}};
