/* SPDX-License-Identifier: MIT */
#include "analyzer/symbols/symbols.h"

#include "analyzer/util/memory.h"
#include "analyzer/util/sort.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Callbacks for files on disk; separate debug files are found by build id. */
static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
};

struct place {
	const char *function; /* linkage name, maybe mangled */
	const char *file;
	int line;
	/* for an inlined function: the function around it, and the call's line
	 */
	const char *outer_function, *outer_file;
	int outer_line;
};

static bool build_id_is(Dwfl_Module *module, const char *wanted)
{
	const unsigned char *bits;
	GElf_Addr address;
	int size = dwfl_module_build_id(module, &bits, &address);
	char text[2 * 64 + 1] = "";

	for (int i = 0; i < size && i < 64; i++)
		snprintf(text + 2 * (size_t)i, 3, "%02x", bits[i]);
	return strcasecmp(text, wanted) == 0;
}

/* Without a build id, compares the file's time. */
static bool is_another(Dwfl_Module *opened, const struct xs_trace *trace,
		       const struct xs_module *module,
		       const struct stat *status)
{
	const char *build_id = trace->strings[module->build_id];

	if (build_id[0])
		return !build_id_is(opened, build_id);
	return (uint64_t)status->st_mtime >
	       trace->header.start_realtime_ns / 1000000000u;
}

/* Returns NULL when the file is missing or has changed. */
static Dwfl_Module *open_module(Dwfl *dwfl, const struct xs_trace *trace,
				struct xs_module *module)
{
	const char *path = trace->strings[module->path];
	Dwfl_Module *opened;
	struct stat status;

	/* a trace may name any path; opening a pipe would block */
	if (path[0] != '/' || stat(path, &status) || !S_ISREG(status.st_mode))
		return NULL;
	dwfl_report_begin(dwfl);
	opened = dwfl_report_offline(dwfl, path, path, -1);
	dwfl_report_end(dwfl, NULL, NULL);
	if (!opened)
		return NULL;
	module->changed = is_another(opened, trace, module, &status);
	return module->changed ? NULL : opened;
}

/* Returns whether the file is a header of the toolkit or the system, or made by
 * a compiler: it contains wrappers, not the user's code. */
static bool is_foreign_file(const char *file)
{
	static const char *const parts[] = {
	    "/targets/x86_64-linux/include/",
	    "/targets/sbsa-linux/include/",
	    "/cuda/include/",
	    "cuda_runtime.h",
	    ".stub.c",
	    "/rustc/",
	    "cgo-gcc-prolog",
	    "_cgo_gotypes.go",
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (strstr(file, parts[i]))
			return true;
	return strncmp(file, "/usr/include/", 13) == 0 ||
	       strncmp(file, "/usr/lib/", 9) == 0;
}

static const char *linkage_name(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute))
		name = dwarf_formstring(&attribute);
	return name ? name : dwarf_diename(die);
}

static bool is_function(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_inlined_subroutine ||
	       dwarf_tag(die) == DW_TAG_subprogram;
}

/* Stores in *from and *from_line where an inlined function was called from. */
static void step_out(Dwarf_Die *unit, Dwarf_Die *inlined, const char **from,
		     int *from_line)
{
	Dwarf_Attribute attribute;
	Dwarf_Word file, line;
	Dwarf_Files *files;
	size_t count;

	if (dwarf_getsrcfiles(unit, &files, &count) ||
	    dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute),
			    &file) ||
	    dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute),
			    &line))
		return;
	*from = dwarf_filesrc(files, file, NULL, NULL);
	*from_line = (int)line;
}

/* Finds the function around an inlined one. */
static void find_outer(Dwarf_Die *unit, Dwarf_Die *scopes, int count,
		       struct place *place)
{
	int i = 1;

	step_out(unit, &scopes[0], &place->outer_file, &place->outer_line);
	while (i < count && !is_function(&scopes[i]))
		i++;
	if (i < count)
		place->outer_function = linkage_name(&scopes[i]);
}

/*
 * Returns whether the host function has the kernel's own name. DWARF names a
 * template "scale<float>"; the trace's name demangles to "void
 * ns::scale<float>(float*)".
 */
static bool is_kernel(const char *kernel, const char *function)
{
	size_t length = strlen(function), plain = strcspn(function, "<");
	char name[256], *demangled;
	const char *at;
	bool same;

	if (strcmp(kernel, function) == 0)
		return true;
	if (plain == length || plain >= sizeof(name))
		return false;
	memcpy(name, function, plain);
	name[plain] = '\0';
	if (!strstr(kernel, name)) /* avoids demangling other names */
		return false;
	demangled = xs_symbols_demangle(kernel);
	at = demangled ? strstr(demangled, function) : NULL;
	same = at && at[length] == '(' &&
	       (at == demangled || at[-1] == ' ' || at[-1] == ':');
	free(demangled);
	return same;
}

/*
 * Returns whether the function is one that the compiler or the toolkit puts
 * between a launch and the user's line.
 */
static bool is_stub(const struct xs_trace *trace, const char *function)
{
	if (!function)
		return false;
	if (strstr(function, "__device_stub_") ||
	    strstr(function, "__cudaLaunchKernel_helper"))
		return true;
	for (size_t i = 0; i < trace->shape_count; i++)
		if (is_kernel(trace->strings[trace->shapes[i].name], function))
			return true;
	return false;
}

/*
 * Finds the innermost function and line of the user: from the function at the
 * address outwards through its inlining callers, skipping stubs and wrappers in
 * foreign headers.
 */
static void find_function(const struct xs_trace *trace, Dwarf_Die *unit,
			  Dwarf_Addr address, struct place *place)
{
	Dwarf_Die *innermost = NULL, *scopes = NULL;
	int count = dwarf_getscopes(unit, address, &innermost);

	/* the scopes around the code, not around its definition */
	if (count > 0)
		count = dwarf_getscopes_die(&innermost[0], &scopes);
	for (int i = 0; i < count; i++) {
		if (!is_function(&scopes[i]))
			continue;
		place->function = linkage_name(&scopes[i]);
		if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram || !place->file)
			break;
		if (!is_foreign_file(place->file) &&
		    !xs_symbols_is_library(place->file) &&
		    !is_stub(trace, place->function)) {
			find_outer(unit, &scopes[i], count - i, place);
			break;
		}
		step_out(unit, &scopes[i], &place->file, &place->line);
	}
	free(innermost);
	free(scopes);
}

/* Returns the compilation unit of an address. Some compilers omit the address
 * table, so all units are searched then; Go's linker omits its own units, and
 * libdwfl gives the nearest one. */
static Dwarf_Die *find_unit(Dwfl_Module *module, Dwarf_Addr address,
			    Dwarf_Addr *bias)
{
	Dwarf_Die *unit = dwfl_module_addrdie(module, address, bias);

	if (unit && dwarf_haspc(unit, address - *bias) > 0)
		return unit;
	unit = NULL;
	do
		unit = dwfl_module_nextcu(module, unit, bias);
	while (unit && dwarf_haspc(unit, address - *bias) <= 0);
	return unit;
}

static void find_place(const struct xs_trace *trace, Dwfl_Module *module,
		       uint64_t offset, struct place *place)
{
	GElf_Addr bias = 0, dwarf_bias;
	Dwarf_Die *unit;
	Dwarf_Line *line;

	if (!dwfl_module_getelf(module, &bias))
		return;
	unit = find_unit(module, offset + bias, &dwarf_bias);
	if (unit) {
		line = dwarf_getsrc_die(unit, offset + bias - dwarf_bias);
		place->file = dwarf_linesrc(line, NULL, NULL);
		dwarf_lineno(line, &place->line);
		find_function(trace, unit, offset + bias - dwarf_bias, place);
	}
	if (!place->function)
		place->function = dwfl_module_addrname(module, offset + bias);
}

static void name_site(struct xs_site *site, const char *function,
		      const char *file, int line)
{
	if (function) {
		site->symbol = xs_symbols_demangle(function);
	}
	if (file && !is_foreign_file(file)) {
		site->file = xs_strdup(file);
		site->line = (unsigned)line;
	}
}

static void fill_site(struct xs_trace *trace, uint32_t site,
		      Dwfl_Module *module)
{
	struct place place = {0};
	struct xs_site *outer;

	find_place(trace, module, trace->sites[site].offset, &place);
	if (is_stub(trace, place.function))
		return;
	name_site(&trace->sites[site], place.function, place.file, place.line);
	if (!place.outer_function || !place.outer_file)
		return;
	outer = xs_trace_add_outer(trace, site);
	name_site(outer, place.outer_function, place.outer_file,
		  place.outer_line);
}

static bool is_known(const struct xs_site *site)
{
	return site->symbol || site->file;
}

/* Resolves all sites of one module. */
static void resolve_module(struct xs_trace *trace, const struct xs_key *keys,
			   size_t count)
{
	Dwfl_Module *module;
	Dwfl *dwfl;
	size_t known = 0;

	while (known < count && is_known(&trace->sites[keys[known].index]))
		known++;
	if (known == count)
		return;
	dwfl = dwfl_begin(&callbacks);
	if (!dwfl)
		xs_no_memory();
	module = open_module(dwfl, trace, &trace->modules[keys[0].key]);
	for (size_t i = 0; module && i < count; i++) {
		const uint32_t site = keys[i].index;

		if (!is_known(&trace->sites[site]))
			fill_site(trace, site, module);
	}
	dwfl_end(dwfl);
}

void xs_symbols_resolve(struct xs_trace *trace)
{
	struct xs_key *keys =
	    xs_malloc((trace->site_count + 1) * sizeof(*keys));
	size_t count = 0;

	for (size_t i = 0; i < trace->site_count; i++)
		if (trace->sites[i].module != XS_NONE &&
		    !trace->sites[i].has_source)
			keys[count++] = (struct xs_key){trace->sites[i].module,
							(uint32_t)i};
	xs_keys_sort(keys, count);
	for (size_t first = 0, end; first < count; first = end) {
		for (end = first + 1;
		     end < count && keys[end].key == keys[first].key; end++)
			;
		resolve_module(trace, keys + first, end - first);
	}
	free(keys);
}
